import { abortable } from "../../base/async/abort.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { checkJson, isCleanJson, type JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import type { AnswerPlugin, PluginClient, PluginFault, PluginRequestLimits } from "../../contracts/plugin/client.ts";
import type { FoundPlugin, Permissions } from "../../contracts/plugin/manifest.ts";
import { type Connected, connectProcess } from "./connect-process.ts";
import { createCrashHistory } from "./crash-history.ts";
import { createEventQueue } from "./event-queue.ts";
import { createPluginLog } from "./plugin-log.ts";
import type { CheckFiles, OwnLoadParams, StartPlugin } from "./plugin-process.ts";
import { createRefusals, type RefusalDeps } from "./refusals.ts";

export interface PluginClientDeps {
  /** Starts the plugin's process. Never rejects. */
  readonly load: () => OwnLoadParams | Promise<OwnLoadParams>;
  /** The permissions that the plugin declares and the user granted. Read at each start of the process. */
  readonly permissions: () => Permissions;
  readonly start: StartPlugin;
  /**
   * Records the files' states before anything reads them. The returned function compares them with the files in the
   * sandbox.
   */
  readonly watchFiles: () => CheckFiles;
  readonly answer: AnswerPlugin;
  readonly clock: Clock;
  readonly log: Logger;
  /** Shows a sentence to the user. */
  readonly report: (sentence: string) => void;
  /** Writes refused accesses to the audit log. */
  readonly audit: RefusalDeps["audit"];
  readonly warningOf: RefusalDeps["warningOf"];
  /**
   * Receives the registration of every process, except after a `load` request, which returns the registration itself.
   */
  readonly onLoaded?: (registration: unknown) => void;
  /** The timeout of a request. Default: 300 s. */
  readonly idleMs?: number;
  /** The timeout for import and registration. Default: 30 s. */
  readonly loadTimeoutMs?: number;
}

/** The process of a plugin, which starts at its first use. See `PluginClient`. */
export function createPluginClient(plugin: FoundPlugin, deps: PluginClientDeps): PluginClient {
  const { clock, report, idleMs = defaultIdleMs } = deps;
  const { key } = plugin;
  const { name } = plugin.manifest;
  const crashes = createCrashHistory(clock);
  const refuse = createRefusals({
    ...deps,
    who: `Plugin ${key}`,
    allowCommand: (grant) => `hermes plugins grant ${key} ${quoteForShellIfNeeded(grant)}`,
  });
  const onFlood = once(() => report(`Plugin ${name} writes too much to its log; further lines are dropped.`));
  const log = createPluginLog(deps.log.with({ plugin: key }), clock, onFlood);
  const warned = new Set<string>();
  const events = createEventQueue(() => report(`Plugin ${name} processes its events too slowly; some were dropped.`));
  let running: Promise<Result<Connected, PluginFault>> | undefined;
  let starting: Connected | undefined;
  let current: Connected | undefined;
  let idle: Disposable | undefined;
  let pending = 0;
  let restingSince = 0;
  let starts = 0;
  /** The number of running `load` requests. Their callers report failures themselves. */
  let loadRequests = 0;
  let isDisposed = false;

  async function launch(): Promise<Result<Connected, PluginFault>> {
    const blocked = await crashes.wait();
    if (blocked !== undefined) return err({ kind: "unavailable", message: blocked });
    if (isDisposed && events.isEmpty()) return err(unloaded);
    const check = deps.watchFiles();
    const load = await deps.load();
    const permissions = deps.permissions();
    const started = await deps.start({ plugin, permissions, load, onRefused: refuse, check });
    if (!started.ok) return err({ kind: "unavailable", message: `Plugin ${name} cannot start: ${started.error}` });
    const { weakness, isUnconfined = false } = started.value;
    if (weakness !== undefined) warn(weakness);
    const connected = connectProcess(started.value, { name, answer: deps.answer, clock, log, refuse });
    starting = connected;
    const params = { ...load, ...(!isUnconfined && { permissions }) };
    const loaded = await connected.load(params, deps.loadTimeoutMs ?? defaultLoadTimeoutMs);
    starting = undefined;
    if (loaded.ok) {
      current = connected;
      starts += 1;
      void connected.ended.then((end) => closed(connected, end));
      events.sendTo(connected);
      if (loadRequests === 0) deps.onLoaded?.(loaded.value);
      return ok(connected);
    }
    await connected.kill();
    return err(loaded.error);
  }

  function warn(weakness: string): void {
    if (!warned.has(weakness)) report(`Plugin ${name} ${weakness}`);
    warned.add(weakness);
  }

  const unloaded: PluginFault = { kind: "unavailable", message: `Plugin ${name} is unloaded.` };

  /** The plugin's process. Starts it if necessary. */
  function connect(): Promise<Result<Connected, PluginFault>> {
    const unexpected = (thrown: unknown): Result<Connected, PluginFault> =>
      err({ kind: "unavailable", message: `Plugin ${name} cannot start: ${reasonOf(thrown)}` });
    running ??= launch()
      .catch(unexpected)
      .then((launched) => {
        if (launched.ok) return launched;
        running = undefined;
        if (!isDisposed && launched.error.kind !== "unavailable") failed(launched.error.message);
        return launched;
      });
    return running;
  }

  function closed(connected: Connected, end: string | undefined): void {
    if (current !== connected) return;
    current = running = undefined;
    idle?.[Symbol.dispose]();
    idle = undefined;
    if (end !== undefined && !isDisposed) failed(end);
  }

  function failed(reason: string): void {
    deps.log.warn("plugin failed", { plugin: key, reason });
    const sentence = crashes.add(reason);
    if (loadRequests === 0) report(sentence);
  }

  /** A plugin process without pending requests does not keep Hermes alive, and ends after a while. */
  function setPending(change: 1 | -1): void {
    pending += change;
    if (pending === 0 && !isDisposed) rest();
    else if (pending === 1 && change === 1) current?.setKeepsAlive(true);
  }

  function rest(): void {
    if (!current) return;
    current.setKeepsAlive(false);
    restingSince = clock.elapsed();
    // Consecutive requests share one timer.
    idle ??= clock.after(idleMs, endIfIdle);
  }

  function endIfIdle(): void {
    idle = undefined;
    if (!current || pending > 0) return;
    const leftMs = restingSince + idleMs - clock.elapsed();
    if (leftMs > 0) {
      idle = clock.after(leftMs, endIfIdle);
      return;
    }
    const connected = current;
    current = running = undefined;
    void connected.finish();
  }

  async function request(
    method: string,
    params: JsonObject,
    limits: PluginRequestLimits,
  ): Promise<Result<unknown, PluginFault>> {
    if (isDisposed) return err(unloaded);
    if (limits.signal.aborted) return err({ kind: "aborted", message: `The call to plugin ${name} was cancelled.` });
    const connected = current ?? (await waitFor(connect(), limits.signal));
    if ("ok" in connected) return connected.ok ? connected.value.request(method, params, limits) : connected;
    events.sendTo(connected);
    return connected.request(method, params, limits);
  }

  async function waitFor(
    starting: Promise<Result<Connected, PluginFault>>,
    signal: AbortSignal,
  ): Promise<Result<Connected, PluginFault>> {
    return abortable(starting, signal).catch(() =>
      err({ kind: "aborted", message: `The call to plugin ${name} was cancelled while the plugin started.` }),
    );
  }

  return {
    key,
    get generation() {
      return current ? starts : starts + 1;
    },
    async request(method, params, limits) {
      setPending(1);
      if (method === "load") loadRequests += 1;
      try {
        // The cast is safe: the protocol carries only JSON.
        const outcome = await request(method, params as unknown as JsonObject, limits);
        if (!outcome.ok || isCleanJson(outcome.value, resultLimits)) return outcome;
        const checked = checkJson(outcome.value, resultLimits);
        if (checked.ok) return checked;
        return err({
          kind: "failed",
          message: `Plugin ${name} returned an invalid result: ${checked.error}`,
        });
      } finally {
        if (method === "load") loadRequests -= 1;
        setPending(-1);
      }
    },
    observe(observed) {
      if (isDisposed) return;
      events.add(observed);
      if (current) events.flushTo(current);
      else void connect().then(() => pending === 0 && rest());
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      idle?.[Symbol.dispose]();
      if (!current && running) {
        // Observers still get their pending events, but closing waits only a limited time for a process that is
        // starting.
        using _timer = clock.after(events.isEmpty() ? 0 : maxLastStartMs, () => void starting?.kill());
        await running;
      }
      const connected = current;
      current = running = undefined;
      if (!connected) return;
      events.sendTo(connected);
      await connected.finish();
    },
  };
}

const defaultIdleMs = 300_000;
const defaultLoadTimeoutMs = 30_000;
const maxLastStartMs = 5_000;
const resultLimits = { maxChars: 16 * 2 ** 20, maxDepth: 100 };
