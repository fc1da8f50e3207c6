import { horizontalBar, sparkline } from "../base/text/bars.ts";
import { plural } from "../base/text/text.ts";
import { durationText } from "../base/text/time-text.ts";
import type { OutputOf } from "../operations/catalog.ts";
import { dollars, tokenCount } from "./reply-text.ts";

type Insights = OutputOf<"insights.report">;

/** The insights report as text. `hasBars`: false for pipes and simple terminals, which get numbers only. */
export function insightsText(report: Insights, { columns, hasBars }: { columns: number; hasBars: boolean }): string {
  const { days, sessions, messages, calls, tokens, toolCalls, costUsd, unknownCost, byDay, byHour, byModel, byTool } =
    report;
  const period = days === 1 ? "today" : `the last ${days} days`;
  if (sessions === 0) return `No sessions in ${period}.`;
  const price = unknownCost === 0 ? "" : `, and ${plural(unknownCost, "call")} of unknown price`;
  const sources = report.bySource.map(({ name, count }) => `${name} ${count}`).join(", ");
  const room = Math.max(4, Math.min(30, Math.min(columns, 100) - 34));
  const chart = (rows: readonly (readonly [string, number, string])[]) => chartLines(rows, room, hasBars);
  return [
    `${plural(sessions, "session")} in ${period} (${sources})`,
    `${plural(messages, "message")}, ${plural(calls, "model call")}, ${plural(toolCalls, "tool call")}`,
    `${tokenCount(tokens)} tokens (${tokenCount(report.input)} in, ${tokenCount(report.output)} out, ${tokenCount(report.cacheRead)} from cache)`,
    `${dollars(costUsd)}${price}; longest session ${durationText(report.longestMs)}`,
    ...dayLines(byDay, columns, hasBars),
    ...section(
      "Models",
      chart(
        byModel
          .slice(0, 8)
          .map((each) => [each.model, each.tokens, `${tokenCount(each.tokens)} tokens, ${dollars(each.costUsd)}`]),
      ),
    ),
    ...section("Tools", chart(byTool.slice(0, 10).map(({ name, count }) => [name, count, String(count)]))),
    ...hourLines(byHour, hasBars),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

function chartLines(rows: readonly (readonly [string, number, string])[], room: number, hasBars: boolean) {
  const max = Math.max(0, ...rows.map(([, value]) => value));
  const width = Math.min(24, Math.max(0, ...rows.map(([name]) => name.length)));
  return rows.map(([name, value, note]) => {
    const label = name.length > width ? `${name.slice(0, width - 1)}…` : name.padEnd(width);
    const bar = hasBars ? `${horizontalBar(value, max, room)} ` : "";
    return `  ${label}  ${bar}${note}`;
  });
}

function dayLines(byDay: Insights["byDay"], columns: number, hasBars: boolean): readonly string[] {
  const busy = byDay.filter(({ messages, tokens }) => messages + tokens > 0);
  if (!hasBars)
    return section(
      "Days",
      busy.map(
        ({ date, messages, tokens, costUsd }) =>
          `  ${date}  ${messages} messages, ${tokens} tokens, ${dollars(costUsd)}`,
      ),
    );
  const shown = byDay.slice(-Math.max(7, Math.min(byDay.length, columns - 4)));
  const top = busy.toSorted((a, b) => b.tokens - a.tokens)[0];
  const best = top ? `busiest: ${top.date}, ${tokenCount(top.tokens)} tokens` : "";
  return [
    "",
    `Tokens a day, ${shown[0]?.date} to ${shown.at(-1)?.date}`,
    `  ${sparkline(shown.map(({ tokens }) => tokens))}`,
    `  ${best}`,
  ];
}

function hourLines(byHour: readonly number[], hasBars: boolean): readonly string[] {
  if (!hasBars) {
    const busy = byHour.flatMap((count, hour) => (count > 0 ? [`${hour} h: ${count}`] : []));
    return section("Messages by hour", busy.length === 0 ? [] : [`  ${busy.join(", ")}`]);
  }
  return ["", "Messages by hour of the day", `  ${sparkline(byHour)}`, "  0     6     12    18   23"];
}
