import type { CallId, EntryId, TurnId } from "../../../base/ids.ts";
import type { HistoryItem } from "../../../contracts/model/context.ts";
import type { Message, ToolCall, ToolMessage } from "../../../contracts/model/message.ts";
import type { Entry } from "../../../contracts/session/session.ts";
import { fail, type ToolFailure } from "../../../contracts/tool/tool-result.ts";
import { toolMessage } from "../../dispatch/result/render.ts";

/** A tool call in the history that has no result. */
export interface OpenCall {
  readonly call: ToolCall;
  /** The parent of a nested call. */
  readonly parentCallId?: CallId;
  /** True if the call started, so that its outcome is unknown. */
  readonly wasBegun: boolean;
}

/** The message that started a turn. */
export interface Prompt {
  readonly message: Message;
  /** The entry before the prompt. The session continues from it if the turn is undone. */
  readonly after: EntryId | undefined;
}

/**
 * The messages of a session, built from its entries. Every call has exactly one result, directly after the message that
 * contains the call and in the order of the calls. The result is the last `settled` entry of the call, or a failure
 * that states what is known.
 */
export interface History {
  readonly items: readonly HistoryItem[];
  readonly messages: readonly Message[];
  add(entry: Entry): void;
  /** The calls without a result. Nested calls come first, because they end before their parents. */
  openCalls(): readonly OpenCall[];
  hasCall(id: CallId): boolean;
  /** The last entry of the first `count` items. */
  endOf(count: number): EntryId | undefined;
  /** All prompts, oldest first. Undoing past a summary restores the messages that it replaces. */
  readonly prompts: readonly Prompt[];
}

interface Row {
  readonly entry: EntryId;
  /**
   * The position in the history. A result is placed with the message that contains its call, even if it arrived late.
   */
  readonly position: number;
  readonly message: Message;
  readonly open?: OpenCall;
  /** True if the message started a turn, even if a summary contains it now. */
  readonly isPrompt?: boolean;
}

export function createHistory(entries: readonly Entry[]): History {
  const ids: EntryId[] = [];
  const positions = new Map<EntryId, number>();
  const called = new Set<CallId>();
  const prompts: Prompt[] = [];
  /** The nested calls, which have no message. */
  const nested = new Map<CallId, OpenCall>();
  let rows: Row[] = [];
  let turn: TurnId | undefined;
  let shown: { readonly items: readonly HistoryItem[]; readonly messages: readonly Message[] } | undefined;

  function add(entry: Entry): void {
    const position = ids.push(entry.id) - 1;
    positions.set(entry.id, position);
    const origin = { entry: entry.id, position };
    shown = undefined;
    switch (entry.type) {
      case "message":
        return addMessage(entry, origin);
      case "planned": {
        const { callId: id, tool: name, args, parentCallId } = entry.call;
        if (parentCallId) nested.set(id, { call: { id, name, args }, wasBegun: true, parentCallId });
        return;
      }
      case "dispatched":
        return changeCall(entry.callId, (row) => row.open && openRow({ call: row.open.call, wasBegun: true }, row));
      case "settled": {
        if (entry.parentCallId) return void nested.delete(entry.callId);
        const call = { id: entry.callId, name: entry.tool, args: {} };
        return changeCall(entry.callId, ({ position: begins }) => ({
          entry: entry.id,
          position: begins,
          message: toolMessage(call, entry.result),
        }));
      }
      case "compacted": {
        const through = positions.get(entry.through) ?? -1;
        const rowsByKey = new Map(rows.map((row) => [keyOf(row.message), row]));
        const summed = entry.messages.map((message): Row => {
          // A kept message refers to the entry with its full text, even if it was shortened.
          const { entry: own = entry.id, isPrompt } = rowsByKey.get(keyOf(message)) ?? {};
          return { entry: own, position: through, message, ...(isPrompt && { isPrompt }) };
        });
        rows = [...summed, ...rows.filter((row) => row.position > through)];
        return;
      }
      default:
    }
  }

  function addMessage({ message, turnId }: Entry & { type: "message" }, origin: Pick<Row, "entry" | "position">): void {
    const begins = message.role === "user" && (turnId === undefined || turnId !== turn);
    if (turnId !== undefined) turn = turnId;
    if (begins) prompts.push({ message, after: ids[origin.position - 1] });
    rows.push({ ...origin, message, ...(begins && { isPrompt: true }) });
    if (message.role !== "assistant") return;
    for (const call of message.calls) {
      called.add(call.id);
      rows.push(openRow({ call, wasBegun: false }, origin));
    }
  }

  /** The most recent call with that id is used, because providers reuse ids. */
  function changeCall(id: CallId, change: (row: Row) => Row | undefined): void {
    const index = rows.findLastIndex(({ message }) => message.role === "tool" && message.callId === id);
    const row = rows[index];
    const changed = row && change(row);
    if (changed) rows[index] = changed;
  }

  function view() {
    return (shown ??= {
      items: rows.map(({ entry, message, isPrompt }) => ({ entry, message, ...(isPrompt && { isPrompt }) })),
      messages: rows.map(({ message }) => message),
    });
  }

  for (const entry of entries) add(entry);
  return {
    get items() {
      return view().items;
    },
    get messages() {
      return view().messages;
    },
    add,
    openCalls: () => [...nested.values(), ...rows.flatMap(({ open }) => open ?? [])],
    hasCall: (id) => called.has(id),
    endOf: (count) => (count === 0 ? undefined : ids[(rows[count]?.position ?? ids.length) - 1]),
    prompts,
  };
}

/** The result of a call whose result was never recorded. */
export function unfinishedCallFailure({ call: { name }, wasBegun }: OpenCall): ToolFailure {
  return wasBegun
    ? fail(
        `${name} started, and Hermes stopped before it ended. Its outcome is unknown: check before you repeat it.`,
        "aborted",
        { effect: "unknown" },
      ).error
    : fail(`${name} was not run: Hermes stopped before it started.`, "aborted").error;
}

function keyOf(message: Message): string {
  if (message.role === "tool") return `tool ${message.callId}`;
  const calls = message.role === "assistant" ? message.calls.map(({ id }) => id).join(" ") : "";
  return `${message.role} ${calls} ${JSON.stringify(message.content)}`;
}

function openRow(open: OpenCall, origin: Pick<Row, "entry" | "position">): Row {
  const message: ToolMessage = toolMessage(open.call, { ok: false, error: unfinishedCallFailure(open) });
  return { ...origin, message, open };
}
