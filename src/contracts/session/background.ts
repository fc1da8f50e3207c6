import type { SessionId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { TurnEnd } from "./event.ts";

/** A session that works on one prompt in parallel to the conversation: same model and tools, no history. */
export interface BackgroundSession {
  /** Its number in this session, from 1. */
  readonly number: number;
  readonly sessionId: SessionId;
  readonly prompt: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Undefined: it runs. */
  readonly end?: TurnEnd;
  /** Its answer, or why there is none. */
  readonly answer?: string;
}

/** They share approvals and budget with the session, and end with it. Their records are kept. */
export interface BackgroundSessions {
  start(prompt: string): Promise<Result<BackgroundSession>>;
  list(): readonly BackgroundSession[];
  stop(number: number): Result<BackgroundSession>;
}
