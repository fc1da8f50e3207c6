import { didYouMean } from "../../../base/text/nearest.ts";
import type { ToolsetStatus } from "../../../runtime/calls/toolbox.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../command.ts";
import { table, wrap } from "../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["toolsets", "list"],
    summary: "List the toolsets and which of them are on",
    async run(_input, ctx) {
      const sets = await (await ctx.toolbox()).toolsets(ctx.signal);
      const rows = sets.map((set) => [marked(set, ctx), set.role ?? "", countOf(set), set.description]);
      return {
        data: { toolsets: sets.map((set) => ({ ...set, on: isOn(set) })) },
        text: `${table([["  TOOLSET", "", "TOOLS", ""].map(ctx.paint.dim), ...rows], ctx.io.columns)}\n\n${ctx.paint.dim("✓ on. TOOLS: how many of those it names can be used here.")}`,
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
      if (set) return { data: { ...set, on: isOn(set) }, text: showText(set, ctx) };
      const names = (await toolbox.toolsets(ctx.signal)).map((each) => each.name);
      throw new CommandFailed(
        `There is no toolset "${name}".`,
        didYouMean(name, names) || "hermes toolsets list shows all.",
      );
    },
  },
];

function showText(set: ToolsetStatus, { paint, io }: CliContext): string {
  const list = (title: string, names: readonly string[]) =>
    names.length > 0 ? [wrap(`${paint.dim(title)} ${names.join(", ")}`, io.columns)] : [];
  return [
    `${paint.bold(set.name)}  ${paint.dim(countOf(set))}`,
    set.description,
    "",
    ...list("includes:", set.includes),
    ...list("available:", set.available),
    ...set.unavailable.map(({ name, why }) => `${paint.warn(`${name}:`)} ${why}`),
    ...list("not in this version:", set.absent),
  ].join("\n");
}

function marked(set: ToolsetStatus, { paint }: CliContext): string {
  return `${isOn(set) ? paint.good("✓") : " "} ${paint.bold(set.name)}`;
}

/** A set is on when something of it can be used. */
function isOn(set: ToolsetStatus): boolean {
  return set.available.length > 0;
}

function countOf({ tools, available }: ToolsetStatus): string {
  return tools.length === 0 ? "empty" : `${available.length} of ${tools.length}`;
}
