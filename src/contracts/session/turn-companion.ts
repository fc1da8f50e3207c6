import type { ContentPart } from "../model/message.ts";
import type { TurnOutcome } from "./event.ts";
import type { Session } from "./runtime.ts";

/** The conversation of a session, for prompts that follow a turn. */
export type OngoingConversation = Pick<Session, "turn" | "queued" | "heldPrompts" | "prompt">;

/** Accompanies a session: can add context to a prompt, and is called when a turn has ended. */
export interface TurnCompanion {
  /** Returns text that the model reads after the prompt and that is stored with it. Limited in time; never rejects. */
  before?(prompt: readonly ContentPart[], signal: AbortSignal): Promise<readonly ContentPart[]>;
  /** Returns whether the companion added this part to a prompt. A retry of the prompt adds the part again. */
  added?(part: ContentPart): boolean;
  /**
   * Called when a turn has ended. Runs in the background; never throws. `isTainted`: the session has read untrusted
   * text.
   */
  after?(
    prompt: readonly ContentPart[],
    outcome: TurnOutcome,
    isTainted: boolean,
    conversation: OngoingConversation,
  ): void;
  /** Called when the session ends. Limited in time; never rejects. */
  close?(): Promise<void>;
}

export function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

/** The parts of the prompt that the user wrote, without additions. */
export function userParts(
  content: readonly ContentPart[],
  companions: readonly TurnCompanion[],
): readonly ContentPart[] {
  return content.filter((part, index) => index === 0 || !companions.some(({ added }) => added?.(part)));
}

/** Low-priority work: starts after the first turn and stops when the session ends. `work` never rejects. */
export function afterFirstTurn(work: (signal: AbortSignal) => Promise<void>): TurnCompanion {
  const closing = new AbortController();
  let started: Promise<void> | undefined;
  return {
    after: () => void (started ??= work(closing.signal)),
    async close() {
      closing.abort();
      await started;
    },
  };
}
