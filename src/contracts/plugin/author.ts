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
  /** Tools that replace the built-in tool with the same name, if the operator allows it (`allow_tool_override`). */
  readonly overrides?: readonly string[];
  /** Runs once in each process of the plugin, before its contributions are used. */
  setup(host: PluginHost): PluginParts | Promise<PluginParts>;
}

/** Services that Hermes offers to a plugin. */
export interface PluginHost {
  /** The key of the plugin: `name`, or `category/folder`. */
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
  /** The plugin's options: `plugins.entries.<name>.options` in the settings. */
  readonly options: JsonObject;
  /**
   * Calls a tool of the session, subject to hooks, policy and audit. Inside a call, hook or command, it uses that
   * session; other code passes a session. `permissions.tools` must list the tool. Never rejects: check `ok`.
   */
  callTool(name: string, args: JsonObject, options?: HostCallOptions): Promise<ToolResult>;
  /** Calls a model with the user's credentials and budget. Rejects if no model answers or a permission is missing. */
  complete(request: CompletionParams, options?: Pick<HostCallOptions, "signal">): Promise<CompletionResult>;
  /** Sends a message to the session as if the user had typed it. Returns false if no session accepts it now. */
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
  /** Hooks by name, or a list of `defineHook(…)` results if a hook has options or several callbacks. */
  readonly hooks?: PluginHooks | readonly PluginHook[];
  readonly middleware?: Middleware;
  /** Slash commands. */
  readonly commands?: readonly PluginCommand[];
  /** Commands of the command line: `hermes NAME …`. */
  readonly cliCommands?: readonly PluginCliCommand[];
  readonly providers?: readonly PluginProvider[];
  readonly environments?: readonly PluginEnvironment[];
  readonly platforms?: readonly PluginPlatform[];
  readonly policies?: readonly PolicySource[];
  /** Skills, shown as `plugin:name`. `path` is the folder or SKILL.md, relative to the plugin's folder. */
  readonly skills?: readonly { readonly name: string; readonly path: string; readonly description?: string }[];
  readonly promptSections?: readonly PluginPromptSection[];
  readonly contextEngines?: readonly ContextEngine[];
  readonly memoryProviders?: readonly MemoryProvider[];
  readonly secretSources?: readonly PluginSecretSource[];
  /** Services that implement a feature: search engines, voices, image models … */
  readonly backends?: readonly PluginBackend[];
  readonly auxiliaryTasks?: readonly PluginAuxiliaryTask[];
  /** Elements of the full-screen chat: status segments, keys, panels, dialogs. */
  readonly ui?: PluginUi;
  /** Runs when the plugin is unloaded or its process is idle. */
  readonly dispose?: () => void | Promise<void>;
}

// ── hooks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A hook name of Hermes, or one of the Python version. A callback with a Python name gets the arguments and returns the
 * answers of that version.
 */
export type PluginHookName = HookName | OriginalHookName | keyof typeof hookAliases;

/** The type of the callback of a hook, by hook name. */
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
  /**
   * For `beforeToolCall` only: if true, a crash, a timeout or a malformed answer blocks the call. Default: the failure
   * is reported and the hook is skipped.
   */
  readonly policy?: boolean;
  readonly timeoutMs?: number;
}

/** One hook with its options, created by `defineHook`. */
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
  /** Runs the command. `args` is everything after the name. The reply is Markdown. */
  run(args: string, ctx: PluginCommandContext): PluginReply | Promise<PluginReply>;
}

export type PluginReply = string | Omit<CommandReply, "effect"> | undefined | void;

export interface PluginCommandContext {
  readonly signal: AbortSignal;
  /** The session of the chat. Undefined if no session exists yet. */
  readonly sessionId?: string;
}

/** A command of the command line: `hermes NAME …`. */
export interface PluginCliCommand {
  readonly name: string;
  readonly summary: string;
  /** The arguments that `--help` shows after the name. */
  readonly usage?: string;
  /** Runs the command and returns the exit code; undefined means 0. Output of `console.log` is shown too. */
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
  /** The protocol of the endpoint. Default: `chat_completions`. */
  readonly apiMode?: string;
  readonly envVars?: readonly string[];
  readonly baseUrl?: string;
  readonly modelsUrl?: string;
  readonly authType?: string;
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** More fields of a provider profile, named as in the Python version. */
  readonly fields?: JsonObject;
  readonly hooks?: PluginProviderHooks;
  /** Answers a request. The last event is `finish` or `error`. */
  stream?(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
}

type Awaitable<T> = T | Promise<T>;

/**
 * Functions of a provider profile, named as in the Python version. Its keyword arguments are passed as one object. A
 * function that fails also fails the request.
 */
export interface PluginProviderHooks {
  /** Changes the messages of a request before they are sent. */
  readonly prepare_messages?: (messages: readonly JsonObject[]) => Awaitable<readonly JsonObject[]>;
  /** Returns additional fields for the request body. */
  readonly build_extra_body?: (context: PluginProviderContext) => Awaitable<JsonObject>;
  /**
   * Returns more fields for the request body. Runs after `build_extra_body`. The pair `[extra_body, fields]` of the
   * Python version is accepted too.
   */
  readonly build_api_kwargs_extras?: (
    context: PluginProviderContext,
  ) => Awaitable<JsonObject | readonly [JsonObject, JsonObject]>;
  readonly get_max_tokens?: (model: string) => Awaitable<number | null>;
  /** Returns the reasoning efforts that the model supports, or null if they are unknown. */
  readonly supported_reasoning_efforts?: (model: string) => Awaitable<readonly string[] | null>;
  /**
   * Returns the names of the models, or null for those in `fields.fallback_models`. `timeout` is in seconds. Needs the
   * host under `net`.
   */
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
  /** Runs `sh -c script` in the environment and returns its exit code. Rejects if the environment is not reachable. */
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
  /** The id of the section: lower-case letters, digits, `.`, `_`, `-`. */
  readonly id: string;
  /** The position in the prompt. Default: `after_memory`. */
  readonly position?: string;
  readonly maxChars?: number;
  readonly content: string | ((info: JsonObject, signal: AbortSignal) => string | Promise<string>);
}

/** Supplies values of environment variables from another source, such as a password manager. */
export interface PluginSecretSource {
  readonly name: string;
  /** Returns the values that the source has, by variable name. */
  fetch(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

/**
 * A service that implements a feature and that the settings choose by name. docs/guide/plugins.md describes the input
 * and result of each kind.
 */
export interface PluginBackend {
  readonly kind: BackendKind;
  readonly name: string;
  readonly title?: string;
  /** Returns whether the service can be used. Default: true. */
  isAvailable?(signal: AbortSignal): boolean | Promise<boolean>;
  /** Runs the service. An error message is shown to the user. */
  run(input: JsonObject, signal: AbortSignal): JsonValue | Promise<JsonValue>;
}

/** A model slot that the settings can fill: `auxiliary.<key>`. */
export interface PluginAuxiliaryTask {
  readonly key: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly defaults?: JsonObject;
}

// ── definitions: functions that give their argument a type, so that editors can complete it ──────────────────────────

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
