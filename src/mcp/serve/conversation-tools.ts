import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { shownContent } from "../../contracts/model/message.ts";
import type { Answer, PendingApproval } from "../../contracts/safety/approval.ts";
import type { Entry, OwnSessions, SessionRecord } from "../../contracts/session/session.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import type { ConversationEvents } from "./conversation-events.ts";

export interface ConversationDeps {
  /** The sessions of the user who runs the server. */
  sessions(): Promise<OwnSessions>;
  readonly events: ConversationEvents;
  readonly approvals: {
    /** Excludes questions of MCP clients: a client must not approve its own calls. */
    pending(): Promise<readonly PendingApproval[]>;
    answer(id: string, answer: Answer): Promise<Result<PendingApproval>>;
  };
  readonly clock: Clock;
}

/**
 * Tools with which another agent can list, read and follow the user's conversations and answer open questions.
 * Sending messages needs a gateway.
 */
export function conversationTools(deps: ConversationDeps): readonly Tool[] {
  const { events, approvals, clock } = deps;
  const reading = { toolset: "conversations", traits: { readOnly: true, parallel: true, untrusted: true } } as const;
  const find = async (args: JsonObject) => {
    const sessions = await deps.sessions();
    return { sessions, record: await sessions.get(asId<SessionId>(textIn(args, "session_id"))) };
  };
  const unknown = (args: JsonObject) =>
    fail(`There is no conversation ${textIn(args, "session_id")}; call conversations_list to see all.`);
  const poll = (args: JsonObject) =>
    events.after(optionalText(args, "after_cursor"), {
      limit: numberIn(args, "limit", 20),
      ...(typeof args["session_id"] === "string" && { session: args["session_id"] }),
    });

  return [
    defineTool({
      ...reading,
      name: "conversations_list",
      description: "List the user's conversations with Hermes, last changed first.",
      input: input({
        limit: { type: "integer", minimum: 1, maximum: 200, description: "Default: 50" },
        platform: { type: "string", description: "Only conversations from this source, such as cli" },
        search: { type: "string", description: "Only conversations with this text in the title or first prompt" },
      }),
      async run(args) {
        const source = optionalText(args, "platform");
        const listed = await (
          await deps.sessions()
        ).list({ limit: maxListed, conversations: true, ...(source && { source }) });
        const words = (optionalText(args, "search") ?? "").toLowerCase();
        const fitting = listed.filter(({ title = "", preview = "" }) =>
          `${title} ${preview}`.toLowerCase().includes(words),
        );
        return json({ conversations: fitting.slice(0, numberIn(args, "limit", 50)).map(conversation) });
      },
    }),
    defineTool({
      ...reading,
      name: "conversation_get",
      description: "Show one conversation: its title, source, folder, model and times.",
      input: input({ session_id: { type: "string" } }, ["session_id"]),
      async run(args) {
        const { record } = await find(args);
        return record ? json(conversation(record)) : unknown(args);
      },
    }),
    defineTool({
      ...reading,
      name: "messages_read",
      description: "Read messages of a conversation, oldest first; the newest ones unless before names a message.",
      input: input(
        {
          session_id: { type: "string" },
          limit: { type: "integer", minimum: 1, maximum: 200, description: "Default: 50" },
          before: { type: "string", description: "Only messages before this message_id" },
        },
        ["session_id"],
      ),
      async run(args) {
        const { sessions, record } = await find(args);
        if (!record) return unknown(args);
        const all = (await sessions.path(record.id)).filter(isMessage);
        const end = all.findIndex(({ id }) => id === args["before"]);
        const before = end < 0 ? all : all.slice(0, end);
        const shown = before.slice(-numberIn(args, "limit", 50));
        return json({ messages: shown.map(messageFacts), has_earlier: shown.length < before.length });
      },
    }),
    defineTool({
      ...reading,
      name: "attachments_fetch",
      description: "Get the images, audio and files of one message.",
      input: input({ session_id: { type: "string" }, message_id: { type: "string" } }, ["session_id", "message_id"]),
      async run(args): Promise<ToolResult> {
        const { sessions, record } = await find(args);
        if (!record) return unknown(args);
        const entry = (await sessions.path(record.id)).filter(isMessage).find(({ id }) => id === args["message_id"]);
        if (!entry)
          return fail(`There is no message ${textIn(args, "message_id")}; call messages_read to see the messages.`);
        const content = entry.message.content.filter(({ type }) => type !== "text");
        return content.length > 0 ? { ok: true, value: { content } } : json({ attachments: [] });
      },
    }),
    defineTool({
      ...reading,
      name: "events_poll",
      description:
        "Get new messages, approval requests and their answers since a cursor. Without a cursor, get only the current cursor.",
      input: input({
        after_cursor: { type: "string", description: "The next_cursor of the last answer" },
        session_id: { type: "string", description: "Only events of this conversation" },
        limit: { type: "integer", minimum: 1, maximum: 200, description: "Default: 20" },
      }),
      run: async (args) => json(await poll(args)),
    }),
    defineTool({
      ...reading,
      traits: { ...reading.traits, timeoutMs: maxWaitMs + 5_000 },
      name: "events_wait",
      description: "Like events_poll, but waits until something happens or the time limit is reached.",
      input: input({
        after_cursor: { type: "string", description: "The next_cursor of the last answer" },
        session_id: { type: "string", description: "Only events of this conversation" },
        timeout_ms: { type: "integer", minimum: 0, maximum: maxWaitMs, description: "Default: 30000" },
      }),
      async run(args, { signal }) {
        const until = clock.elapsed() + numberIn(args, "timeout_ms", 30_000);
        let answer = await poll(args);
        const from = { ...args, after_cursor: answer.next_cursor };
        while (answer.events.length === 0 && clock.elapsed() < until) {
          if (!(await trySleep(pollMs, signal, clock))) break;
          answer = await poll(from);
        }
        return json(answer);
      },
    }),
    defineTool({
      ...reading,
      name: "permissions_list_open",
      description: "List the questions of Hermes that wait for the user's answer.",
      input: input({}),
      run: async () => json({ permissions: (await approvals.pending()).map(questionFacts) }),
    }),
    defineTool({
      toolset: "conversations",
      name: "permissions_respond",
      description:
        "Answer an open question: deny it, or allow it once or for its session. The user must confirm an approval.",
      input: input(
        {
          id: { type: "string", description: "From permissions_list_open" },
          decision: { type: "string", enum: ["deny", "once", "session"] },
          reason: { type: "string", description: "The reason for a denial" },
        },
        ["id", "decision"],
      ),
      // Another agent can deny without the user. An approval needs the user, because a text that the agent read could
      // have
      // caused it.
      effects: ({ decision }) => (decision === "deny" ? [] : [{ kind: "opaque" }]),
      async run(args) {
        const id = textIn(args, "id");
        const isOpen = (await approvals.pending()).some((one) => one.id === id);
        if (!isOpen) return fail(`No open question has the id ${id}; call permissions_list_open to see all.`);
        const answered = await approvals.answer(id, answerOf(args));
        return answered.ok ? json({ id, decision: textIn(args, "decision") }) : fail(answered.error.message);
      },
    }),
  ];
}

const maxListed = 1_000;
const maxWaitMs = 300_000;
const pollMs = 200;
const maxMessageChars = 20_000;

function input(properties: JsonObject, required: readonly string[] = []) {
  return fromJsonSchema({ type: "object", properties, required: [...required], additionalProperties: false });
}

function textIn(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === "string" ? value : "";
}

function optionalText(args: JsonObject, name: string): string | undefined {
  return textIn(args, name) || undefined;
}

function numberIn(args: JsonObject, name: string, preset: number): number {
  const value = args[name];
  return typeof value === "number" ? value : preset;
}

type MessageEntry = Extract<Entry, { readonly type: "message" }>;

function isMessage(entry: Entry): entry is MessageEntry {
  return entry.type === "message";
}

function conversation({ id, title, source, cwd, model, messages, preview, createdAt, changedAt }: SessionRecord) {
  return {
    session_id: id,
    title: title ?? "",
    platform: source,
    folder: cwd ?? "",
    model: model ?? "",
    messages,
    preview: oneLine(preview ?? "", 200),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(changedAt).toISOString(),
  };
}

export function messageFacts({ id, message, ...entry }: MessageEntry) {
  return {
    message_id: id,
    role: message.role,
    text: shownContent(message.content).slice(0, maxMessageChars),
    attachments: message.content.filter(({ type }) => type !== "text").length,
    sent_at: new Date(entry.at).toISOString(),
  };
}

export function questionFacts({ id, sessionId, tool, text, asks, askedAt, expiresAt }: PendingApproval) {
  return {
    id,
    session_id: sessionId,
    tool,
    text,
    reasons: asks.map(({ reason }) => reason),
    asked_at: new Date(askedAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

function answerOf(args: JsonObject): Answer {
  const decision = textIn(args, "decision");
  if (decision === "once" || decision === "session") return { scope: decision };
  const reason = optionalText(args, "reason");
  return { scope: "deny", ...(reason !== undefined && { reason }) };
}
