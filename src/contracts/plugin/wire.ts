import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { Permissions } from "./manifest.ts";
import type { PluginRegistration } from "./registration.ts";

/**
 * The protocol between Hermes and the process of a plugin: JSON-RPC 2.0, one message per line, on descriptor 3 of the
 * process, in both directions. Both runners (Node and Python) implement it. Standard output and error of the process
 * are its log. `$cancel` (notification, both directions): the sender no longer waits for the request `id`; the receiver
 * stops the work and still responds. When descriptor 3 ends, the process finishes what it has read, and exits.
 */

/**
 * Requests from Hermes to the plugin's process, with the parameters and result of each. The first request is `load`.
 */
export interface PluginRequests {
  /** Imports the code and runs its registration. Every process does this once, before all other requests. */
  load: { params: LoadParams; result: PluginRegistration };
  "tool.run": { params: ToolRunParams; result: ToolResult };
  /** Returns whether the tool can be used now. */
  "tool.check": { params: { name: string }; result: boolean };
  /** Returns the effects of this call. They must be covered by the permissions. */
  "tool.effects": { params: { name: string; args: JsonObject; cwd: string }; result: JsonValue[] };
  /**
   * Calls a hook. `args` are the keyword arguments of the Python version if the hook was registered under its Python
   * name, otherwise the typed event.
   */
  "hook.run": { params: HookParams; result: JsonValue };
  /**
   * Calls a middleware. `token` identifies the call for `next`. TypeScript: the payload is the first argument of
   * `Middleware`, and `next` gets `args` or `request`.
   */
  "middleware.run": { params: { id: string; kind: string; payload: JsonObject; token: string }; result: JsonValue };
  "command.run": { params: { name: string; args: string; sessionId?: string }; result: JsonValue };
  /** Runs a command. Its output arrives as `print` notifications. Result: the exit code. */
  "cli.run": { params: { name: string; args: string[]; columns: number }; result: number };
  "section.render": { params: { id: string; info: JsonObject }; result: string };
  /**
   * Calls one method of an object that the plugin registered: a provider profile, memory provider, context engine,
   * secret source, platform or policy.
   */
  "object.call": { params: { id: string; method: string; args: JsonValue[]; kwargs: JsonObject }; result: JsonValue };
  /**
   * Streams items as `object.item` notifications until the request is answered: messages of a platform, or a model's
   * answer.
   */
  "object.stream": { params: { id: string; method: string; args: JsonValue[]; stream: string }; result: JsonValue };
}

/** Notifications of Hermes to the process. */
export interface PluginNotifications {
  /** Events for observers, which return no answer. One line can contain several events. */
  "hook.notify": { events: HookParams[] };
  $cancel: { id: string | number };
}

/** Requests of the process to Hermes. */
export interface HostRequests {
  /**
   * Calls a tool through the dispatcher. `callId` is the tool call that makes this nested call; without it, the session
   * is used.
   */
  "host.callTool": {
    params: { name: string; args: JsonObject; callId?: string; sessionId?: string };
    result: ToolResult;
  };
  "host.complete": { params: CompletionParams; result: CompletionResult };
  "host.injectMessage": { params: { content: string; role: string; sessionId?: string }; result: boolean };
  "host.subagents": { params: { sessionId?: string }; result: JsonValue };
  /** Returns the settings without secrets, in the format of the Python version's `load_config`. */
  "host.config": { params: Record<string, never>; result: JsonObject };
  /** Runs the rest of the call that a middleware wraps. A second request with the same token is an error. */
  next: { params: { token: string; payload?: JsonObject }; result: JsonValue };
}

/** Notifications of the process to Hermes. */
export interface HostNotifications {
  log: { level: "debug" | "info" | "warn" | "error"; message: string };
  /** Output of a `hermes NAME` command. */
  print: { text: string; isError: boolean };
  /**
   * Reports an access that the sandbox refused, for a message to the user. The sandbox itself enforces the permissions.
   */
  denied: { permission: "read" | "write" | "net" | "env" | "exec"; target: string };
  "object.item": { stream: string; item: JsonValue };
  /** Reports the progress of a tool call in one line, for people who are watching. Never stored. */
  progress: { callId: string; note: string };
  $cancel: { id: string | number };
}

export interface LoadParams {
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly folder: string;
  /** The entry point of the code; see `FoundPlugin.entry`. */
  readonly entry: string;
  readonly dataDir: string;
  /** The path of the Hermes home, for programs that need it. Only files covered by the permissions are visible. */
  readonly home: string;
  readonly profile: string;
  readonly options: JsonObject;
  /** The values of the environment variables that the plugin requires. They are in its environment too. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly isDebugging: boolean;
  /**
   * The plugin's TypeScript files, compiled to JavaScript, by absolute path. The host compiles and caches them
   * (`src/plugins/sources`).
   */
  readonly sources?: Readonly<Record<string, string>>;
  /**
   * The path of the filtering proxy's Unix socket inside the sandbox. Undefined: the process has no network. The runner
   * listens on a port of 127.0.0.1, forwards its connections to the socket, and sets http_proxy and https_proxy.
   */
  readonly proxySocket?: string;
  /**
   * The permissions that the sandbox of the process enforces, so that the process can report refused accesses.
   * Undefined: there is no sandbox.
   */
  readonly permissions?: Permissions;
}

export interface ToolRunParams {
  readonly name: string;
  readonly args: JsonObject;
  readonly call: CallFacts;
}

/**
 * Facts about the call that the Python version passes to a handler as keyword arguments: `task_id`, `session_id`,
 * `tool_call_id`, `turn_id`, …
 */
export interface CallFacts {
  readonly sessionId: string;
  readonly callId: string;
  readonly turnId?: string;
  readonly parentCallId?: string;
  readonly cwd: string;
}

export interface HookParams {
  readonly id: string;
  readonly args: JsonObject;
}

export interface CompletionParams {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly provider?: string;
  readonly model?: string;
  readonly task?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** The JSON Schema of a structured answer: the answer must match it. */
  readonly schema?: JsonObject;
  readonly purpose?: string;
  /** The session whose model and budget the request uses. Default: the most recently opened session. */
  readonly sessionId?: string;
}

export interface CompletionResult {
  readonly text: string;
  /** The answer as data, if a schema was given. */
  readonly data?: JsonValue;
  readonly provider: string;
  readonly model: string;
  readonly usage: { readonly input: number; readonly output: number; readonly costUsd?: number };
  /** The plugin and session that requested the completion, and why. */
  readonly audit: {
    readonly plugin: string;
    readonly session: string;
    readonly task: string;
    readonly purpose: string;
  };
}
