import { err, ok } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { object, string } from "../../contracts/host/input-schema.ts";
import type { ToolsetStatus } from "../../runtime/calls/toolbox.ts";
import { defineOperation } from "../operation.ts";

export const operations = {
  list: defineOperation({
    summary: "List the toolsets and which of them are on",
    input: object({}),
    needs: ["toolbox"],
    effect: "read",
    run: async (_input, { toolbox }, { signal }) => ok({ toolsets: (await toolbox.toolsets(signal)).map(withState) }),
  }),

  show: defineOperation({
    summary: "Show the content of a toolset",
    input: object({ name: string("The toolset, or an alias of it") }),
    needs: ["toolbox"],
    effect: "read",
    async run({ name }, { toolbox }, { signal }) {
      const set = await toolbox.toolset(name, signal);
      if (set) return ok(withState(set));
      const names = (await toolbox.toolsets(signal)).map((each) => each.name);
      const hint = didYouMean(name, names) || "hermes toolsets list shows all.";
      return err({ message: `There is no toolset "${name}".`, hint });
    },
  }),

  inSession: defineOperation({
    summary: "List the toolsets of a running session with the number of their tools",
    input: object({}),
    needs: ["tools"],
    effect: "read",
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
