import type { CallId, EntryId } from "../../base/ids.ts";
import { valueOr } from "../../base/result.ts";
import { compactionText } from "../../contracts/model/context.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { Exchange, SessionTree } from "../../contracts/session/session-tree.ts";
import type { Entry, SessionRecord } from "../../contracts/session/session.ts";
import { treeOf } from "../branches.ts";

/** A session for readers: exchange by exchange, with secrets masked. */
export interface ReadableSession {
  readonly record: SessionRecord;
  readonly tree: SessionTree;
  /** The exchanges by number, as in the session tree. */
  readonly exchanges: readonly ReadableExchange[];
  readonly tokens: number;
  readonly costUsd: number | undefined;
}

export interface ReadableExchange extends Exchange {
  readonly parts: readonly ReadablePart[];
}

export type ReadablePart =
  | { readonly kind: "asked"; readonly content: readonly ContentPart[]; readonly at: number }
  | {
      readonly kind: "answered";
      readonly content: readonly ContentPart[];
      readonly reasoning: string;
      readonly at: number;
    }
  | ReadableCall
  | { readonly kind: "shortened"; readonly title: string; readonly text: string }
  | { readonly kind: "damaged"; readonly why: string };

export interface ReadableCall {
  readonly kind: "call";
  readonly tool: string;
  readonly args: string;
  /** The result of the call. Undefined if there is none. */
  readonly result?: { readonly isOk: boolean; readonly content: readonly ContentPart[]; readonly durationMs: number };
}

export function readableSession(
  record: SessionRecord,
  entries: readonly Entry[],
  redact: (text: string) => string,
): ReadableSession {
  const tree = treeOf(entries);
  const parts = tree.exchanges.map((): ReadablePart[] => []);
  const starts = new Map(tree.exchanges.map(({ entry, number }) => [entry, number]));
  const numbers = new Map<EntryId, number>();
  const calls = new Map<CallId, { readonly among: ReadablePart[]; readonly at: number }>();
  let tokens = 0;
  let costUsd: number | undefined;

  const shown = (content: readonly ContentPart[]) =>
    content.map((part) => (part.type === "text" ? { ...part, text: redact(part.text) } : part));

  for (const entry of entries) {
    const inherited = entry.parent === undefined ? undefined : numbers.get(entry.parent);
    const number = starts.get(entry.id) ?? inherited;
    if (number !== undefined) numbers.set(entry.id, number);
    const among = parts[(number ?? 1) - 1];
    if (entry.type === "usage") {
      tokens += entry.usage.input + entry.usage.output;
      if (entry.usage.costUsd !== undefined) costUsd = (costUsd ?? 0) + entry.usage.costUsd;
    }
    if (!among) continue;
    if (entry.type === "message") {
      const { message, at: writtenAt } = entry;
      const content = shown(message.content);
      if (message.role === "user") among.push({ kind: "asked", content, at: writtenAt });
      else {
        among.push({ kind: "answered", content, reasoning: redact(message.reasoning ?? ""), at: writtenAt });
        for (const { id, name, args } of message.calls) {
          calls.set(id, { among, at: among.push({ kind: "call", tool: name, args: redact(argsText(args)) }) - 1 });
        }
      }
    } else if (entry.type === "settled" && entry.parentCallId === undefined) {
      const { result, durationMs, callId, tool } = entry;
      const request = calls.get(callId);
      const started = request?.among[request.at];
      const content = result.ok
        ? result.value.content
        : [{ type: "text", text: result.error.message } as const, ...(result.error.content ?? [])];
      const call: ReadableCall = {
        kind: "call",
        tool,
        args: "",
        ...(started?.kind === "call" && started),
        result: { isOk: result.ok, content: shown(content), durationMs },
      };
      if (request) request.among[request.at] = call;
      else among.push(call);
    } else if (entry.type === "compacted") {
      const text = entry.messages.flatMap(({ content }) =>
        content.map((part) => (part.type === "text" ? part.text : "")),
      );
      among.push({
        kind: "shortened",
        title: `The context was compacted: ${compactionText(entry)}`,
        text: redact(text.join("\n\n")),
      });
    } else if (entry.type === "damaged") among.push({ kind: "damaged", why: entry.why });
  }

  return {
    record: {
      ...record,
      ...(record.title !== undefined && { title: redact(record.title) }),
      ...(record.preview !== undefined && { preview: redact(record.preview) }),
    },
    tree,
    exchanges: tree.exchanges.map((exchange, index) => ({
      ...exchange,
      asked: redact(exchange.asked),
      answered: redact(exchange.answered),
      parts: parts[index] ?? [],
    })),
    tokens,
    costUsd,
  };
}

/** Returns the title of a session, or its first words. */
export function sessionLabel({ title, preview, id }: SessionRecord): string {
  return title ?? preview ?? id;
}

function argsText(args: string | object): string {
  if (typeof args !== "string") return JSON.stringify(args, undefined, 2);
  return valueOr(() => JSON.stringify(JSON.parse(args), undefined, 2), args);
}
