import { fail, type ToolFailure } from "../../contracts/tool/tool.ts";
import type { EditOutcome } from "./edit/outcome.ts";

/** Why a replace edit was not made, with the lines that help to make it. */
export function editFailure(
  path: string,
  asked: string,
  outcome: Exclude<EditOutcome, { outcome: "applied" }>,
): ToolFailure {
  if (outcome.outcome === "ambiguous") {
    const places = outcome.places.map(({ line, text }) => `${line}|${text}`).join("\n");
    const drift = outcome.drift.length > 0 ? ` (but for ${outcome.drift.join(" and ")})` : "";
    const all = outcome.drift.length > 0 ? "" : ", or set replace_all to change every one";
    return fail(
      `old_string is in ${path} at ${outcome.count} or more places${drift}. Nothing was changed. ` +
        `Give more of the lines around the one you mean${all}. It begins on these lines:\n${places}`,
      "failed",
      { data: { candidates: outcome.places.map(({ line, lastLine, text }) => ({ line, last_line: lastLine, text })) } },
    ).error;
  }
  const { reason, nearest } = outcome;
  const hidden = asked.includes("***") ? " What is shown as *** is a hidden value: match the text around it." : "";
  const start = `Nothing was changed in ${path}. ${reason}${hidden}`;
  if (!nearest) return fail(start).error;
  const lines = nearest.lines.map((line, at) => `${nearest.line + at}|${line}`).join("\n");
  const { difference } = nearest;
  const differs = difference
    ? `\nLine ${difference.line} is ${JSON.stringify(difference.inFile)}, old_string has ${JSON.stringify(difference.asked)}.`
    : "";
  return fail(`${start} The most similar lines are:\n${lines}${differs}`, "failed", {
    data: { nearest: { line: nearest.line, lines: nearest.lines } },
  }).error;
}
