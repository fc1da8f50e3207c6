import { err, ok } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { object, string } from "../../contracts/host/input-schema.ts";
import type { ToolsetStatus } from "../../runtime/calls/toolbox.ts";
import { readOperation } from "../operation.ts";

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
