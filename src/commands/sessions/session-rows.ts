import { systemClock } from "../../base/clock.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { durationText } from "../../base/text/time-text.ts";
import type { SessionSummary } from "../../operations/sessions/session-records.ts";
import { rows } from "../reply-text.ts";

/** One line per session. */
export function sessionRows(sessions: readonly SessionSummary[], current: string, isNumbered = false): string {
  const now = systemClock.now();
  return rows(
    sessions.map(({ id, changedAt, messages, cwd = "", title, preview, tags = [] }, index) => {
      const words = oneLine(title ?? preview ?? "", 60);
      const facts = [`${durationText(now - changedAt)} ago`, cwd, plural(messages, "message"), words];
      const shown = [...facts, ...tags.map((tag) => `#${tag}`)].filter((fact) => fact !== "").join(" · ");
      const label = isNumbered ? `${String(index + 1).padStart(2)}  ${id}` : id;
      return [label, `${shown}${id === current ? " ← here" : ""}`];
    }),
  );
}
