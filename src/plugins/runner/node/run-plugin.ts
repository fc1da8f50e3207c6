import { Socket } from "node:net";
import { pathToFileURL } from "node:url";

import { trySleep } from "../../../base/async/abort.ts";
import { once } from "../../../base/async/once.ts";
import { systemClock } from "../../../base/clock.ts";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../../base/result.ts";
import { createRpcConnection, type IncomingRequest, rpcCodes, type RpcError } from "../../../base/rpc/json-rpc.ts";
import type { HookParams, LoadParams } from "../../../contracts/plugin/wire.ts";
import { authorEntryUrl } from "../../sources/runner-files.ts";
import { forwardNetwork } from "./forward-network.ts";
import { hookModules } from "./module-hooks.ts";
import { describeFailure } from "./plugin-failure.ts";
import { type HostPort, type ServedPlugin, servePlugin } from "./serve-plugin.ts";
import { watchFiles, watchPrograms } from "./watch-refusals.ts";

/**
 * The process of one TypeScript plugin. It implements `contracts/plugin/wire.ts` on file descriptor 3 and ends when
 * that connection ends. The plugin prints to standard output and error, which the host reads as the plugin's log.
 */
export function runPlugin(): void {
  // All reads share one buffer. A stream queue would take a large part of the time of a short call.
  const onread = {
    buffer: Buffer.allocUnsafeSlow(readBytes),
    callback(size: number, bytes: Uint8Array) {
      connection.receive(Buffer.from(bytes.buffer, bytes.byteOffset, size));
      return true;
    },
  };
  const socket = new Socket({ fd: 3, readable: true, writable: true, allowHalfOpen: true, onread });
  const connection = createRpcConnection(
    {
      onRequest: respond,
      onNotification(method, params) {
        if (method === "hook.notify") notice(params["events"] as readonly HookParams[]);
        if (method === "$cancel") connection.cancelHandler(params["id"] as number);
      },
      cancellation: (id) => ({ method: "$cancel", params: { id } }),
    },
    { send: (line) => socket.write(bounded(line)), clock: systemClock },
  );
  const port: HostPort = {
    async request(method, params, signal) {
      // The cast is safe: the members of the contract are JSON.
      const outcome = await connection.request(method, params as unknown as JsonObject, signal ? { signal } : {});
      if (outcome.ok) return outcome.value;
      throw new Error(outcome.error.kind === "refused" ? outcome.error.message : `${method}: ${outcome.error.kind}`);
    },
    notify: (method, params) => connection.notify(method, params),
  };
  let plugin: Pick<LoadParams, "key" | "folder"> = { key: "plugin", folder: "" };
  let loading: Promise<ServedPlugin> | undefined;
  let served: ServedPlugin | undefined;
  const observing = new Set<Promise<void>>();

  async function respond({ method, params, signal }: IncomingRequest): Promise<Result<JsonValue, RpcError>> {
    try {
      // Only the host sends requests, and they follow the contract. The first call may arrive directly after `load`.
      if (method === "load") loading ??= load(params as unknown as LoadParams);
      if (!loading) throw new Error("the plugin is not loaded");
      served = await loading;
      if (method === "load") return ok(served.registration as unknown as JsonValue);
      if (method === "cli.run") routeOnce();
      const result = await served.handle(method as "tool.run", params as never, signal);
      return ok((result ?? null) as JsonValue);
    } catch (thrown) {
      return err({ code: rpcCodes.internalError, message: reasonOf(thrown) });
    }
  }

  function load(params: LoadParams): Promise<ServedPlugin> {
    plugin = params;
    const { proxySocket } = params;
    const onNetwork = proxySocket === undefined ? undefined : forwardNetwork(proxySocket, report("the network"));
    const modules = hookModules({
      folder: params.folder,
      sources: params.sources ?? {},
      authorEntry: authorEntryUrl(),
      onFiles: once(() => watchFiles(params, (refusal) => port.notify("denied", refusal))),
      onPrograms: once(() => watchPrograms(params, (refusal) => port.notify("denied", refusal))),
      ...(onNetwork && { onNetwork }),
    });
    return servePlugin(() => modules.importEntry(pathToFileURL(params.entry).href), params, port);
  }

  async function finish(): Promise<void> {
    const { signal } = new AbortController();
    const last = Promise.all(observing).then(() => served?.[Symbol.asyncDispose]());
    await Promise.race([last.catch(report("dispose")), trySleep(maxFinishMs, signal, systemClock)]);
    process.exit(0);
  }

  function notice(events: readonly HookParams[]): void {
    const observed = observe(events).finally(() => observing.delete(observed));
    observing.add(observed);
  }

  async function observe(events: readonly HookParams[]): Promise<void> {
    // A failure is ignored here, because the response to `load` reports it.
    const loaded = await loading?.catch(() => undefined);
    await loaded?.observe(events);
  }

  const routeOnce = once(() => routePrints((text, isError) => served?.print(text, isError) === true));

  function report(what: string): (thrown: unknown) => void {
    return (thrown) => port.notify("log", { level: "error", message: describeFailure(what, thrown, plugin) });
  }

  // An uncaught error ends the process, which runs only this plugin.
  process.on("unhandledRejection", report("an unhandled promise rejection"));
  process.on("uncaughtException", report("a callback"));
  socket.on("error", () => process.exit(0));
  // The end of the stream means that Hermes has sent its last message.
  socket.on("end", () => void finish());
}

const readBytes = 64 * 2 ** 10;
/** The maximum time for finishing. The host kills the process after 2 s. */
const maxFinishMs = 1_500;
/** The maximum length of a line, below the limit of the host: 16 MB. */
const maxLineChars = 15 * 2 ** 20;

/** Replaces a response that is too large for the host by an error that explains it. */
function bounded(line: string): string {
  if (line.length <= maxLineChars) return line;
  const [, id] = /^\{"jsonrpc":"2\.0","id":(\d+|"[^"]*"),"result"/u.exec(line) ?? [];
  const message = `the result has ${line.length >> 20} MB, but the limit is ${maxLineChars >> 20} MB`;
  if (id === undefined) return "";
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${rpcCodes.internalError},"message":${JSON.stringify(message)}}}\n`;
}

/**
 * While a `hermes NAME` command runs, printed text is its output; otherwise printed text goes to the log. Opening the
 * streams takes time, so they are opened before the first such command.
 */
function routePrints(print: (text: string, isError: boolean) => boolean): void {
  for (const [stream, isError] of [
    [process.stdout, false],
    [process.stderr, true],
  ] as const) {
    const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean;
    stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      if (!print(text, isError)) return write(chunk, ...rest);
      const done = rest.findLast((one) => typeof one === "function") as (() => void) | undefined;
      done?.();
      return true;
    };
  }
}
