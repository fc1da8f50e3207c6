import { plural } from "../../../../base/text/text.ts";
import { dollars } from "../../../../commands/reply-text.ts";
import type { CliCommand } from "../../command.ts";
import { table } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["usage"],
    summary: "Show tokens and cost of today, the last days and all time",
    details:
      "Counts all sessions, including calls for summaries and titles. The settings under budget set caps, such as budget.max_usd_per_day.",
    async run(_input, ctx) {
      const report = await ctx.run("usage.report", {});
      const rows = report.spent.map(({ name, tokens, calls, costUsd, unknownCost }) => [
        name,
        `${tokens} tokens`,
        plural(calls, "call"),
        `${dollars(costUsd)}${unknownCost === 0 ? "" : ` and ${plural(unknownCost, "call")} of unknown price`}`,
      ]);
      const caps = [
        ...Object.entries(report.capsUsd).flatMap(([name, usd]) => (usd === null ? [] : [`$${usd} per ${name}`])),
        ...Object.entries(report.capsTokens).flatMap(([name, max]) =>
          max === null ? [] : [`${max} tokens per ${name}`],
        ),
      ];
      const hint = "No cap is set. To set one for a day: hermes config set budget.max_usd_per_day 5";
      return {
        data: report,
        text: `${table(rows, ctx.io.columns)}\n${ctx.paint.dim(caps.length === 0 ? hint : `Caps: ${caps.join(", ")}`)}`,
      };
    },
  },
];
