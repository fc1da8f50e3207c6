import { type Clock, systemClock } from "../../src/base/clock.ts";
import { asId, type CallId, type SessionId } from "../../src/base/ids.ts";
import type { Logger, LogFields } from "../../src/base/log/log.ts";
import { ok } from "../../src/base/result.ts";
import { nearest } from "../../src/base/text/nearest.ts";
import type { HookBus } from "../../src/contracts/host/hook.ts";
import type { ToolCall } from "../../src/contracts/model/message.ts";
import type { AgentEventBody } from "../../src/contracts/session/event.ts";
import type { CallScope, Dispatcher } from "../../src/contracts/tool/dispatch.ts";
import type { Ledger } from "../../src/contracts/tool/ledger.ts";
import type { Catalog } from "../../src/contracts/tool/registry.ts";
import type { Tool } from "../../src/contracts/tool/tool.ts";
import { createDispatcher, type DispatcherDeps } from "../../src/kernel/dispatch/dispatcher.ts";
import { createHookBus } from "../../src/kernel/hook-bus.ts";

export interface Rig {
  readonly dispatcher: Dispatcher;
  readonly hooks: HookBus;
  readonly events: AgentEventBody[];
  /** `planned a`, `dispatched a`, `settled a ok`, in the order written. */
  readonly written: string[];
  readonly logged: { readonly event: string; readonly fields: LogFields }[];
  readonly spilled: Map<string, string>;
  scope(changes?: Partial<CallScope>): CallScope;
}

/** A record of a read-only call is passed to the other functions, unless the test provides one for it. */
type RigLedger = Omit<Ledger, "ended" | "flush"> & Partial<Ledger>;

type RigChanges = Partial<Omit<DispatcherDeps, "limits" | "ledger">> & {
  readonly limits?: Partial<DispatcherDeps["limits"]>;
  readonly ledger?: RigLedger;
};

/** A dispatcher that allows and records everything; `changes` replaces the parts under test. */
export function dispatchRig(tools: readonly Tool[], changes: RigChanges = {}): Rig {
  const clock: Clock = changes.clock ?? systemClock;
  const events: AgentEventBody[] = [];
  const written: string[] = [];
  const logged: Rig["logged"] = [];
  const spilled = new Map<string, string>();
  const log = recordingLog(logged);
  const hooks = changes.hooks ?? createHookBus({ clock, log });
  const ledger: RigLedger = changes.ledger ?? {
    planned: ({ callId }) => void written.push(`planned ${callId}`),
    dispatched: (callId) => void written.push(`dispatched ${callId}`),
    settled: (callId, result) => void written.push(`settled ${callId} ${result.ok ? "ok" : result.error.kind}`),
  };
  const dispatcher = createDispatcher({
    hooks,
    policy: { decide: async () => ({ decision: "allow" }) },
    resolver: { resolve: async (effects) => ok(effects) },
    redactor: { redact: (text) => text.replaceAll("s3cret", "***") },
    spill: {
      async spill(callId, text) {
        spilled.set(callId, text);
        return ok({ path: `/spill/${callId}.txt` });
      },
    },
    secrets: () => undefined,
    clock,
    log,
    ...changes,
    ledger: withEnded(ledger),
    limits: { resultChars: 100_000, turnChars: 200_000, timeoutMs: 420_000, ...changes.limits },
  });
  return {
    dispatcher,
    hooks,
    events,
    written,
    logged,
    spilled,
    scope: (changes) => ({
      catalog: catalogOf(tools),
      sessionId: asId<SessionId>("ses_test"),
      origin: "model",
      principal: { id: "local:test" },
      place: { cwd: "/project", backend: "local" },
      services: {},
      signal: new AbortController().signal,
      emit: (event) => void events.push(event),
      ...changes,
    }),
  };
}

function withEnded(ledger: RigLedger): Ledger {
  return {
    ended(about, result, durationMs) {
      void ledger.planned(about);
      void ledger.dispatched(about.callId);
      void ledger.settled(about.callId, result, durationMs);
    },
    async flush() {},
    ...ledger,
  };
}

export function call(name: string, args: ToolCall["args"] = {}, id = "call_1"): ToolCall {
  return { id: asId<CallId>(id), name, args };
}

/** A catalog of exactly these tools, all of them direct. */
export function catalogOf(tools: readonly Tool[], whyNot: Readonly<Record<string, string>> = {}): Catalog {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const names = [...byName.keys()];
  return {
    names,
    has: (name) => byName.has(name),
    definitions: [],
    deferred: [],
    hidden: [],
    notices: [],
    empty: undefined,
    find: (name) => byName.get(name),
    whyNot: (name) => whyNot[name],
    search: {
      search: () => ({ total: 0, matches: [] }),
      sources: () => [],
      describe: (name) => byName.get(name),
      nearest: (name) => nearest(name, names),
      forScripts: () => [],
    },
  };
}

export function recordingLog(logged: { readonly event: string; readonly fields: LogFields }[]): Logger {
  const record = (event: string, fields: LogFields = {}) => void logged.push({ event, fields });
  const log: Logger = { debug: record, info: record, warn: record, error: record, with: () => log };
  return log;
}
