import type { SessionId, TurnId } from "../base/ids.ts";
import type { AgentEvent, TurnOutcome } from "./event.ts";
import type { HookBus } from "./hook.ts";
import type { ContentPart } from "./message.ts";
import type { Asker, SecretAsker } from "./ports.ts";
import type { Principal } from "./principal.ts";
import type { Catalog, Diagnostic, Registry } from "./registry.ts";
import type { SessionStore } from "./session.ts";
import type { ToolSelection } from "./toolset.ts";

/** One exchange. Many readers may follow it; one that leaves or stalls never affects it. */
export interface Turn {
  readonly id: TurnId;
  events(fromSeq?: number): AsyncIterable<AgentEvent>;
  readonly done: Promise<TurnOutcome>;
  /** Ends within 200 ms, even when a tool ignores its signal. */
  abort(reason: string): void;
}

export interface Session extends AsyncDisposable {
  readonly id: SessionId;
  readonly catalog: Catalog;
  readonly turn?: Turn;
  prompt(content: readonly ContentPart[]): Turn;
  steer(content: readonly ContentPart[]): void;
  queue(content: readonly ContentPart[]): void;
}

export interface SessionOptions {
  readonly source: string;
  readonly resume?: SessionId;
  readonly tools?: ToolSelection;
  readonly cwd?: string;
  readonly principal: Principal;
  readonly asker?: Asker;
  readonly secrets?: SecretAsker;
}

export interface Runtime extends AsyncDisposable {
  readonly registry: Registry;
  readonly hooks: HookBus;
  readonly sessions: SessionStore;
  readonly diagnostics: readonly Diagnostic[];
  openSession(options: SessionOptions): Promise<Session>;
}
