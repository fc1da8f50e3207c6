import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type {
  ChatRef,
  DeliveryError,
  InboundMessage,
  PlatformAdapter,
  SentRef,
} from "../../contracts/host/platform.ts";
import type { PluginClient, PluginFault } from "../../contracts/plugin/client.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import { asJson, pluginObject, unwrapped } from "./plugin-object.ts";

const sendTimeoutMs = 60_000;
const typingTimeoutMs = 5000;

/** The chat platforms of a plugin. The plugin's process owns the connection. */
export function pluginPlatforms({ platforms }: PluginRegistration, client: PluginClient): readonly PlatformAdapter[] {
  return platforms.map(({ id, name, messageChars, edits, typing }) => {
    const object = pluginObject(client, id);
    return {
      name,
      limits: { messageChars, edits, typing },
      async *receive(signal) {
        for await (const received of object.stream("receive", [], signal)) {
          if ("fault" in received) {
            if (received.fault.kind === "aborted") return;
            throw new Error(received.fault.message);
          }
          const message = "item" in received ? readInbound(received.item, name) : undefined;
          if (message) yield message;
        }
      },
      async send(chat, content, signal) {
        const args = [asJson(chat), content.map(asJson)];
        return sentRef(await object.call("send", args, { signal, timeoutMs: sendTimeoutMs }), chat);
      },
      ...(edits && {
        async edit(ref: SentRef, text: string, signal: AbortSignal): Promise<Result<void, DeliveryError>> {
          const answer = await object.call("edit", [asJson(ref), text], { signal, timeoutMs: sendTimeoutMs });
          if (!answer.ok) return err(deliveryFault(answer.error));
          const edited = unwrapped(answer.value);
          return edited.ok ? ok(undefined) : err(deliveryError(edited.error));
        },
      }),
      ...(typing && {
        async typing(chat: ChatRef, signal: AbortSignal): Promise<void> {
          await object.call("typing", [asJson(chat)], { signal, timeoutMs: typingTimeoutMs });
        },
      }),
    };
  });
}

/** A message counts as sent only if the platform returned an id for it. */
function sentRef(answer: Result<unknown, PluginFault>, chat: ChatRef): Result<SentRef, DeliveryError> {
  if (!answer.ok) return err(deliveryFault(answer.error));
  const sent = unwrapped(answer.value);
  if (!sent.ok) return err(deliveryError(sent.error));
  const { messageId, message_id: original } = isObject(sent.value) ? sent.value : {};
  const id = messageId ?? original;
  if (typeof id !== "string" || id === "") {
    return err({ kind: "refused", message: "the platform did not confirm the message with an id" });
  }
  return ok({ chat, messageId: id });
}

function deliveryFault({ kind, message }: PluginFault): DeliveryError {
  return { kind: kind === "aborted" ? "aborted" : kind === "refused" ? "refused" : "unreachable", message };
}

const deliveryKinds = ["unreachable", "refused", "too_long", "rate_limited", "auth", "aborted"] as const;

function deliveryError(error: unknown): DeliveryError {
  const { kind, message, retryAfterMs } = isObject(error) ? error : {};
  return {
    kind: deliveryKinds.find((each) => each === kind) ?? "refused",
    message: typeof message === "string" ? message : "the platform refused the message",
    ...(typeof retryAfterMs === "number" && retryAfterMs > 0 && { retryAfterMs }),
  };
}

/** Returns undefined if the item is not a message. */
function readInbound(item: unknown, platform: string): InboundMessage | undefined {
  if (!isObject(item) || !isObject(item["chat"])) return undefined;
  const { chat, messageId, from, content, sentAt } = item;
  const { chatId, threadId } = chat;
  const sender = isObject(from) ? from : {};
  if (typeof chatId !== "string" || typeof messageId !== "string" || typeof sender["id"] !== "string") return undefined;
  const parts: readonly unknown[] = typeof content === "string" ? [{ type: "text", text: content }] : asList(content);
  return {
    chat: { platform, chatId, ...(typeof threadId === "string" && { threadId }) },
    messageId,
    from: {
      // A platform of a plugin cannot impersonate a user of another platform.
      id: `${platform}:${sender["id"].replace(`${platform}:`, "")}`,
      ...(typeof sender["name"] === "string" && { name: sender["name"] }),
    },
    content: parts.flatMap((part) =>
      isObject(part) && part["type"] === "text" && typeof part["text"] === "string"
        ? [{ type: "text", text: part["text"] } as const]
        : [],
    ),
    sentAt: typeof sentAt === "number" && Number.isFinite(sentAt) ? sentAt : 0,
  };
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
