import { systemClock } from "../../base/clock.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { shortTimeText } from "../../base/text/time-text.ts";
import type { SessionSummary } from "../../operations/sessions/session-records.ts";
import { rows } from "../reply-text.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "sessions",
  args: "[count]",
  summary: "List your sessions, last changed first",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { run, sessionId }) {
    const limit = args === "" ? 10 : Number(args);
    if (!Number.isSafeInteger(limit) || limit < 1)
      return { text: `"${args}" is not a number of sessions.`, failed: true };
    const { sessions } = await run("sessions.list", { limit });
    if (sessions.length === 0) return { text: "There are no sessions yet." };
    return { text: `${sessionRows(sessions, sessionId)}\nTo resume one: /resume ID or TITLE` };
  },
});

/** One line per session. `labels` replace the ids in the first column. */
export function sessionRows(
  sessions: readonly SessionSummary[],
  current: string,
  labels: readonly string[] = sessions.map(({ id }) => id),
): string {
  const now = systemClock.now();
  return rows(
    sessions.map(({ id, changedAt, messages, source, title, preview, tags = [] }, index) => {
      const words = oneLine(title ?? preview ?? "", 60);
      const facts = [shortTimeText(changedAt, now), plural(messages, "message"), source, words];
      const shown = [...facts, ...tags.map((tag) => `#${tag}`)].filter((fact) => fact !== "").join(" · ");
      return [labels[index] ?? id, `${shown}${id === current ? " ← here" : ""}`];
    }),
  );
}
