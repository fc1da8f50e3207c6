import type { CliCommand } from "../../command.ts";
import { table } from "../../table.ts";

const empty = "There are no fallback models.";

export const commands: readonly CliCommand[] = [
  {
    path: ["fallback", "list"],
    summary: "List the models that Hermes tries when the first one fails",
    async run(_input, ctx) {
      const listed = await ctx.run("fallback.list", {});
      const rows = listed.fallbacks.map(({ provider = "", model = "", state }, index) => [
        String(index + 1),
        provider === "offline" ? provider : `${provider}/${model}`,
        state === "ready" ? ctx.paint.good(state) : ctx.paint.warn(state),
      ]);
      return {
        data: listed,
        text:
          rows.length === 0 ? `${empty} \`hermes fallback add provider/model\` adds one.` : table(rows, ctx.io.columns),
      };
    },
  },
  {
    path: ["fallback", "add"],
    summary: "Add a fallback model at the end of the list",
    args: [{ name: "model", summary: "provider/model" }],
    options: [
      { flags: "--provider <id>", summary: "the provider, if the name does not include it" },
      { flags: "--base-url <url>", summary: "the address of a server" },
      { flags: "--key-env <name>", summary: "the variable with the key for that address" },
      { flags: "--first", summary: "add it at the beginning" },
    ],
    examples: ["hermes fallback add groq/openai/gpt-oss-120b"],
    async run(input, ctx) {
      const { added, notes, ...data } = await ctx.run("fallback.add", {
        model: input.arg("model"),
        provider: input.option("provider"),
        baseUrl: input.option("baseUrl"),
        keyEnv: input.option("keyEnv"),
        first: input.flag("first"),
      });
      const lines = notes.map((note) => `\n${ctx.paint.warn("note:")} ${note}`);
      return { data, text: `Added fallback ${added}.  ${ctx.paint.dim(data.file)}${lines.join("")}` };
    },
  },
  {
    path: ["fallback", "remove"],
    summary: "Remove a fallback model",
    args: [{ name: "which", summary: "number in the list, or provider/model" }],
    async run(input, ctx) {
      const { removed, ...data } = await ctx.run("fallback.remove", { which: input.arg("which") });
      return { data, text: `Removed ${removed}.  ${ctx.paint.dim(data.file)}` };
    },
  },
  {
    path: ["fallback", "clear"],
    summary: "Remove all fallback models",
    async run(_input, ctx) {
      const data = await ctx.run("fallback.clear", {});
      return { data, text: `${empty}  ${ctx.paint.dim(data.file)}` };
    },
  },
];
