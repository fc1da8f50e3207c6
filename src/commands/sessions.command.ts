import { oneLine, plural } from "../base/text/text.ts";
import { shortTimeText } from "../base/text/time-text.ts";
import { defineCommand } from "../contracts/host/command.ts";
import type { SessionDesk } from "../contracts/session/session-desk.ts";
import type { SessionRecord } from "../contracts/session/session.ts";
import { rows } from "./reply-text.ts";

export default defineCommand({
  name: "sessions",
  args: "[count]",
  summary: "List your sessions, last changed first",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host: { sessions }, session }) {
    if (!sessions) return { text: "There are no stored sessions here.", failed: true };
    const count = args === "" ? 10 : Number(args);
    if (!Number.isSafeInteger(count) || count < 1) return { text: `"${args}" is no number of sessions.`, failed: true };
    const found = await sessions.list(count);
    if (found.length === 0) return { text: "There is no session yet." };
    return { text: `${sessionRows(found, sessions, session.id)}\n/resume ID or TITLE goes on with one.` };
  },
});

/** A line each; `names`: what stands first, in place of the id. */
export function sessionRows(
  found: readonly SessionRecord[],
  desk: SessionDesk,
  current: string,
  names: readonly string[] = found.map(({ id }) => id),
): string {
  const now = desk.now();
  return rows(
    found.map((record, at) => {
      const { id, changedAt, messages, source, title, preview, tags = [] } = record;
      const words = oneLine(title ?? preview ?? "", 60);
      const tagged = tags.map((tag) => `#${tag}`);
      const facts = [shortTimeText(changedAt, now), plural(messages, "message"), source, words, ...tagged];
      return [names[at] ?? id, `${facts.filter((fact) => fact !== "").join(" · ")}${id === current ? " ← here" : ""}`];
    }),
  );
}
