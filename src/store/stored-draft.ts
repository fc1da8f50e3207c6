import { appendFileSync, readFileSync, rmSync } from "node:fs";

import type { Clock } from "../base/clock.ts";
import { asId, type TurnId } from "../base/ids.ts";
import { isObject, parsedJson } from "../base/json.ts";
import { valueOr } from "../base/result.ts";
import type { StoredDraft, EntryBody } from "../contracts/session/session.ts";

export interface DraftDeps {
  /** The number of messages of the session. Tells whether the answer of a draft is stored. */
  countMessages(): number;
  append(entries: readonly EntryBody[]): Promise<unknown>;
  readonly clock: Clock;
}

/**
 * Opens the draft of a session and stores the answer that a killed process left in it. Never rejects.
 *
 * The draft is a file. Its first line names the turn and the number of messages before the answer; each later line has
 * the text of one write. Nothing waits for the disk: the file must survive the death of the process, not of the system.
 */
export async function openStoredDraft(path: string, deps: DraftDeps): Promise<StoredDraft> {
  const left = leftAnswer(path, deps);
  const isRestored = left !== undefined && (await storeLeft(left, deps));
  if (!left || isRestored) removeDraft(path);
  return createStoredDraft(path, { isWritten: left !== undefined && !isRestored, isRestored }, deps);
}

/** Removes the draft of an erased session. */
export function removeDraft(path: string): void {
  valueOr(() => rmSync(path, { force: true }), undefined);
}

/** A full disk must not prevent the lease. */
async function storeLeft(left: EntryBody, { append }: DraftDeps): Promise<boolean> {
  try {
    await append([left]);
    return true;
  } catch {
    return false;
  }
}

function createStoredDraft(
  path: string,
  before: { readonly isWritten: boolean; readonly isRestored: boolean },
  { countMessages, clock }: DraftDeps,
): StoredDraft {
  let pending = "";
  let start: DraftStart | undefined;
  let { isWritten } = before;
  let timer: Disposable | undefined;

  function write(): void {
    stopTimer();
    if (pending === "" || !start) return;
    const lines = [...(isWritten ? [] : [start]), pending].map((line) => `${JSON.stringify(line)}\n`);
    pending = "";
    // A full disk must not end the answer itself.
    isWritten = valueOr(() => (appendFileSync(path, lines.join(""), { mode: 0o600 }), true), isWritten);
  }

  function stopTimer(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
  }

  function clear(): void {
    stopTimer();
    pending = "";
    start = undefined;
    if (isWritten) removeDraft(path);
    isWritten = false;
  }

  return {
    isRestored: before.isRestored,
    begin(turnId) {
      clear();
      start = { turnId, messages: countMessages() };
    },
    add(delta) {
      pending += delta;
      if (pending.length >= maxPendingChars) write();
      else timer ??= clock.after(writeMs, write);
    },
    clear,
  };
}

/** The longest time and the longest text that a killed process loses. */
const writeMs = 250;
const maxPendingChars = 64_000;

interface DraftStart {
  readonly turnId: TurnId;
  readonly messages: number;
}

/** The answer that a killed process left, as an entry. Undefined if the session contains the whole answer. */
function leftAnswer(path: string, { countMessages }: DraftDeps): EntryBody | undefined {
  const [start, ...lines] = valueOr(() => readFileSync(path, "utf8"), "")
    .split("\n")
    .map(parsedJson);
  if (!isObject(start) || typeof start.turnId !== "string" || start.messages !== countMessages()) return undefined;
  const text = lines.map((line) => (typeof line === "string" ? line : "")).join("");
  if (text.trim() === "") return undefined;
  return {
    type: "message",
    message: { role: "assistant", content: [{ type: "text", text }], calls: [], stop: "length" },
    turnId: asId<TurnId>(start.turnId),
  };
}
