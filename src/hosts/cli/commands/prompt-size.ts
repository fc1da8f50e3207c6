import { systemClock as clock } from "../../../base/clock.ts";
import { silentLog as log } from "../../../base/log/log.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { table } from "../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["prompt-size"],
    summary: "Show what the first request of a session takes, in bytes",
    details: "Nothing is sent. The tools that are found by search take no more than their line in tool_search.",
    options: [{ flags: "--platform <name>", summary: "as a session there has it; left out: cli" }],
    async run(input, ctx) {
      const { measurePrompt } = await import("../../../runtime/prompt/measure-prompt.ts");
      const { cwd, signal } = ctx;
      const platform = input.option("platform") ?? "cli";
      const size = await measurePrompt(await ctx.config(), {
        cwd,
        principal: ctx.principal,
        platform,
        signal,
        clock,
        log,
      });
      const { sections, tools, deferred, systemBytes, toolBytes, totalBytes, notices } = size;
      const rows = [
        row("system prompt", systemBytes, ctx.paint.bold),
        ...sections.map(({ tier, name, bytes }) => row(`  ${name}`, bytes, String, tier)),
        row("tools", toolBytes, ctx.paint.bold, `${tools.length} sent, ${deferred} found by search`),
        ...tools.map(({ name, bytes }) => row(`  ${name}`, bytes)),
        row("together", totalBytes, ctx.paint.bold, `about ${Math.ceil(totalBytes / 4)} tokens`),
      ];
      for (const notice of notices) ctx.io.warn(notice);
      return {
        data: { ...size, sections: sections.map((each) => ({ ...each })), tools: tools.map((each) => ({ ...each })) },
        text: table(rows, ctx.io.columns),
      };
    },
  },
];

function row(name: string, bytes: number, paint: CliContext["paint"]["bold"] = String, more = ""): readonly string[] {
  return [paint(name), String(bytes).padStart(8), more];
}
