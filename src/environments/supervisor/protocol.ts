import type { EnvironmentError, ProcessEnding, PtySize, Screen } from "../../contracts/environment/environment.ts";
import type { SupervisedStart } from "./supervisor.ts";

/** Changes when an older client or supervisor would misunderstand the other. */
export const protocolVersion = 1;

/** The first thing that a supervisor says. */
export interface Hello {
  readonly supervisor: number;
  readonly pid: number;
}

/** What a client asks; `write` has the bytes behind it. Each is answered once, with the same `ask`. */
export type SupervisorRequest = { readonly ask: number } & (
  | { readonly what: "start"; readonly id: string; readonly start: SupervisedStart }
  | { readonly what: "ending" | "write" | "closeInput" | "kill" | "wait" | "screen" | "remove"; readonly id: string }
  | { readonly what: "resize"; readonly id: string; readonly size: PtySize }
);

/** Nobody waits for the answer to `forget` any more. */
export interface Forget {
  readonly forget: number;
}

export type SupervisorAnswer = { readonly ask: number } & Said;

export type Said =
  | { readonly fault: string; readonly kind?: EnvironmentError["kind"]; readonly hint?: string }
  | { readonly ending?: ProcessEnding; readonly screen?: Screen };

/** So that a request without its number can be made for each kind. */
export type UnnumberedRequest = SupervisorRequest extends infer One
  ? One extends SupervisorRequest
    ? Omit<One, "ask">
    : never
  : never;
