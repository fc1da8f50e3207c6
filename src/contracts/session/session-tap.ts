import type { ContextEngine } from "../model/context.ts";
import type { Message } from "../model/message.ts";
import type { ModelClient, ModelFacts, SystemPart } from "../model/model.ts";
import type { Dispatcher } from "../tool/dispatch.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import type { AgentEvent } from "./event.ts";
import type { Entry, SessionRecord } from "./session.ts";

/** A layer between a session and its dependencies that records the traffic or replays it. */
export interface SessionTap extends AsyncDisposable {
  model(client: ModelClient): ModelClient;
  dispatcher(dispatcher: Dispatcher): Dispatcher;
  engine(engine: ContextEngine): ContextEngine;
  /** Records a change that the user made outside of a turn, so that a replay can repeat it. */
  note(change: SessionChange): void;
  /** Receives every event before any other reader. */
  watch(event: AgentEvent): void;
}

/** `before`: the model to switch back to after one turn. */
export type SessionChange =
  | { readonly type: "undo"; readonly turns: number }
  | { readonly type: "compress"; readonly focus?: string; readonly keepExchanges?: number }
  | { readonly type: "model"; readonly name: string; readonly facts: ModelFacts; readonly before?: ModelFacts };

/** The session that is about to open. */
export interface TapInput {
  readonly record: SessionRecord;
  /** The history before the turn. */
  readonly history: readonly Message[];
  readonly system: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  /** All stored entries of the session. */
  entries(): Promise<readonly Entry[]>;
  readonly model: ModelFacts;
  /** Max model calls of a turn. */
  readonly modelCalls: number;
  /** A file for the recording that the caller requested; empty: the default file. */
  readonly wish?: string;
  redact(text: string): string;
}

/** Opens the layer for a session. Undefined if the session needs none. */
export type OpenTap = (of: TapInput) => Promise<SessionTap | undefined>;
