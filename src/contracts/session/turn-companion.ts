import type { ContentPart } from "../model/message.ts";
import type { TurnOutcome } from "./event.ts";
import type { Session } from "./runtime.ts";

/** The conversation of a session, for prompts that follow a turn. */
export type OngoingConversation = Pick<Session, "turn" | "queued" | "prompt">;

/** Something that goes along with a session: it may add to what the person asks, and hears how a turn ended. */
export interface TurnCompanion {
  /** What the model reads behind the prompt, which is stored with it. Bounded in time; never rejects. */
  before?(prompt: readonly ContentPart[], signal: AbortSignal): Promise<readonly ContentPart[]>;
  /** Did it add this part to a prompt? When the prompt is asked again, it is added anew. */
  added?(part: ContentPart): boolean;
  /** Runs on its own; never throws. `isTainted`: the session has read texts of strangers. */
  after?(
    prompt: readonly ContentPart[],
    outcome: TurnOutcome,
    isTainted: boolean,
    conversation: OngoingConversation,
  ): void;
  /** The session ends. Bounded in time; never rejects. */
  close?(): Promise<void>;
}

export function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

/** What the person said, without what went along with it. */
export function ownParts(
  content: readonly ContentPart[],
  companions: readonly TurnCompanion[],
): readonly ContentPart[] {
  return content.filter((part, index) => index === 0 || !companions.some(({ added }) => added?.(part)));
}

/** Work that is nobody's hurry: begun after the first turn, stopped with the session. `work` never rejects. */
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
