import type { SessionId } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import type { BackgroundSession } from "../contracts/session/background.ts";
import { turnEnds } from "../contracts/session/event.ts";
import type { Entry, EntryBody } from "../contracts/session/session.ts";
import { textOf } from "../contracts/session/turn-companion.ts";

const stateName = "background";

/** Creates the entry that marks a session as a background session, with its state. */
export function backgroundEntry(session: BackgroundSession, isReported: boolean): EntryBody {
  const { number, prompt, startedAt, endedAt, end, answer } = session;
  return {
    type: "state",
    name: stateName,
    value: {
      number,
      prompt,
      startedAt,
      ...(endedAt !== undefined && { endedAt }),
      ...(end !== undefined && { end }),
      ...(answer !== undefined && { answer }),
      isReported,
    },
  };
}

/** Reads the state of a background session. `isReported`: the user has seen its end. */
export function storedBackground(
  sessionId: SessionId,
  states: readonly Entry[],
): { readonly session: BackgroundSession; readonly isReported: boolean } | undefined {
  const last = states.findLast((entry) => entry.type === "state" && entry.name === stateName);
  if (last?.type !== "state" || !isObject(last.value)) return undefined;
  const { number, prompt, startedAt, endedAt, answer, isReported } = last.value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) return undefined;
  if (typeof prompt !== "string" || typeof startedAt !== "number") return undefined;
  const { end: stored } = last.value;
  const end = turnEnds.find((each) => each === stored);
  return {
    session: {
      number,
      sessionId,
      prompt,
      startedAt,
      ...(typeof endedAt === "number" && { endedAt }),
      ...(end !== undefined && { end }),
      ...(typeof answer === "string" && { answer }),
    },
    isReported: isReported === true,
  };
}

/** Returns the end of a session whose program was killed: answered, if its last message is an answer. */
export function answerIn(path: readonly Entry[]): Pick<BackgroundSession, "end" | "endedAt" | "answer"> {
  const last = path.findLast((entry) => entry.type === "message");
  const endedAt = (last ?? path.at(-1))?.at;
  const isAnswer = last?.type === "message" && last.message.role === "assistant" && last.message.stop === "end";
  return {
    ...(endedAt !== undefined && { endedAt }),
    ...(isAnswer
      ? { end: "answered", answer: textOf(last.message.content) }
      : { end: "aborted", answer: "Hermes ended before it was done." }),
  };
}
