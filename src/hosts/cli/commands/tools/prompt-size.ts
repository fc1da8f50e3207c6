import type { CliCommand, CliContext } from "../../command.ts";
import { table } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["prompt-size"],
    summary: "Show the size of the first request of a session, in bytes",
    details: "Nothing is sent. Deferred tools cost only their line in tool_search.",
    options: [{ flags: "--platform <name>", summary: "the platform of the session; default: cli" }],
    async run(input, ctx) {
      const size = await ctx.run("prompt.measure", { platform: input.option("platform") });
      const { sections, tools, deferred, systemBytes, toolBytes, totalBytes, notices } = size;
      const rows = [
        row("system prompt", systemBytes, ctx.paint.bold),
        ...sections.map(({ tier, name, bytes }) => row(`  ${name}`, bytes, String, tier)),
        row("tools", toolBytes, ctx.paint.bold, `${tools.length} sent, ${deferred} deferred`),
        ...tools.map(({ name, bytes }) => row(`  ${name}`, bytes)),
        row("total", totalBytes, ctx.paint.bold, `about ${Math.ceil(totalBytes / 4)} tokens`),
      ];
      for (const notice of notices) ctx.io.warn(notice);
      return { data: size, text: table(rows, ctx.io.columns) };
    },
  },
];

function row(name: string, bytes: number, paint: CliContext["paint"]["bold"] = String, note = ""): readonly string[] {
  return [paint(name), String(bytes).padStart(8), note];
}
