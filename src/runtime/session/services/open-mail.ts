import { join } from "node:path";

import { type CallId, newId } from "../../../base/ids.ts";
import { err, ok } from "../../../base/result.ts";
import { homeFiles } from "../../../config/home.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { TurnTaint } from "../../../contracts/safety/text-source.ts";
import { agentSource } from "../../../contracts/session/agents.ts";
import type { SessionMessage, SessionSender } from "../../../contracts/session/session-mail.ts";
import {
  createReceivedMessages,
  type MessagePermission,
  type ReceivedMessages,
  senderName,
} from "../../../sessions/received-messages.ts";
import { createSessionMail } from "../../../sessions/session-mail.ts";
import type { ConversationStages } from "../conversation-stages.ts";
import type { SessionDeps } from "../session-deps.ts";

/** Messages between sessions of one principal, as seen by one of these sessions. */
export interface OpenedMail {
  /** Sends as this session. */
  sender(taint: TurnTaint): SessionSender;
  /** Receives messages. Undefined: this session does not receive messages. */
  readonly received?: ReceivedMessages;
}

/** `prompt`: starts a turn for a message that arrives between turns. */
export function openMail(
  { opened, bench }: ConversationStages,
  { prompt, closing }: { readonly prompt: (content: readonly ContentPart[]) => void; readonly closing: AbortSignal },
  deps: SessionDeps,
): OpenedMail {
  const { record, principal, lease, parent } = opened;
  const { config, sessions: store, policy, redactor, clock, logger: log } = deps;
  const { receive_messages: receives } = config.values.sessions;
  const mail = createSessionMail(join(config.home.path, homeFiles.sessionMail), { clock });

  async function permit(messages: readonly SessionMessage[]): Promise<MessagePermission> {
    const [first] = messages;
    if (!first) return "allowed";
    const verdict = await policy.decide(
      {
        sessionId: record.id,
        callId: newId<CallId>("call"),
        principal,
        tool: `The agent of ${first.fromTitle ?? first.from}`,
        readOnly: false,
        args: {},
        effects: [{ kind: "message", target: `this session from ${first.from}` }],
        origin: "client",
        place: bench.workbench.workplace.commands.place,
        tainted: [],
        preview: async () => messages.map(({ text }) => redactor.redact(text)).join("\n\n"),
      },
      closing,
    );
    if (verdict.decision === "allow") return "allowed";
    return verdict.cause === "person" || verdict.cause === "rule" || verdict.cause === "hardline" ? "refused" : "later";
  }

  const isReceiving = lease !== undefined && !parent && receives !== "off";
  return {
    sender: (taint) => ({
      async send(to, text) {
        if (receives === "off") return err("the setting sessions.receive_messages is off");
        const match = await store.find(to, principal);
        if (!match.ok) return err(match.error.message.replace(/\.$/u, ""));
        const { id, title, source } = match.value;
        if (id === record.id) return err("that is this session");
        if (source === agentSource)
          return err("that session belongs to a child agent; use delegate_task with action send");
        const own = await store.get(record.id, principal);
        const message: SessionMessage = {
          id: newId("mail"),
          to: id,
          from: record.id,
          ...(own?.title !== undefined && { fromTitle: own.title }),
          text,
          sources: taint.sources(),
          sentAt: clock.now(),
        };
        const sent = await mail.send(message);
        return sent.ok ? ok({ id: message.id, sessionId: id, ...(title !== undefined && { title }) }) : sent;
      },
    }),
    ...(isReceiving && {
      received: createReceivedMessages({
        sessionId: record.id,
        mail,
        store,
        isOpen: receives === "allow",
        permit,
        ...(record.source === "cli" && {
          wake: (message: SessionMessage) =>
            prompt([{ type: "text", text: `A message from ${senderName(message)} follows.` }]),
        }),
        redact: redactor.redact,
        clock,
        log,
      }),
    }),
  };
}
