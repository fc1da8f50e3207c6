import type { CliCommand } from "../../command.ts";
import { numberOption } from "../../input.ts";
import { withoutControls } from "../../without-controls.ts";

export const dumpCommands: readonly CliCommand[] = [
  {
    path: ["dump"],
    summary: "Print a summary of the installation for bug reports",
    details: "Plain text without secrets: version, system, model, safety, changed settings, servers and plugins.",
    options: [{ flags: "--show-keys", summary: "show the first and last four characters of keys" }],
    async run(input, ctx) {
      const dumped = await ctx.run("debug.summary", { showKeys: input.flag("showKeys") });
      return { data: dumped, text: withoutControls(dumped.text) };
    },
  },
];

export const debugCommands: readonly CliCommand[] = [
  {
    path: ["debug", "share"],
    summary: "Write the dump and the newest log lines to a file, without secrets",
    details:
      "Hermes uploads nothing: read the file, then attach it to a report yourself. Only the last 512 KB of each log are included.",
    options: [
      { flags: "-n, --lines <count>", summary: "lines of each log; default: 200" },
      { flags: "-o, --output <file>", summary: "the file; default: a new one in the home" },
      {
        flags: "--local",
        summary: "no effect, because reports are always local; accepted for compatibility with the Python version",
      },
    ],
    examples: ["hermes debug share --local", "hermes debug share -o report.txt --lines 1000"],
    async run(input, ctx) {
      const shared = await ctx.run("debug.share", {
        lines: numberOption(input, "lines"),
        output: input.option("output"),
      });
      const size = `${Math.ceil(shared.bytes / 1024)} KB`;
      return {
        data: shared,
        text: `Wrote ${shared.file} (${size}). Nothing was uploaded. Read it before you share it.`,
      };
    },
  },
];
