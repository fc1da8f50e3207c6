import { systemClock } from "../base/clock.ts";
import { oneLine, plural } from "../base/text/text.ts";
import { durationText, shortTimeText } from "../base/text/time-text.ts";
import type { SessionSummary } from "../operations/sessions/session-records.ts";
import { rows, dollars, tokenCount } from "./reply-text.ts";
import type { SlashCommand } from "./slash-command.ts";

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: "new",
    aliases: ["reset"],
    args: "[title] [now]",
    summary: "Start a new session; this one is kept",
    async run(args, { run, confirm, signal }) {
      const isSure = /(?:^|\s)(?:now|--yes|-y)$/u.test(args);
      const title = args.replace(/(?:^|\s)(?:now|--yes|-y)$/u, "").trim();
      const { id, isEmpty, isBusy } = await run("session.status", {});
      const question = isBusy ? "Stop the turn and leave this session?" : "Leave this session?";
      if (!isSure && !isEmpty && confirm && !(await confirm(question, signal)))
        return { text: "The session continues." };
      return {
        text: isEmpty ? "" : `Session ${id} is kept: hermes -r ${id}`,
        effect: { kind: "new", ...(title !== "" && { title }) },
      };
    },
  },
  {
    name: "sessions",
    args: "[count]",
    maxWords: 1,
    summary: "List your conversations, last changed first",
    async run(args, { run, sessionId }) {
      const limit = args === "" ? 10 : Number(args);
      if (!Number.isSafeInteger(limit) || limit < 1)
        return { text: `"${args}" is not a number of sessions.`, failed: true };
      const { sessions } = await run("sessions.list", { limit, conversations: true });
      if (sessions.length === 0) return { text: "There are no conversations yet." };
      return { text: `${sessionRows(sessions, sessionId)}\nTo resume one: /resume ID or TITLE` };
    },
  },
  {
    name: "search",
    args: "WORDS",
    summary: 'Search your other sessions: words, "a phrase", prefix*, -excluded, a OR b',
    async run(args, { run, sessionId }) {
      if (args.trim() === "")
        return { text: 'Pass words to search for, such as /search "disk full" docker', failed: true };
      const query = { text: args, limit: 8, without: [sessionId] };
      const { sessions, note, bounded, behind } = await run("sessions.search", query);
      const now = systemClock.now();
      const lines = sessions.map(({ id, title, preview = "", at: writtenAt, snippet, inTitle, more }) => {
        const facts = [
          shortTimeText(writtenAt, now),
          oneLine(title ?? preview, 60),
          ...(more > 0 ? [`${more} more`] : []),
        ];
        // Matches are bold. A match in the title needs no snippet: the row shows the title.
        const words = inTitle ? "" : `\n    ${snippet.replaceAll(">>>", "**").replaceAll("<<<", "**")}`;
        return `  ${id}  ${facts.filter((fact) => fact !== "").join(" · ")}${words}`;
      });
      const notes = [
        sessions.length === 0 ? "No matches in your other sessions." : "To resume one: /resume ID",
        ...(note === undefined ? [] : [`${note}.`]),
        ...(bounded ? ["There are more matches: add words."] : []),
        ...(behind > 0 ? [`${plural(behind, "entry")} not indexed yet.`] : []),
      ];
      return { text: [...lines, ...notes].join("\n") };
    },
  },
  {
    name: "resume",
    args: "[number|id|title]",
    summary: "Resume another session; without an argument, list the last ones",
    async run(args, { run, sessionId, offered }) {
      const isNumber = /^\d{1,2}$/u.test(args);
      if (args === "" || (isNumber && offered.sessions === undefined)) {
        const { sessions } = await run("sessions.list", { limit: maxOffered + 1, conversations: true });
        const others = sessions.filter(({ id }) => id !== sessionId).slice(0, maxOffered);
        // A number means the row that was shown, also when the order has changed since.
        offered.sessions = others.map(({ id }) => id);
        if (args === "" && others.length === 0) return { text: "There are no other conversations." };
        if (args === "")
          return { text: `${sessionRows(others, sessionId, true)}\nTo resume one: /resume NUMBER, ID or TITLE` };
      }
      const name = (isNumber && offered.sessions?.[Number(args) - 1]) || args;
      const [record] = (await run("sessions.find", { sessions: [name] })).sessions;
      if (!record) return { text: `There is no session ${args}.`, failed: true };
      if (record.id === sessionId) return { text: "This session is already open." };
      return { text: "", effect: { kind: "resume", session: record.id } };
    },
  },
  {
    name: "title",
    args: "[text]",
    summary: "Show or change the title of this session",
    async run(args, { run }) {
      if (args === "") return { text: (await run("session.status", {})).title ?? "No title yet: /title TEXT" };
      const { title } = await run("session.rename", { title: args });
      return { text: `Renamed this session to "${title}".` };
    },
  },
  {
    name: "export",
    aliases: ["save"],
    args: "[file.html|file.md|file.jsonl]",
    summary: "Write this session with all its branches to a file; secrets are redacted",
    where: "terminal",
    async run(args, { run, sessionId: id }) {
      if ((await run("session.status", {})).isEmpty) return { text: "This session is empty.", failed: true };
      const file = args === "" ? `hermes-${id}.html` : args;
      const exported = await run("sessions.export", { sessions: [id], file });
      const kilobytes = "bytes" in exported ? Math.max(1, Math.round(exported.bytes / 1000)) : 0;
      return { text: `${"file" in exported ? exported.file : file} (${kilobytes} KB)` };
    },
  },
  {
    name: "status",
    summary: "Show this session: id, model, context, approvals, queue",
    async run(_args, { run }) {
      const status = await run("session.status", {});
      const { id, title, heldBy, model, context, messages, calls, costUsd, approvalMode, isBusy, queued, cwd } = status;
      const pending = status.pending.map((each) => each.id).join(", ");
      return {
        text: rows([
          ["session", `${id}${title === undefined ? "" : ` "${title}"`}`],
          ...(heldBy === undefined ? [] : [["held by", `${heldBy}; read-only here`] as const]),
          ["model", `${model.provider}/${model.model}`],
          ["context", `${tokenCount(context.tokens)} of ${tokenCount(context.window)} tokens`],
          ["messages", String(messages)],
          ["cost", calls === 0 ? "nothing yet" : dollars(costUsd)],
          ["approvals", approvalMode],
          ...status.weakSettings.map((each) => ["⚠", each] as const),
          ["turn", isBusy ? "running" : "none"],
          ["queue", String(queued)],
          ["processes", status.processes === 0 ? "none" : `${status.processes} running: /ps`],
          ["waiting for approval", pending === "" ? "nothing" : pending],
          ...(cwd === undefined ? [] : [["folder", cwd] as const]),
        ]),
      };
    },
  },
  {
    name: "quit",
    aliases: ["exit"],
    summary: "Leave; the session is kept",
    where: "terminal",
    whileBusy: "interrupt",
    run: async () => ({ text: "", effect: { kind: "quit" } }),
  },
];

/** One line per session. */
function sessionRows(sessions: readonly SessionSummary[], current: string, isNumbered = false): string {
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

const maxOffered = 10;
