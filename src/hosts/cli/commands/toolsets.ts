import { didYouMean } from "../../../base/nearest.ts";
import { plural } from "../../../base/text.ts";
import type { ToolsetStatus } from "../../../runtime/toolbox.ts";
import { type CliCommand, CommandFailed } from "../command.ts";
import { table } from "../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["toolsets", "list"],
    summary: "List the toolsets and which of them are on",
    async run(_input, ctx) {
      const sets = await (await ctx.toolbox()).toolsets(ctx.signal);
      const rows = sets.map((set) => [ctx.paint.bold(set.name), set.role ?? "", countOf(set), set.description]);
      return {
        data: { toolsets: sets.map((set) => ({ ...set })) },
        text: `${table([["TOOLSET", "", "TOOLS", ""].map(ctx.paint.dim), ...rows], ctx.io.columns)}\n\nTOOLS: available here of those it names.`,
      };
    },
  },
  {
    path: ["toolsets", "show"],
    summary: "Show what a toolset contains",
    args: [{ name: "name", summary: "the toolset, or an alias of it" }],
    async run(input, ctx) {
      const name = input.arg("name");
      const toolbox = await ctx.toolbox();
      const set = await toolbox.toolset(name, ctx.signal);
      if (!set) {
        const hint = didYouMean(
          name,
          (await toolbox.toolsets(ctx.signal)).map((each) => each.name),
        );
        throw new CommandFailed(`There is no toolset "${name}".`, hint || "hermes toolsets list shows all.");
      }
      const missing = set.tools.filter((tool) => !set.available.includes(tool));
      return {
        data: { ...set },
        text: [
          `${ctx.paint.bold(set.name)}  ${ctx.paint.dim(countOf(set))}`,
          set.description,
          "",
          ...(set.includes.length > 0 ? [`includes   ${set.includes.join(", ")}`] : []),
          ...(set.available.length > 0 ? [`available  ${set.available.join(", ")}`] : []),
          ...(missing.length > 0 ? [ctx.paint.dim(`not here   ${missing.join(", ")}`)] : []),
        ].join("\n"),
      };
    },
  },
];

function countOf(set: ToolsetStatus): string {
  return set.tools.length === 0 ? "empty" : `${set.available.length} of ${plural(set.tools.length, "tool")}`;
}
