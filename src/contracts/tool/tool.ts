import type { Clock } from "../../base/clock.ts";
import type { CallId, SessionId, TurnId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Result } from "../../base/result.ts";
import type { Origin, Principal } from "../safety/principal.ts";
import type { TextSource } from "../safety/text-source.ts";
import { type Place } from "./effect.ts";
import type { Effect, ResolvedEffect } from "./effect.ts";
import type { ServiceName, Services } from "./services.ts";
import { type JsonSchema } from "./tool-definition.ts";
import type { CatalogView } from "./tool-index.ts";
import { type ToolResult } from "./tool-result.ts";
import { type ToolFailure } from "./tool-result.ts";

// ── schemas ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The schema of a tool's arguments: any object that implements Standard Schema and can return its JSON Schema, as zod
 * does. It is recognised by its properties, never by `instanceof`, so a plugin may use its own copy of any library.
 */
export interface InputSchema<Args = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Args } | undefined;
    readonly validate: (value: unknown) => SchemaVerdict<Args> | Promise<SchemaVerdict<Args>>;
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> };
  };
}

export type SchemaVerdict<Args> =
  | { readonly value: Args; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type ArgsOf<I extends InputSchema> = NonNullable<I["~standard"]["types"]>["output"];

// ── context: a tool gets only the services that it lists in `needs` ─────────────────────────────────────────────────

export interface CallContext {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly turnId?: TurnId;
  /** The user's prompt of this turn, also available in nested calls. */
  readonly userTask?: string;
  /** The parent of a nested call. */
  readonly parentCallId?: CallId;
  readonly origin: Origin;
  readonly principal: Principal;
  readonly cwd: string;
  /** The resolved effects of the call, with real paths and, for a command, its analysis. */
  readonly effects: readonly ResolvedEffect[];
  /** Aborted on interrupt and on timeout. A tool that ignores it is abandoned after a grace period. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reports one line of progress to people who are watching. Never stored. */
  readonly progress: (note: string) => void;
  /** Reports bytes that a running command prints. People who are watching see the last lines. Never stored. */
  readonly printed: (chunk: Uint8Array) => void;
  /** The total time that nested calls spent waiting for a person. Only for a tool that calls other tools. */
  readonly waitedMs?: () => number;
  /** Pauses the timeouts of the parent calls while a person answers. Only in a nested call. */
  readonly pauseParents?: () => Disposable;
}

export type ToolContext<N extends ServiceName = never, E extends string = never> = CallContext &
  Pick<Services, N> & { readonly secrets: Readonly<Record<E, string>> };

export type PreviewContext<N extends ServiceName = ServiceName> = Pick<Services, N> &
  Pick<CallContext, "effects" | "signal">;

/**
 * The context that the dispatcher passes. The dispatcher has verified that all services and secrets that the tool lists
 * are present.
 */
export type WideContext = CallContext & Partial<Services> & { readonly secrets: Readonly<Record<string, string>> };

// ── definition: generic for authors, plain everywhere else ──────────────────────────────────────────────────────────

export interface ToolTraits {
  /** True if the tool changes nothing permanently. */
  readonly readOnly: boolean;
  /** True if the tool may run in parallel with other calls of the turn that use other paths. */
  readonly parallel: boolean;
  readonly callers: "model" | "script" | "both";
  /** The arguments that a script may pass. Default: all. */
  readonly scriptArguments?: readonly string[];
  /** An alternative name of the tool in scripts. */
  readonly scriptAlias?: string;
  /**
   * The timeout of the tool, without the wait for a person. `Infinity`: the tool limits its own time. Default: the
   * setting `tools.timeout_s`.
   */
  readonly timeoutMs?: number | ((args: JsonObject) => number);
  /**
   * The maximum length of a result; a longer result is written to a file. `Infinity`: no limit. Default: the limit in
   * the settings.
   */
  readonly maxResultChars?: number;
  /** True if the output is untrusted (web pages, MCP servers): it is marked as data before the model reads it. */
  readonly untrusted: boolean;
  /** The source of an untrusted output, if it is not the tool itself. */
  readonly textSource?: TextSource;
}

export interface Refinement<I> {
  readonly description?: string;
  /** Replaces the input schema of the tool. The new schema is sent to the model and enforced. */
  readonly input?: I;
}

export interface ToolSpec<I extends InputSchema, N extends ServiceName, E extends string> {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  /** The input schema: `z.object({…})`, or `fromJsonSchema({…})`. */
  readonly input: I;
  /**
   * The services that the tool needs. The tool is available only if all exist, and `ctx` gives typed access to them.
   */
  readonly needs?: readonly N[];
  /** Names of environment variables. Each becomes `ctx.secrets.NAME`. */
  readonly requiresEnv?: readonly E[];
  readonly traits?: Partial<ToolTraits>;
  readonly emoji?: string;
  /**
   * Returns whether the tool can be used here. If it throws, the tool is unavailable and the message is the reason. A
   * function that several tools share runs once.
   */
  readonly check?: AvailabilityCheck;
  /** The effects of a call. Undefined: no effects if `readOnly`, otherwise unknown effects. */
  readonly effects?: (args: ArgsOf<I>, place: Place) => readonly Effect[] | Promise<readonly Effect[]>;
  /**
   * Returns the change that a call would make, for the person who approves it: a diff, or the size and the first lines.
   * Changes nothing.
   */
  readonly preview?: (args: ArgsOf<I>, ctx: PreviewContext<N>) => Promise<string | undefined>;
  /**
   * Adapts the tool to one catalog. The result is sent to the model and enforced. Must be a pure function of its
   * argument.
   */
  readonly refine?: (view: CatalogView) => Refinement<I>;
  /**
   * Returns the failure that `run` would return without changing anything; such a call needs no approval. Changes
   * nothing itself.
   */
  readonly refuses?: (args: ArgsOf<I>, ctx: ToolContext<N, E>) => Promise<ToolFailure | undefined>;
  readonly run: (args: ArgsOf<I>, ctx: ToolContext<N, E>) => Promise<ToolResult>;
}

export type AvailabilityCheck = (signal: AbortSignal) => boolean | Promise<boolean>;

/** Facts about a tool that are available without loading its code. */
export interface ToolHeader {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly needs: readonly ServiceName[];
  readonly requiresEnv: readonly string[];
  readonly traits: ToolTraits;
  readonly emoji: string;
  /** True if the author declares the effects of a call (`effects`). */
  readonly declaresEffects?: boolean;
  /** The words that search uses. Set for a tool whose description and schema are read only when they are needed. */
  readonly card?: { readonly description: string; readonly parameters: readonly string[] };
}

/**
 * A registered tool. The type is not generic: the typed arguments stay inside `prepare`, so a registry needs no `any`.
 */
export interface Tool extends ToolHeader {
  /** Loads the code of the tool if its own `check` or `refine` is needed, and returns the complete tool. May reject. */
  readonly load?: () => Promise<Tool>;
  readonly check?: AvailabilityCheck;
  /** Returns the tool as this catalog shows it. The same argument always gives the same tool. */
  readonly refine?: (view: CatalogView) => Tool;
  /** Validates arguments that are already parsed and coerced. Never throws, never rejects, has no side effects. */
  prepare(args: JsonObject): Result<PreparedCall, ToolFailure> | Promise<Result<PreparedCall, ToolFailure>>;
}

export interface PreparedCall {
  /** The arguments after validation, with defaults. */
  readonly args: JsonObject;
  /** The tool's own time limit for these arguments, if it has one. */
  readonly timeoutMs: number | undefined;
  /**
   * Returns the effects of the call. May throw errors of the author's code; the dispatcher then treats the effects as
   * unknown. Asynchronous for a plugin in its own process.
   */
  effects(place: Place): readonly Effect[] | Promise<readonly Effect[]>;
  /** Returns the failure that `run` would return. If it throws or rejects, the call is treated as valid. */
  refuses?(ctx: WideContext): Promise<ToolFailure | undefined>;
  /** May reject. */
  readonly preview?: (ctx: Partial<Services> & Pick<CallContext, "effects" | "signal">) => Promise<string | undefined>;
  /** Runs the tool. May throw or reject; the dispatcher converts that to a failure. */
  run(ctx: WideContext): Promise<ToolResult>;
}
