import { trySleep } from "../../base/async/abort.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { connectStreams } from "../../base/rpc/connect-streams.ts";
import { type IncomingRequest, type RpcError, type RpcFailure, rpcCodes } from "../../base/rpc/json-rpc.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import type { AnswerPlugin, PluginFault, PluginRequestLimits, SerialisedEvent } from "../../contracts/plugin/client.ts";
import type { HostNotifications, HostRequests, LoadParams } from "../../contracts/plugin/wire.ts";
import { limitInput } from "./limit-input.ts";
import type { PluginLog } from "./plugin-log.ts";
import type { PluginProcess, RefusedAccess } from "./plugin-process.ts";
import { createRequestListeners } from "./request-listeners.ts";
import { watchData } from "./watch-data.ts";
import { watchUsage } from "./watch-usage.ts";

/** A running plugin process and the connection to it. */
export interface Connected {
  /** Sends `load` at the first call; later calls return the same answer. */
  load(params: Omit<LoadParams, "proxySocket">, timeoutMs: number): Promise<Result<unknown, PluginFault>>;
  request(method: string, params: JsonObject, limits: PluginRequestLimits): Promise<Result<unknown, PluginFault>>;
  notify(events: readonly SerialisedEvent[]): void;
  unsentBytes(): number;
  setKeepsAlive(keepsAlive: boolean): void;
  /** Resolves when the process has ended, with a message if it ended unexpectedly. */
  readonly ended: Promise<string | undefined>;
  /** Lets the process handle pending messages, then ends it. */
  finish(): Promise<void>;
  kill(): Promise<void>;
}

export interface ProcessConnectionDeps {
  readonly name: string;
  readonly answer: AnswerPlugin;
  readonly clock: Clock;
  readonly log: PluginLog;
  readonly refuse: (refusal: RefusedAccess) => void;
}

export function connectProcess(process: PluginProcess, deps: ProcessConnectionDeps): Connected {
  const { name, clock, log } = deps;
  const { channel } = process;
  const listeners = createRequestListeners();
  let pending = 0;
  let answering = 0;
  /** Why the process was ended; an empty string if it was intentional. */
  let cause: string | undefined;
  let loading: Promise<Result<unknown, PluginFault>> | undefined;

  async function cutOff(reason: string): Promise<void> {
    cause ??= reason;
    rpc.close();
    watches.dispose();
    await process.kill();
  }

  const rpc = connectStreams(
    { input: channel, output: channel },
    {
      onRequest,
      onNotification(method, params) {
        try {
          receive(method, params);
        } catch {
          void cutOff(`sent an unreadable message (${oneLine(method, 40)})`);
        }
      },
      onViolation: (reason) => void cutOff(reason),
      cancellation: (id) => ({ method: "$cancel", params: { id } }),
      onIgnoredCancel: { graceMs: cancelGraceMs, run: () => void cutOff("does not stop on request") },
      maxLineChars,
    },
    clock,
  );
  const floods = { maxCost: 4 * 2 ** 20, lineCost: 500, onFlood: () => void cutOff("floods Hermes with messages") };
  limitInput(channel, floods, clock);
  log.follow(process);
  const watches = new DisposableStack();
  const onExcess = (reason: string) => void cutOff(reason);
  const usage = watches.use(watchUsage(process, { clock, isIdle: () => pending === 0, onExcess }));
  const idleUsedMs = () => (pending === 0 ? usage.usedMs() : undefined);
  if (process.limits.data) watches.use(watchData(process.limits.data, { clock, onExcess, idleUsedMs }));
  // The process closed the connection. If it exits soon, its exit status gives a better reason.
  channel.once("close", () => void clock.after(exitWaitMs, () => void cutOff("closed its connection to Hermes")));

  async function onRequest({ method, params, signal }: IncomingRequest): Promise<Result<JsonValue, RpcError>> {
    if (!isHostRequest(method))
      return err({ code: rpcCodes.methodNotFound, message: `the method ${method} does not exist` });
    if (answering >= maxAnswering) return err({ code: rpcCodes.internalError, message: "too many requests at once" });
    answering += 1;
    try {
      const answered = await deps.answer(method, params, signal);
      // The cast is safe: results of the protocol are JSON.
      if (answered.ok) return ok(answered.value as unknown as JsonValue);
      return err({ code: refusedCode, message: answered.error });
    } finally {
      answering -= 1;
    }
  }

  /** Throws for values that cannot be converted to text, such as an object with its own `toString`. */
  function receive(method: string, params: Readonly<Record<string, unknown>>): void {
    switch (method) {
      case "$cancel": {
        const { id } = params;
        if (typeof id === "string" || typeof id === "number") rpc.cancelHandler(id);
        return;
      }
      case "log": {
        const level = levels.find((each) => each === params["level"]) ?? "info";
        return log.write(level, String(params["message"]));
      }
      case "denied":
        return deps.refuse({
          permission: String(params["permission"]) as RefusedAccess["permission"],
          target: String(params["target"]),
        });
      default:
        listeners.notify(method, params);
    }
  }

  function faultOf(failure: RpcFailure, method: string, timeoutMs: number): PluginFault {
    switch (failure.kind) {
      case "refused":
        return {
          kind: "failed",
          message: cut(failure.message, maxMessageChars) || `Plugin ${name} failed without a reason.`,
        };
      case "aborted":
        return { kind: "aborted", message: `The call to plugin ${name} was cancelled.` };
      case "timeout":
        return { kind: "timeout", message: `Plugin ${name} did not answer ${method} within ${timeoutMs / 1000} s.` };
      case "closed":
        return { kind: "crashed", message: "" };
    }
  }

  const ended = process.exited.then((exit) => {
    rpc.close();
    watches.dispose();
    channel.destroy();
    for (const stream of [process.stdout, process.stderr]) stream.destroy();
    return endText(exit.description);
  });

  function endText(exit: string): string | undefined {
    if (cause === "") return undefined;
    if (cause !== undefined) return `Plugin ${name} ${cause} and was ended.`;
    const lines = process.stderrTail().trim().split("\n");
    // Node prints a stack of addresses after its reason.
    const words = oneLine(lines.findLast((line) => line.startsWith("FATAL ERROR: ")) ?? lines.at(-1) ?? "", 200);
    return `Plugin ${name} ended unexpectedly (${exit})${words === "" ? "." : `: ${words}`}`;
  }

  async function request(
    method: string,
    params: JsonObject,
    limits: PluginRequestLimits,
  ): Promise<Result<unknown, PluginFault>> {
    const { signal, timeoutMs = defaultTimeoutMs } = limits;
    using _listener = listeners.add(params, limits);
    if (pending === 0) usage.expectWork();
    pending += 1;
    const outcome = await rpc.request(method, params, { signal, timeoutMs });
    pending -= 1;
    if (outcome.ok) return outcome;
    if (outcome.error.kind === "closed") {
      const message = (await ended) ?? `Plugin ${name} was unloaded.`;
      return err({ kind: "crashed", message });
    }
    return err(faultOf(outcome.error, method, timeoutMs));
  }

  return {
    load(params, timeoutMs) {
      const { signal } = new AbortController();
      const { proxySocket } = process;
      const all: LoadParams = { ...params, ...(proxySocket !== undefined && { proxySocket }) };
      // The cast is safe: the protocol is JSON.
      loading ??= request("load", all as unknown as JsonObject, { signal, timeoutMs });
      return loading;
    },
    request: (method, params, limits) => (method === "load" && loading ? loading : request(method, params, limits)),
    notify(events) {
      if (rpc.isClosed()) return;
      channel.write(noticesOf(events));
    },
    unsentBytes: () => channel.writableLength,
    setKeepsAlive: (keepsAlive) => process.setKeepsAlive(keepsAlive),
    ended,
    finish: once(async () => {
      cause ??= "";
      process.setKeepsAlive(true);
      channel.end();
      const late = new AbortController();
      await Promise.race([ended, trySleep(finishMs, late.signal, clock)]);
      late.abort();
      await process.kill();
      await ended;
    }),
    kill: () => cutOff(""),
  };
}

/** Lines of bounded length: while a process parses one, it does nothing else. */
function noticesOf(events: readonly SerialisedEvent[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let lineBytes = 0;
  for (const event of events) {
    const bytes = (event.bytes ??= Buffer.from(`{"id":${JSON.stringify(event.id)},"args":${event.args}}`));
    pieces.push(lineBytes === 0 ? noticeStart : comma, bytes);
    lineBytes += bytes.length;
    if (lineBytes < maxNoticeBytes) continue;
    pieces.push(noticeEnd);
    lineBytes = 0;
  }
  if (lineBytes > 0) pieces.push(noticeEnd);
  return Buffer.concat(pieces);
}

/** The Python runner recognises the line by its beginning. */
const noticeStart = Buffer.from('{"jsonrpc":"2.0","method":"hook.notify","params":{"events":[');
const comma = Buffer.from(",");
const noticeEnd = Buffer.from("]}}\n");
const maxNoticeBytes = 32_000;

const hostRequests: Readonly<Record<keyof HostRequests, true>> = {
  "host.callTool": true,
  "host.complete": true,
  "host.injectMessage": true,
  "host.subagents": true,
  "host.config": true,
  next: true,
};

function isHostRequest(method: string): method is keyof HostRequests {
  return Object.hasOwn(hostRequests, method);
}

const levels: readonly HostNotifications["log"]["level"][] = ["debug", "info", "warn", "error"];

const defaultTimeoutMs = 300_000;
const cancelGraceMs = 2_000;
const exitWaitMs = 2_000;
const finishMs = 2_000;
const maxAnswering = 64;
const maxMessageChars = 10_000;
const maxLineChars = 16 * 2 ** 20;
/** The host refused the request or could not fulfil it. */
const refusedCode = -32_000;
