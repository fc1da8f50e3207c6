import { type CommandContext, type CommandReply, defineCommand } from "../contracts/host/command.ts";
import type { SessionDesk } from "../contracts/session/session-desk.ts";
import type { SessionRecord } from "../contracts/session/session.ts";
import { sessionRows } from "./sessions.command.ts";

export default defineCommand({
  name: "resume",
  args: "[number|id|title]",
  summary: "Go on with another session; without an argument the last ones are shown",
  where: "everywhere",
  whileBusy: "now",
  async run(args, ctx) {
    const { sessions } = ctx.host;
    if (!sessions) return { text: "There are no stored sessions here.", failed: true };
    const others = (await sessions.list(offered + 1)).filter(({ id }) => id !== ctx.session.id).slice(0, offered);
    if (args === "") return offer(others, sessions, ctx);
    const numbered = /^\d{1,2}$/u.test(args) ? others[Number(args) - 1] : undefined;
    const found = numbered ? undefined : await sessions.find(args);
    if (found && !found.ok) return { text: found.error.message, failed: true };
    const record = numbered ?? found?.value;
    if (!record) return { text: `There is no session ${args}.`, failed: true };
    if (record.id === ctx.session.id) return { text: "This is that session." };
    return { text: "", effect: { kind: "resume", session: record.id } };
  },
});

const offered = 10;

async function offer(
  others: readonly SessionRecord[],
  desk: SessionDesk,
  { session }: CommandContext,
): Promise<CommandReply> {
  if (others.length === 0) return { text: "There is no other session." };
  const numbers = others.map((_, at) => String(at + 1));
  return {
    text: `${sessionRows(others, desk, session.id, numbers)}\n/resume NUMBER goes on with one; so does its id or title.`,
  };
}
