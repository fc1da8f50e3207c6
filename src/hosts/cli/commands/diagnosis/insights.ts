import { insightsText } from "../../../../commands/insights-text.ts";
import type { CliCommand } from "../../command.ts";
import { numberOption } from "../../input.ts";
import { wrap } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["insights"],
    summary: "Report tokens, cost, tools and activity of the last days",
    details:
      "Reads only the sessions of this home; nothing is sent anywhere. In a pipe it prints numbers without charts.",
    options: [
      { flags: "--days <count>", summary: "number of days, including today; default: 30" },
      { flags: "--source <name>", summary: "only sessions from this source, such as cli or oneshot" },
    ],
    examples: ["hermes insights --days 7", "hermes insights --source cli --json"],
    async run(input, ctx) {
      const { io, env } = ctx;
      const report = await ctx.run("insights.report", {
        days: numberOption(input, "days"),
        source: input.option("source"),
      });
      const hasBars = io.stdoutIsTerminal && env["TERM"] !== "dumb";
      const text = withoutControls(insightsText(report, { columns: io.columns, hasBars }));
      return { data: report, text: wrap(text, io.columns) };
    },
  },
];
