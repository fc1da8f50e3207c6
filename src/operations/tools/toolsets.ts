import { err, ok } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { list, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { ToolsetStatus } from "../../runtime/calls/toolbox.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";

export const operations = {
  list: readOperation({
    summary: "List the toolsets and which of them are on",
    needs: ["toolbox"],
    run: async (_input, { toolbox }, { signal }) => ok({ toolsets: (await toolbox.toolsets(signal)).map(withState) }),
  }),

  show: readOperation({
    summary: "Show the content of a toolset",
    input: object({ name: string("The toolset, or an alias of it") }),
    needs: ["toolbox"],
    async run({ name }, { toolbox }, { signal }) {
      const set = await toolbox.toolset(name, signal);
      if (set) return ok(withState(set));
      const names = (await toolbox.toolsets(signal)).map((each) => each.name);
      const hint = didYouMean(name, names) || "hermes toolsets list shows all.";
      return err({ message: `There is no toolset "${name}".`, hint });
    },
  }),

  choices: readOperation({
    summary: "List the toolsets that a person can turn on and off, with their state in the settings",
    needs: ["config", "tools"],
    async run(_input, { config, tools: { registry } }) {
      const { toolsets: base, platform_toolsets: platforms, agent } = config.values;
      const enabled = (platforms["cli"] ?? base).map((name) => registry.expand(name)?.tools ?? new Set<string>());
      const sets = registry.toolsets().filter(({ role, includes = [] }) => {
        return (role === undefined || role === "explicit") && includes.length === 0;
      });
      const rows = sets.flatMap(({ name, description, tools }) => {
        const present = tools.filter((tool) => registry.find(tool));
        const isSelected = present.every((tool) => enabled.some((each) => each.has(tool)));
        const isOn = isSelected && !agent.disabled_toolsets.includes(name);
        return present.length === 0 ? [] : [{ name, description, tools: present.length, isOn }];
      });
      return ok({ toolsets: rows });
    },
  }),

  select: writeOperation({
    summary: "Turn toolsets on and off for new sessions at a terminal",
    input: object({
      on: optional(list("toolsets to turn on", string("a toolset"))),
      off: optional(list("toolsets to turn off", string("a toolset"))),
    }),
    needs: ["config", "tools"],
    async run({ on = [], off = [] }, { config, tools: { registry } }, ctx) {
      const names = registry.toolsets().map((each) => each.name);
      const unknown = [...on, ...off].find((name) => !names.includes(name));
      if (unknown !== undefined)
        return err({
          message: `There is no toolset "${unknown}".`,
          hint: didYouMean(unknown, names) || "hermes toolsets list shows all.",
          kind: "input",
        });
      const { toolsets: base, platform_toolsets: platforms, agent } = config.values;
      const disabled = [...new Set([...agent.disabled_toolsets, ...off])].filter((name) => !on.includes(name));
      const selected = platforms["cli"] ?? base;
      const covered = new Set(selected.flatMap((name) => [...(registry.expand(name)?.tools ?? [])]));
      const added = on.filter((name) => ![...(registry.expand(name)?.tools ?? [])].every((tool) => covered.has(tool)));
      const changes = [
        { path: ["agent", "disabled_toolsets"], value: disabled.length === 0 ? undefined : disabled },
        ...(added.length > 0 ? [{ path: ["platform_toolsets", "cli"], value: [...selected, ...added] }] : []),
      ];
      const written = await writeSettings(config, changes, ctx);
      return written.ok ? ok({ on, off, disabled, ...written.value }) : written;
    },
  }),

  inSession: readOperation({
    summary: "List the toolsets of a running session with the number of their tools",
    needs: ["tools"],
    run: async (_input, { tools: { registry } }) =>
      ok({
        toolsets: registry.toolsets().map(({ name, description, role }) => ({
          name,
          description,
          ...(role && { role }),
          tools: [...(registry.expand(name)?.tools ?? [])].filter((tool) => registry.find(tool)).length,
        })),
      }),
  }),
};

/** A toolset is on if at least one of its tools is available. */
function withState(set: ToolsetStatus): ToolsetStatus & { readonly on: boolean } {
  return { ...set, on: set.available.length > 0 };
}
