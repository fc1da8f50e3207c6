import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext } from "../../command.ts";
import { table, wrap } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["toolsets", "list"],
    summary: "List the toolsets and which of them are on",
    async run(_input, ctx) {
      const listed = await ctx.run("toolsets.list", {});
      const rows = listed.toolsets.map((set) => [
        `${set.on ? ctx.paint.good("✓") : " "} ${ctx.paint.bold(set.name)}`,
        set.role ?? "",
        countOf(set),
        set.description,
      ]);
      const head = ["  TOOLSET", "", "TOOLS", ""].map(ctx.paint.dim);
      const legend = ctx.paint.dim("✓ on. TOOLS: how many of its tools are available here.");
      const plugins = listed.toolsets.flatMap(({ name, fromPlugins }) =>
        fromPlugins.length === 0 ? [] : [wrap(`${name}: ${fromPlugins.join(", ")}`, ctx.io.columns)],
      );
      const ofPlugins = plugins.length === 0 ? "" : `\n\n${ctx.paint.dim("Tools of plugins:")}\n${plugins.join("\n")}`;
      return { data: listed, text: `${table([head, ...rows], ctx.io.columns)}${ofPlugins}\n\n${legend}` };
    },
  },
  {
    path: ["toolsets", "show"],
    summary: "Show the content of a toolset",
    args: [{ name: "name", summary: "the toolset, or an alias of it" }],
    async run(input, ctx) {
      const set = await ctx.run("toolsets.show", { name: input.arg("name") });
      return { data: set, text: showText(set, ctx) };
    },
  },
];

type Toolset = OutputOf<"toolsets.show">;

function showText(set: Toolset, { paint, io }: CliContext): string {
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

function countOf({ tools, available }: Toolset): string {
  return tools.length === 0 ? "empty" : `${available.length} of ${tools.length}`;
}
