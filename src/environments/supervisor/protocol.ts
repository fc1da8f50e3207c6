import type { EnvironmentError, ProcessEnding, PtySize, Screen } from "../../contracts/environment/environment.ts";
import type { SupervisedStart } from "./supervisor.ts";

/** Increase when older clients or supervisors would misunderstand messages. */
export const protocolVersion = 2;

/** The supervisor sends this first. */
export interface Hello {
  readonly supervisor: number;
  readonly pid: number;
}

/** A client request; the bytes of `write` follow it. Each request gets one answer with the same `ask`. */
export type SupervisorRequest = { readonly ask: number } & (
  | { readonly what: "start"; readonly id: string; readonly start: SupervisedStart }
  | { readonly what: "ending" | "write" | "closeInput" | "kill" | "wait" | "screen" | "remove"; readonly id: string }
  | { readonly what: "resize"; readonly id: string; readonly size: PtySize }
);

/** Cancels a request: the client no longer waits for the answer. */
export interface CancelRequest {
  readonly forget: number;
}

export type SupervisorAnswer = { readonly ask: number } & AnswerBody;

export type AnswerBody =
  | { readonly fault: string; readonly kind?: EnvironmentError["kind"]; readonly hint?: string; readonly isRace?: true }
  | { readonly ending?: ProcessEnding; readonly screen?: Screen };

/** Distributes over the union, so that each kind of request loses only its number. */
export type UnnumberedRequest = SupervisorRequest extends infer One
  ? One extends SupervisorRequest
    ? Omit<One, "ask">
    : never
  : never;
