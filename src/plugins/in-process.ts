import { pathToFileURL } from "node:url";

import { abortable } from "../base/async/abort.ts";
import { checkJson } from "../base/json.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { PluginClient, PluginFault } from "../contracts/plugin/client.ts";
import type { FoundPlugin } from "../contracts/plugin/manifest.ts";
import type { HookParams } from "../contracts/plugin/wire.ts";
import type { PluginClientDeps } from "./process/plugin-client.ts";
import { createPluginLog } from "./process/plugin-log.ts";
import { createRequestListeners } from "./process/request-listeners.ts";
import type { HostPort, ServedPlugin } from "./runner/node/serve-plugin.ts";
import { authorEntryUrl } from "./sources/runner-files.ts";

/**
 * A TypeScript plugin that runs in Hermes' own process, for the operator's own code
 * (`plugins.entries.<id>.in_process`). The plugin is not confined: it has all permissions of Hermes, and an endless
 * loop in it blocks Hermes. Everything else works as in a separate process.
 */
export function createInProcessClient(
  plugin: FoundPlugin,
  { load, answer, clock, log }: Pick<PluginClientDeps, "load" | "answer" | "clock" | "log">,
): PluginClient {
  const { key } = plugin;
  const { name } = plugin.manifest;
  const ending = new AbortController();
  const listeners = createRequestListeners();
  const pluginLog = createPluginLog(log.with({ plugin: key }), clock, () => {});
  const hooks = new DisposableStack();
  let loading: Promise<ServedPlugin> | undefined;

  const port: HostPort = {
    async request(method, params, signal = ending.signal) {
      const answered = await answer(method, { ...params }, signal);
      if (answered.ok) return answered.value;
      throw new Error(answered.error);
    },
    notify(method, params) {
      if ("level" in params) pluginLog.write(params.level, params.message);
      else listeners.notify(method, { ...params });
    },
  };

  async function start(): Promise<ServedPlugin> {
    const [{ hookModules }, { servePlugin }] = await Promise.all([
      import("./runner/node/module-hooks.ts"),
      import("./runner/node/serve-plugin.ts"),
    ]);
    const params = await load();
    const { sources = {} } = params;
    const modules = hooks.use(hookModules({ folder: plugin.folder, sources, authorEntry: authorEntryUrl() }));
    const entry = pathToFileURL(plugin.entry);
    entry.search = `version=${clock.now()}`;
    return servePlugin(() => modules.importEntry(entry.href), params, port);
  }

  return {
    key,
    async request(method, params, limits) {
      const { timeoutMs = defaultTimeoutMs } = limits;
      const late = new AbortController();
      const signal = AbortSignal.any([limits.signal, late.signal, ending.signal]);
      using _listener = listeners.add({ ...params }, limits);
      using _timer = clock.after(timeoutMs, () => late.abort());
      try {
        loading ??= start();
        const served = await abortable(loading, signal);
        // Copies the value, so that the plugin cannot change the caller's objects.
        const answered =
          method === "load"
            ? served.registration
            : await abortable(served.handle(method as "tool.run", structuredClone(params) as never, signal), signal);
        return usable(answered, name);
      } catch (thrown) {
        if (late.signal.aborted)
          return fault("timeout", `Plugin ${name} did not answer ${method} within ${timeoutMs / 1000} s.`);
        if (signal.aborted) return fault("aborted", `The call to plugin ${name} was cancelled.`);
        return fault("failed", reasonOf(thrown));
      }
    },
    observe(events) {
      loading ??= start();
      // The cast is safe: the host wrote this JSON.
      const parsed = events.map(({ id, args }): HookParams => ({ id, args: JSON.parse(args) as HookParams["args"] }));
      loading
        .then((served) => served.observe(parsed))
        .catch((thrown: unknown) => pluginLog.write("error", reasonOf(thrown)));
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      try {
        await (await loading)?.[Symbol.asyncDispose]();
      } catch (thrown) {
        pluginLog.write("error", reasonOf(thrown));
      }
      hooks.dispose();
    },
  };
}

function usable(value: unknown, name: string): Result<unknown, PluginFault> {
  const checked = checkJson(value ?? null, resultLimits);
  return checked.ok
    ? ok(checked.value)
    : fault("failed", `Plugin ${name} returned an invalid result: ${checked.error}`);
}

function fault(kind: PluginFault["kind"], message: string): Result<never, PluginFault> {
  return err({ kind, message });
}

const defaultTimeoutMs = 300_000;
const resultLimits = { maxChars: 16 * 2 ** 20, maxDepth: 100 };
