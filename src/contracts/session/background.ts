import type { SessionId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { TurnEnd } from "./event.ts";

/** A session that works on one prompt in parallel to the conversation: same model and tools, no history. */
export interface BackgroundSession {
  /** The number of the background session within its session, starting at 1. */
  readonly number: number;
  readonly sessionId: SessionId;
  readonly prompt: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The outcome. Undefined while the session runs. */
  readonly end?: TurnEnd;
  /** The answer, or the reason why there is none. */
  readonly answer?: string;
}

/**
 * Background sessions share approvals and budget with the session that started them, and end with it. Their records are
 * kept.
 */
export interface BackgroundSessions {
  start(prompt: string): Promise<Result<BackgroundSession>>;
  list(): readonly BackgroundSession[];
  stop(number: number): Result<BackgroundSession>;
}
