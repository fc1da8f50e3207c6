import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import type { CommandReply } from "../host/command.ts";
import type {
  hookAliases,
  HookName,
  InterceptedName,
  Interceptor,
  ObservedName,
  Observer,
  OriginalHookName,
} from "../host/hook.ts";
import type { Middleware } from "../host/middleware.ts";
import type { PlatformAdapter } from "../host/platform.ts";
import type { MemoryProvider } from "../knowledge/memory.ts";
import type { ContextEngine } from "../model/context.ts";
import type { AttemptEvent, ModelRequest } from "../model/model.ts";
import type { PolicySource } from "../safety/approval.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { Tool } from "../tool/tool.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { BackendKind } from "./backend.ts";
import type { PluginUi } from "./ui.ts";
import type { CompletionParams, CompletionResult } from "./wire.ts";

/** The default export of a TypeScript plugin. Name, version and permissions are in `plugin.yaml`. */
export interface Plugin {
  /** Tools with the name of a built-in tool that they replace, if the operator allows it (`allow_tool_override`). */
  readonly overrides?: readonly string[];
  /** Runs once in each process of the plugin, before anything else. */
  setup(host: PluginHost): PluginParts | Promise<PluginParts>;
}

/** Services of Hermes for a plugin. */
export interface PluginHost {
  /** `name`, or `category/folder`. */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  /** The plugin's folder, for data files that it ships. Read-only. */
  readonly folder: string;
  /** A folder for the plugin's own files. They survive updates. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Values of the variables in `requires_env`. */
  readonly secrets: Readonly<Record<string, string>>;
  /** `plugins.entries.<name>.options` of the settings. */
  readonly options: JsonObject;
  /**
   * Calls a tool of the session, with hooks, policy and audit. A call, hook or command uses its own session; other code
   * passes a session. `permissions.tools` must list the tool. Never rejects: check `ok`.
   */
  callTool(name: string, args: JsonObject, options?: HostCallOptions): Promise<ToolResult>;
  /** Calls a model with the user's credentials and budget. Rejects if no model answers or a grant is missing. */
  complete(request: CompletionParams, options?: Pick<HostCallOptions, "signal">): Promise<CompletionResult>;
  /** Sends a message to the session as if the user had typed it. False: no session accepts it now. */
  injectMessage(content: string, options?: HostCallOptions & { readonly role?: string }): Promise<boolean>;
  /** The child agents of the session, running and ended: `id`, `goal`, `state`, `sessionId`, calls, tokens, cost. */
  subagents(options?: HostCallOptions): Promise<JsonValue>;
  /** The settings without secrets. */
  config(): Promise<JsonObject>;
}

export interface HostCallOptions {
  readonly sessionId?: string;
  readonly signal?: AbortSignal;
}

/** Everything that a plugin can contribute. */
export interface PluginParts {
  readonly tools?: readonly Tool[];
  readonly toolsets?: readonly Toolset[];
  /** Hooks by name, or a list of `defineHook` for options or several hooks of one name. */
  readonly hooks?: PluginHooks | readonly PluginHook[];
  readonly middleware?: Middleware;
  /** Slash commands. */
  readonly commands?: readonly PluginCommand[];
  /** `hermes NAME …`. */
  readonly cliCommands?: readonly PluginCliCommand[];
  readonly providers?: readonly PluginProvider[];
  readonly environments?: readonly PluginEnvironment[];
  readonly platforms?: readonly PluginPlatform[];
  readonly policies?: readonly PolicySource[];
  /** Shown as `plugin:name`. `path`: the folder or SKILL.md, relative to the plugin's folder. */
  readonly skills?: readonly { readonly name: string; readonly path: string; readonly description?: string }[];
  readonly promptSections?: readonly PluginPromptSection[];
  readonly contextEngines?: readonly ContextEngine[];
  readonly memoryProviders?: readonly MemoryProvider[];
  readonly secretSources?: readonly PluginSecretSource[];
  /** Services behind features: search engines, voices, image models … */
  readonly backends?: readonly PluginBackend[];
  readonly auxiliaryTasks?: readonly PluginAuxiliaryTask[];
  /** Parts of the full screen: status segments, keys, panels, dialogs. */
  readonly ui?: PluginUi;
  /** Runs when the plugin is unloaded or its process is idle. */
  readonly dispose?: () => void | Promise<void>;
}

// ── hooks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Our name, or a name of the Python version; such a callback gets the arguments and answers of that version. */
export type PluginHookName = HookName | OriginalHookName | keyof typeof hookAliases;

/** The callback of a hook by its name. */
export type HookCallback<K extends PluginHookName> = K extends ObservedName
  ? Observer<K>
  : K extends InterceptedName
    ? Interceptor<K>
    : OriginalHookCallback;

export type OriginalHookCallback = (
  args: Readonly<Record<string, JsonValue>>,
  signal: AbortSignal,
) => JsonValue | undefined | void | Promise<JsonValue | undefined | void>;

export type PluginHooks = { readonly [K in PluginHookName]?: HookCallback<K> };

export interface PluginHookOptions {
  /** `beforeToolCall` only: a crash, a timeout or a malformed answer blocks the call. Default: it is skipped and reported. */
  readonly policy?: boolean;
  readonly timeoutMs?: number;
}

/** One hook with its options, made by `defineHook`. */
export interface PluginHook extends PluginHookOptions {
  readonly name: PluginHookName;
  readonly run: (event: never, signal: AbortSignal) => unknown;
}

// ── commands ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A slash command. */
export interface PluginCommand {
  /** The name without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The arguments as help shows them: `[city]`. */
  readonly args?: string;
  /** `args`: everything after the name. The reply is Markdown. */
  run(args: string, ctx: PluginCommandContext): PluginReply | Promise<PluginReply>;
}

export type PluginReply = string | Omit<CommandReply, "effect"> | undefined | void;

export interface PluginCommandContext {
  readonly signal: AbortSignal;
  /** Undefined: there is no session yet. */
  readonly sessionId?: string;
}

/** A command of the command line: `hermes NAME …`. */
export interface PluginCliCommand {
  readonly name: string;
  readonly summary: string;
  /** Shown by `--help` after the name. */
  readonly usage?: string;
  /** Returns the exit code; undefined means 0. Output of `console.log` is shown too. */
  run(args: readonly string[], ctx: PluginCliContext): number | void | Promise<number | void>;
}

export interface PluginCliContext {
  readonly signal: AbortSignal;
  /** Width of the terminal. */
  readonly columns: number;
  print(text: string): void;
  printError(text: string): void;
}

// ── other parts ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A model provider: either an endpoint that uses a protocol (`apiMode`), or one that answers requests itself
 * (`stream`).
 */
export interface PluginProvider {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly displayName?: string;
  readonly description?: string;
  readonly signupUrl?: string;
  /** Default: `chat_completions`. */
  readonly apiMode?: string;
  readonly envVars?: readonly string[];
  readonly baseUrl?: string;
  readonly modelsUrl?: string;
  readonly authType?: string;
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** More fields of a provider profile, by the original's names. */
  readonly fields?: JsonObject;
  readonly hooks?: PluginProviderHooks;
  /** Answers a request. The last event is `finish` or `error`. */
  stream?(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
}

type Awaitable<T> = T | Promise<T>;

/**
 * Functions of a provider profile, by the original's names. The original's keyword arguments are passed as one object.
 * A function that fails also fails the request.
 */
export interface PluginProviderHooks {
  /** Changes the messages of a request before they are sent. */
  readonly prepare_messages?: (messages: readonly JsonObject[]) => Awaitable<readonly JsonObject[]>;
  /** More fields of the body. */
  readonly build_extra_body?: (context: PluginProviderContext) => Awaitable<JsonObject>;
  /** Runs after it with the same purpose; `[extra_body, fields]` as in the original works too. */
  readonly build_api_kwargs_extras?: (
    context: PluginProviderContext,
  ) => Awaitable<JsonObject | readonly [JsonObject, JsonObject]>;
  readonly get_max_tokens?: (model: string) => Awaitable<number | null>;
  /** Null: not known. */
  readonly supported_reasoning_efforts?: (model: string) => Awaitable<readonly string[] | null>;
  /** Names of the models. Null: those of `fields.fallback_models`. `timeout` is in seconds. Needs the host under `net`. */
  readonly fetch_models?: (key: {
    readonly api_key: string | null;
    readonly timeout: number;
  }) => Awaitable<readonly string[] | null>;
}

export interface PluginProviderContext {
  readonly session_id: string | null;
  readonly model: string;
  readonly base_url: string;
  readonly reasoning_config: JsonObject | null;
}

/** An environment for commands, selected by `terminal.backend: plugin` and `terminal.plugin_environment: NAME`. */
export interface PluginEnvironment {
  readonly name: string;
  /** Runs `sh -c script` there and returns its exit code. Rejects if the environment is not reachable. */
  run(script: string, streams: PluginScriptStreams): Promise<number>;
}

export interface PluginScriptStreams {
  readonly stdin: Uint8Array;
  readonly signal: AbortSignal;
  writeOutput(chunk: Uint8Array | string): void;
  writeError(chunk: Uint8Array | string): void;
}

export type PluginPlatform = PlatformAdapter & { readonly label?: string; readonly requiredEnv?: readonly string[] };

/** A part of the system prompt, at most 4,000 characters. */
export interface PluginPromptSection {
  /** Lower-case letters, digits, `.`, `_`, `-`. */
  readonly id: string;
  /** Default: `after_memory`. */
  readonly position?: string;
  readonly maxChars?: number;
  readonly content: string | ((info: JsonObject, signal: AbortSignal) => string | Promise<string>);
}

/** Supplies values of environment variables from elsewhere. */
export interface PluginSecretSource {
  readonly name: string;
  /** The values that it has, by name. */
  fetch(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

/** A service behind a feature, chosen by its name in the settings. Input and result of each kind: docs/guide/plugins.md. */
export interface PluginBackend {
  readonly kind: BackendKind;
  readonly name: string;
  readonly title?: string;
  /** Default: yes. */
  isAvailable?(signal: AbortSignal): boolean | Promise<boolean>;
  /** Throws with a message for the person. */
  run(input: JsonObject, signal: AbortSignal): JsonValue | Promise<JsonValue>;
}

/** A model slot that the settings can fill: `auxiliary.<key>`. */
export interface PluginAuxiliaryTask {
  readonly key: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly defaults?: JsonObject;
}

// ── definitions, which type their argument so that editors can help ─────────────────────────────────────────────────

/** `export default definePlugin({ setup(host) { return { tools: [...] }; } })` */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}

export function defineCommand(command: PluginCommand): PluginCommand {
  return command;
}

export function defineCliCommand(command: PluginCliCommand): PluginCliCommand {
  return command;
}

/** `defineHook("beforeToolCall", ({ call }) => …, { policy: true })` */
export function defineHook<const K extends PluginHookName>(
  name: K,
  run: HookCallback<K>,
  options: PluginHookOptions = {},
): PluginHook {
  return { name, run, ...options };
}
