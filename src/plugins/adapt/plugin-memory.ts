import { abortable } from "../../base/async/abort.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import type { MemoryProvider } from "../../contracts/knowledge/memory.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { MemoryProviderContribution } from "../../contracts/plugin/plugin.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import { asJson, pluginObject, textOrNone, unwrapped } from "./plugin-object.ts";

const timeoutMs = 10_000;
const maxChars = 20_000;

/** The memory providers of a plugin. They implement our methods or those of Python Hermes' `MemoryProvider`. */
export function pluginMemoryProviders(
  { memoryProviders }: PluginRegistration,
  client: PluginClient,
  home: string,
): readonly MemoryProviderContribution[] {
  return memoryProviders.map(({ id, name, methods }) => ({
    name,
    create: () => {
      const call = caller(client, id);
      if (methods.includes("promptBlock")) return ownProvider(name, call);
      return originalProvider(name, methods, call, { home, generation: () => client.generation ?? 1 });
    },
  }));
}

interface Caller {
  call(method: string, args: readonly JsonValue[], signal: AbortSignal, kwargs?: JsonObject): Promise<unknown>;
  /** Runs the work in the background, after all earlier reports were sent. */
  after(work: (signal: AbortSignal) => Promise<unknown>): void;
  report(method: string, args: readonly JsonValue[], kwargs?: JsonObject): void;
  flush(signal: AbortSignal): Promise<void>;
}

/** A failure of a memory provider never blocks a turn: it counts as an empty answer. */
function caller(client: PluginClient, id: string): Caller {
  const object = pluginObject(client, id);
  let reports: Promise<unknown> = Promise.resolve();
  const never = new AbortController().signal;
  const call: Caller["call"] = async (method, args, signal, kwargs = {}) => {
    const answer = await object.call(method, args, { signal, timeoutMs, kwargs });
    return answer.ok ? answer.value : undefined;
  };
  const after: Caller["after"] = (work) => {
    reports = reports.then(() => work(never));
  };
  return {
    call,
    after,
    report: (method, args, kwargs) => after((signal) => call(method, args, signal, kwargs)),
    async flush(signal) {
      await abortable(reports, signal).catch(() => {});
    },
  };
}

function ownProvider(name: string, { call, report, flush }: Caller): MemoryProvider {
  const text = async (method: string, args: readonly JsonValue[], signal: AbortSignal) =>
    bounded(await call(method, args, signal));
  return {
    name,
    promptBlock: (signal) => text("promptBlock", [], signal),
    recall: (query, signal) => text("recall", [query], signal),
    noteTurn: (turn) => report("noteTurn", [asJson(turn)]),
    noteChange: (change) => report("noteChange", [asJson(change)]),
    async status(signal) {
      const answer = unwrapped(await call("status", [], signal));
      if (!answer.ok) return err({ message: isObject(answer.error) ? bounded(answer.error["message"]) : name });
      return typeof answer.value === "string" ? ok(answer.value) : err({ message: `${name} does not answer` });
    },
    flush,
  };
}

/**
 * Python Hermes initializes a provider before its first use and calls only methods that its class defines. Here, each
 * new process initializes the provider again.
 */
function originalProvider(
  name: string,
  methods: readonly string[],
  caller: Caller,
  facts: { readonly home: string; readonly generation: () => number },
): MemoryProvider {
  const { flush } = caller;
  const has = (method: string) => methods.includes(method);
  let initializedIn: number | undefined;

  const call: Caller["call"] = async (method, args, signal, kwargs) => {
    if (!has(method)) return undefined;
    if (initializedIn !== facts.generation() && has("initialize")) {
      const about = { hermes_home: facts.home, platform: "cli", agent_context: "primary" };
      await caller.call("initialize", [""], signal, about);
    }
    initializedIn = facts.generation();
    return caller.call(method, args, signal, kwargs);
  };
  const text = async (method: string, args: readonly JsonValue[], signal: AbortSignal) =>
    bounded(await call(method, args, signal));
  const report: Caller["report"] = (method, args, kwargs) =>
    caller.after((signal) => call(method, args, signal, kwargs));
  return {
    name,
    promptBlock: (signal) => text("system_prompt_block", [], signal),
    recall: (query, signal) => text("prefetch", [query], signal),
    noteTurn({ session, asked, answered }) {
      if (has("sync_turn")) report("sync_turn", [asked, answered], { session_id: session });
      if (has("queue_prefetch")) report("queue_prefetch", [asked], { session_id: session });
    },
    noteChange({ target, changes }) {
      if (!has("on_memory_write")) return;
      for (const change of changes) {
        report("on_memory_write", [change.action, target, "content" in change ? change.content : change.oldText]);
      }
    },
    async status(signal) {
      const isAvailable = has("is_available") ? await caller.call("is_available", [], signal) : true;
      return isAvailable === true ? ok(`${name} is ready`) : err({ message: `${name} says that it is not available` });
    },
    flush,
  };
}

function bounded(value: unknown): string {
  return cut(textOrNone(ok(value)), maxChars);
}
