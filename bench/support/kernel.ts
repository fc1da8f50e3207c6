import { systemClock } from "../../src/base/clock.ts";
import { newId, type SessionId } from "../../src/base/ids.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { err, ok } from "../../src/base/result.ts";
import type { CallScope, Dispatcher } from "../../src/contracts/tool/dispatch.ts";
import type { Ledger, LedgerCall } from "../../src/contracts/tool/ledger.ts";
import type { Tool } from "../../src/contracts/tool/tool.ts";
import { createDispatcher } from "../../src/kernel/dispatch/dispatcher.ts";
import { createHookBus } from "../../src/kernel/hook-bus.ts";
import { createRegistry } from "../../src/kernel/registry/registry.ts";
import { everythingAvailable, searchDefaults } from "./catalogs.ts";

export interface Kernel {
  readonly dispatcher: Dispatcher;
  readonly scope: CallScope;
}

/**
 * The whole path of a call with an implementation of every port: hooks before and after, a policy check, and a ledger
 * that by default holds open calls in memory.
 */
export async function kernelWith(tools: readonly Tool[], ledger: Ledger = openCalls()): Promise<Kernel> {
  const registry = createRegistry();
  for (const tool of tools) {
    const added = registry.add(tool, { kind: "builtin" });
    if (!added.ok) throw new Error(added.error.message);
  }
  const signal = new AbortController().signal;
  const catalog = await registry.catalog({}, everythingAvailable, {
    signal,
    search: { ...searchDefaults, enabled: false },
  });
  const hooks = createHookBus({ clock: systemClock, log: silentLog });
  let seen = 0;
  hooks.add("bench", {
    beforeToolCall: ({ args }) => (args.word === "forbidden" ? { block: "forbidden" } : undefined),
    afterToolCall: () => {
      seen += 1;
    },
  });
  const dispatcher = createDispatcher({
    hooks,
    policy: {
      decide: async ({ effects }) =>
        effects.length === 0 ? { decision: "allow" } : { decision: "deny", reason: `${seen}` },
    },
    ledger,
    resolver: { resolve: async (effects) => ok(effects) },
    redactor: { redact: (text) => text },
    spill: { spill: async () => err({ message: "not here" }) },
    secrets: () => undefined,
    clock: systemClock,
    log: silentLog,
    limits: { resultChars: 100_000, turnChars: 200_000, timeoutMs: 420_000 },
  });
  const scope: CallScope = {
    catalog,
    sessionId: newId<SessionId>("ses"),
    origin: "model",
    principal: { id: "local:bench" },
    place: { cwd: "/", backend: "local" },
    services: {},
    signal,
    emit() {},
  };
  return { dispatcher, scope };
}

function openCalls(): Ledger {
  const open = new Map<string, LedgerCall>();
  return {
    planned: (call) => void open.set(call.callId, call),
    dispatched: () => {},
    settled: (callId) => void open.delete(callId),
    ended() {},
    async flush() {},
  };
}
