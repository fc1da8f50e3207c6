import { skinColors } from "../../../../contracts/host/skin.ts";
import type { CliCommand } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { ThemeRole } from "../../screen/parts.ts";
import { table } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["skins", "list"],
    summary: "List the skins: built-in ones, and files in the folder skins of the home",
    async run(_input, ctx) {
      const listed = await ctx.run("skins.list", {});
      const rows = listed.skins.map(({ name, description, file }) => [
        ctx.paint.bold(name),
        `${escapeInvisible(description)}${name === listed.default ? " ← default" : ""}`,
        ctx.paint.dim(file ?? ""),
      ]);
      return { data: listed, text: table(rows, ctx.io.columns) };
    },
  },
  {
    path: ["skins", "show"],
    summary: "Show a skin in the colours of this terminal, and the problems of its file",
    args: [{ name: "name", summary: "the skin; default: the one of the settings", optional: true }],
    examples: ["hermes skins show slate", "hermes config set display.skin slate"],
    async run(input, ctx) {
      const shown = await ctx.run("skins.show", { name: input.optionalArg("name") });
      const [{ createTheme }, { terminalFacts }] = await Promise.all([
        import("../../skins/create-theme.ts"),
        import("../../screen/terminal/terminal-facts.ts"),
      ]);
      const { skin, file, problems } = shown;
      const { colours, isLight = false } = terminalFacts(ctx.env);
      const theme = createTheme(skin, { depth: ctx.paint.isColoured ? colours : "none", isLight });
      const values = skinColors.map((key) => [key, skin.colors[key]]);
      const lines = [
        `${theme.bold(skin.name)}  ${escapeInvisible(skin.description)}`,
        ...(file === undefined ? [] : [theme.dim(file)]),
        `${theme.paintAs("prompt", theme.promptSymbol)} ${sampleRoles.map((role) => theme.paintAs(role, ` ${role} `)).join("")}`,
        table(values, ctx.io.columns),
        ...problems.map((problem) => theme.warn(escapeInvisible(problem))),
      ];
      return { data: shown, text: lines.join("\n") };
    },
  },
];

const sampleRoles: readonly ThemeRole[] = [
  "title",
  "accent",
  "label",
  "ok",
  "warn",
  "error",
  "dim",
  "status",
  "selection",
  "menuCurrent",
];
