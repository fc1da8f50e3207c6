import { AsyncLocalStorage } from "node:async_hooks";

import { type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { LogFields, Logger, LogLevel } from "../../../base/log/log.ts";
import { err, reasonOf } from "../../../base/result.ts";
import type { PluginCliContext, PluginHost } from "../../../contracts/plugin/author.ts";
import type { PluginRegistration } from "../../../contracts/plugin/registration.ts";
import type {
  HookParams,
  HostNotifications,
  HostRequests,
  LoadParams,
  PluginRequests,
} from "../../../contracts/plugin/wire.ts";
import { fail } from "../../../contracts/tool/tool-result.ts";
import type { WideContext } from "../../../contracts/tool/tool.ts";
import { type Callable, pluginOf } from "./check-parts.ts";
import { callObject, streamObject } from "./object-calls.ts";
import { describeFailure } from "./plugin-failure.ts";
import { type RegisteredParts, registerParts } from "./register-parts.ts";

/** The connection from a plugin to Hermes, or a function in the same process that replaces it. */
export interface HostPort {
  /** Sends a request to the host. Rejects with the host's reason. */
  request<M extends keyof HostRequests>(
    method: M,
    params: HostRequests[M]["params"],
    signal?: AbortSignal,
  ): Promise<HostRequests[M]["result"]>;
  notify<M extends keyof HostNotifications>(method: M, params: HostNotifications[M]): void;
}

/** A loaded plugin. Used in both modes: in its own process, and in Hermes' process. */
export interface ServedPlugin extends AsyncDisposable {
  readonly registration: PluginRegistration;
  /** Runs a request. Rejects with an error for the user that names plugin, file and line. */
  handle<M extends Exclude<keyof PluginRequests, "load">>(
    method: M,
    params: PluginRequests[M]["params"],
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Runs observer hooks. Never rejects. */
  observe(events: readonly HookParams[]): Promise<void>;
  /** Prints text as output of the running `hermes NAME` command. Returns false if none is running. */
  print(text: string, isError: boolean): boolean;
}

/** The part that runs now, so that its requests to the host are assigned to the right session. */
interface Scope {
  readonly callId?: string;
  readonly sessionId?: string;
  readonly print?: PluginCliContext["print"];
  readonly printError?: PluginCliContext["print"];
}

/** Runs the registration of a plugin. Rejects with an error for the user. */
export async function servePlugin(
  importModule: () => Promise<Readonly<Record<string, unknown>>>,
  load: LoadParams,
  port: HostPort,
): Promise<ServedPlugin> {
  const scopes = new AsyncLocalStorage<Scope>();
  const failed = (what: string, thrown: unknown) => new Error(describeFailure(what, thrown, load));
  const log = createPortLog(port);
  const host = createHost(load, port, log, () => scopes.getStore() ?? {});

  const module = await importModule().catch((thrown: unknown) => {
    throw failed("loading", thrown);
  });
  let parts: RegisteredParts;
  let dispose: (() => void | Promise<void>) | undefined;
  try {
    const plugin = pluginOf(module, load.entry);
    const given = await plugin.setup(host);
    parts = await registerParts(plugin, given, load);
    ({ dispose } = given);
  } catch (thrown) {
    throw failed("setup", thrown);
  }

  /** The cast is safe: only Hermes sends requests, and they have the members of the contract. */
  const handlers: {
    readonly [M in Exclude<keyof PluginRequests, "load">]: (
      params: PluginRequests[M]["params"],
      signal: AbortSignal,
    ) => unknown;
  } = {
    async "tool.run"({ name, args, call }, signal) {
      const prepared = await partOf(parts.tools, name, "tool").prepare(args);
      if (!prepared.ok) return prepared;
      const { callId, sessionId } = call;
      const context = {
        ...call,
        signal,
        log,
        progress: (note: string) => port.notify("progress", { callId, note }),
        secrets: load.secrets,
        call: (tool: string, toolArgs: JsonObject) => host.callTool(tool, toolArgs, { signal }),
      };
      // The cast is safe: the registration has checked the names in `needs`.
      const wide = context as unknown as WideContext;
      const { value: tool } = prepared;
      const run = async () => {
        const failure = tool.refuses && (await tool.refuses(wide).catch(() => undefined));
        return failure ? err(failure) : tool.run(wide);
      };
      return scopes.run({ callId, sessionId }, run);
    },
    async "tool.check"({ name }, signal) {
      const { check } = partOf(parts.tools, name, "tool");
      return check === undefined || (await check(signal));
    },
    async "tool.effects"({ name, args, cwd }) {
      const prepared = await partOf(parts.tools, name, "tool").prepare(args);
      return prepared.ok ? prepared.value.effects({ cwd, backend: "" }) : [];
    },
    "hook.run": (params, signal) => runHook(params, signal),
    async "middleware.run"({ id, kind, payload, token }, signal) {
      const run = partOf(parts.middleware, id, "middleware");
      if (!kind.endsWith("_execution")) return scopes.run(scopeOf(payload), () => run(payload, signal));
      let isUsed = false;
      const next = (changed?: JsonValue): Promise<JsonValue> => {
        if (isUsed) throw new Error(`${partName(id)} called next() twice, but next() can be called only once`);
        isUsed = true;
        const field = kind === "tool_execution" ? "args" : "request";
        return port.request("next", { token, ...(changed !== undefined && { payload: { [field]: changed } }) }, signal);
      };
      return scopes.run(scopeOf(payload), () => run(payload, next, signal));
    },
    async "command.run"({ name, args, sessionId }, signal) {
      const session = sessionId === undefined ? {} : { sessionId };
      const command = partOf(parts.commands, name, "command");
      const reply = await scopes.run(session, () => command.run(args, { signal, ...session }));
      return typeof reply === "string" || reply === undefined ? { text: reply ?? "" } : reply;
    },
    async "cli.run"({ name, args, columns }, signal) {
      const printTo = (isError: boolean) => (text: unknown) => port.notify("print", { text: String(text), isError });
      const [print, printError] = [printTo(false), printTo(true)];
      const command = partOf(parts.cliCommands, name, "command");
      const run = () => command.run(args, { signal, columns, print, printError });
      return (await scopes.run({ print, printError }, run)) ?? 0;
    },
    async "section.render"({ id, info }, signal) {
      const { content } = partOf(parts.sections, id, "prompt section");
      return typeof content === "string" ? content : content(info, signal);
    },
    "object.call": ({ id, method, args, kwargs }, signal) =>
      callObject(partOf(parts.objects, id, "object"), method, args, kwargs, signal),
    "object.stream": ({ id, method, args, stream }, signal) =>
      streamObject(partOf(parts.objects, id, "object"), method, args, signal, (item) =>
        port.notify("object.item", { stream, item }),
      ),
  };

  async function runHook({ id, args }: HookParams, signal: AbortSignal): Promise<unknown> {
    return scopes.run(scopeOf(args), () => partOf(parts.hooks, id, "hook")(args, signal));
  }

  return {
    registration: parts.registration,
    async handle(method, params, signal) {
      try {
        const handler = handlers[method] as Callable | undefined;
        if (!handler) throw new Error("this version of Hermes does not support it");
        return await handler(params, signal);
      } catch (thrown) {
        const label = labelOf(method, params);
        if (method !== "tool.run" || signal.aborted) throw failed(label, thrown);
        return fail(describeFailure(label, thrown, load), "crashed", { effect: "unknown" });
      }
    },
    async observe(events) {
      const { signal } = new AbortController();
      const run = async (event: HookParams): Promise<void> => {
        try {
          await runHook(event, signal);
        } catch (thrown) {
          port.notify("log", { level: "error", message: describeFailure(`hook ${partName(event.id)}`, thrown, load) });
        }
      };
      await Promise.all(events.map(run));
    },
    print(text, isError) {
      const { print, printError } = scopes.getStore() ?? {};
      const write = isError ? printError : print;
      write?.(text);
      return write !== undefined;
    },
    async [Symbol.asyncDispose]() {
      await dispose?.();
    },
  };
}

function createHost(load: LoadParams, port: HostPort, log: Logger, scope: () => Scope): PluginHost {
  const session = (given?: string) => {
    const sessionId = given ?? scope().sessionId;
    return sessionId === undefined ? {} : { sessionId };
  };
  return {
    key: load.key,
    name: load.name,
    version: load.version,
    folder: load.folder,
    dataDir: load.dataDir,
    log,
    secrets: load.secrets,
    options: load.options,
    async callTool(name, args, { sessionId, signal } = {}) {
      const { callId } = scope();
      const inside = callId === undefined || sessionId !== undefined ? {} : { callId };
      try {
        return await port.request("host.callTool", { name, args, ...inside, ...session(sessionId) }, signal);
      } catch (thrown) {
        return fail(reasonOf(thrown), signal?.aborted ? "aborted" : "failed");
      }
    },
    complete: (request, { signal } = {}) => port.request("host.complete", request, signal),
    injectMessage: (content, { role = "user", sessionId, signal } = {}) =>
      port.request("host.injectMessage", { content, role, ...session(sessionId) }, signal),
    subagents: ({ sessionId, signal } = {}) => port.request("host.subagents", session(sessionId), signal),
    config: () => port.request("host.config", {}),
  };
}

function createPortLog(port: HostPort, given: LogFields = {}): Logger {
  const logAt =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}): void => {
      const all = { ...given, ...fields };
      const details = Object.keys(all).length === 0 ? "" : ` ${JSON.stringify(all)}`;
      port.notify("log", { level, message: `${event}${details}` });
    };
  return {
    debug: logAt("debug"),
    info: logAt("info"),
    warn: logAt("warn"),
    error: logAt("error"),
    with: (fields) => createPortLog(port, { ...given, ...fields }),
  };
}

/** The ids of the session and call in an event, in camelCase or snake_case. */
function scopeOf(args: JsonObject): Scope {
  const sessionId = args["sessionId"] ?? args["session_id"];
  return typeof sessionId === "string" ? { sessionId } : {};
}

function partOf<T>(parts: ReadonlyMap<string, T>, name: string, kind: string): T {
  const part = parts.get(name);
  if (part === undefined) throw new Error(`the plugin has no ${kind} ${name} now`);
  return part;
}

/** The name of the part that failed, as the author writes it: `tool calculate`. */
function labelOf(method: string, params: object): string {
  const { name, id } = params as { readonly name?: unknown; readonly id?: unknown };
  const [kind = method] = method.split(".");
  const part = typeof name === "string" ? name : typeof id === "string" ? partName(id) : "";
  return `${kind} ${part}`.trim();
}

function partName(id: string): string {
  return id.split(":").slice(2).join(":") || id;
}
