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
 * Schema of a tool's arguments: anything that follows Standard Schema and can return its JSON Schema, as zod does.
 * Recognised by shape, never by `instanceof`, so a plugin may use its own copy of any library.
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

// ── context: a tool gets only the services that it names ────────────────────────────────────────────────────────────

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
  /** Resolved: with real paths and, for a command, its analysis. */
  readonly effects: readonly ResolvedEffect[];
  /** Aborted on interrupt and on timeout. A tool that ignores it is abandoned after a grace period. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  /** One line of progress for observers. Never stored. */
  readonly progress: (note: string) => void;
  /** Bytes that a running command prints. People who are watching see the last lines. Never stored. */
  readonly printed: (chunk: Uint8Array) => void;
  /** For a tool that calls others: the time so far in which its calls waited for a person. */
  readonly waitedMs?: () => number;
  /** For a nested call: pauses the timeouts of its parents while a person answers. */
  readonly pauseParents?: () => Disposable;
}

export type ToolContext<N extends ServiceName = never, E extends string = never> = CallContext &
  Pick<Services, N> & { readonly secrets: Readonly<Record<E, string>> };

export type PreviewContext<N extends ServiceName = ServiceName> = Pick<Services, N> &
  Pick<CallContext, "effects" | "signal">;

/**
 * The context that the dispatcher passes. It has verified that the services and secrets that the tool names are
 * present.
 */
export type WideContext = CallContext & Partial<Services> & { readonly secrets: Readonly<Record<string, string>> };

// ── definition: generic for authors, plain everywhere else ──────────────────────────────────────────────────────────

export interface ToolTraits {
  /** Changes nothing permanently. */
  readonly readOnly: boolean;
  /** May run in parallel with other calls of the turn that use other paths. */
  readonly parallel: boolean;
  readonly callers: "model" | "script" | "both";
  /** The arguments that a script may pass. Default: all. */
  readonly scriptArguments?: readonly string[];
  /** A second name for scripts. */
  readonly scriptAlias?: string;
  /**
   * Timeout of the run, without the wait for a person. `Infinity`: the tool has its own limit. Default: the setting
   * `tools.timeout_s`.
   */
  readonly timeoutMs?: number | ((args: JsonObject) => number);
  /** A longer result is spilled to a file. `Infinity`: never. Default: the limit of the settings. */
  readonly maxResultChars?: number;
  /** The output is untrusted (web pages, MCP servers): it is wrapped as data before the model reads it. */
  readonly untrusted: boolean;
  /** The author of an untrusted output, if it is not the tool itself. */
  readonly textSource?: TextSource;
}

export interface Refinement<I> {
  readonly description?: string;
  /** Replaces the input schema of the tool: it is both advertised and enforced. */
  readonly input?: I;
}

export interface ToolSpec<I extends InputSchema, N extends ServiceName, E extends string> {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  /** `z.object({…})`, or `fromJsonSchema({…})`. */
  readonly input: I;
  /** Typed access and availability from one line. */
  readonly needs?: readonly N[];
  /** Environment names; each becomes `ctx.secrets.NAME`. */
  readonly requiresEnv?: readonly E[];
  readonly traits?: Partial<ToolTraits>;
  readonly emoji?: string;
  /**
   * Whether the tool can be used here. If it throws, the tool is unavailable and the message is the reason. Shared
   * functions run once.
   */
  readonly check?: AvailabilityCheck;
  /** Effects of a call. Undefined: none if `readOnly`, otherwise unknown. */
  readonly effects?: (args: ArgsOf<I>, place: Place) => readonly Effect[] | Promise<readonly Effect[]>;
  /** The change that a call would make, for the person who decides: a diff, or the size and the first lines. Changes nothing. */
  readonly preview?: (args: ArgsOf<I>, ctx: PreviewContext<N>) => Promise<string | undefined>;
  /** Refines the tool for one catalog; its result is advertised and enforced. Must be a pure function of the view. */
  readonly refine?: (view: CatalogView) => Refinement<I>;
  /** The failure that `run` would return without doing anything. Changes nothing. Such a call needs no approval. */
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
  /** The author declares the effects of a call (`effects`). */
  readonly declaresEffects?: boolean;
  /** The words that search uses, for a tool whose description and schema are read only when they are needed. */
  readonly card?: { readonly description: string; readonly parameters: readonly string[] };
}

/** Not generic: the typed arguments stay inside `prepare`, so a registry of tools needs no `any`. */
export interface Tool extends ToolHeader {
  /**
   * For a tool whose code is not loaded and whose own `check` or `refine` is needed: returns the tool with its code.
   * May reject.
   */
  readonly load?: () => Promise<Tool>;
  readonly check?: AvailabilityCheck;
  /** The tool as this catalog shows it. The same view always gives the same tool. */
  readonly refine?: (view: CatalogView) => Tool;
  /** Validates arguments that were read and coerced before. Never throws, never rejects, has no effect. */
  prepare(args: JsonObject): Result<PreparedCall, ToolFailure> | Promise<Result<PreparedCall, ToolFailure>>;
}

export interface PreparedCall {
  /** Arguments after validation, with defaults. */
  readonly args: JsonObject;
  /** The tool's own time limit for these arguments, if it has one. */
  readonly timeoutMs: number | undefined;
  /**
   * May throw the author's errors; the dispatcher then treats the effects as unknown. A plugin's process responds
   * later.
   */
  effects(place: Place): readonly Effect[] | Promise<readonly Effect[]>;
  /** May throw or reject; then there is no failure. */
  refuses?(ctx: WideContext): Promise<ToolFailure | undefined>;
  /** May reject. */
  readonly preview?: (ctx: Partial<Services> & Pick<CallContext, "effects" | "signal">) => Promise<string | undefined>;
  /** May throw or reject; the dispatcher turns that into a failure. */
  run(ctx: WideContext): Promise<ToolResult>;
}
