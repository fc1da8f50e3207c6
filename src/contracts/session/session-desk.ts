import type { SessionId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { SessionRecord } from "./session.ts";

/** The sessions of whoever talks here, for commands of the conversation. */
export interface SessionDesk {
  now(): number;
  /** Last changed first. */
  list(limit: number): Promise<readonly SessionRecord[]>;
  /** By id, a beginning of one, a title, or `latest`. */
  find(text: string): Promise<Result<SessionRecord, { readonly message: string }>>;
  /**
   * Writes a session to a file that is not there yet, in the form that its ending names; left out: a page beside where
   * the program was started. Secrets are hidden.
   */
  export(
    id: SessionId,
    file: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ readonly file: string; readonly bytes: number }, { readonly message: string }>>;
}
