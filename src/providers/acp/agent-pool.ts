import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { AgentCommand } from "../endpoint.ts";
import { type AgentConnection, openConnection } from "./agent-connection.ts";
import type { StartAgent } from "./agent-program.ts";

/** The running programs of one runtime. Disposing kills all of them and their child processes. */
export interface AgentPool extends AsyncDisposable {
  /** Leases an idle program, or starts a new one. Rejects with the reason of the signal. */
  lease(call: AgentCommand, model: string | undefined, signal: AbortSignal): Promise<Result<AgentLease, ModelError>>;
}

export interface AgentLease {
  readonly connection: AgentConnection;
  /** True if the program was idle before, so that it may have exited meanwhile. */
  readonly hasWaited: boolean;
  /**
   * Releases the program and returns immediately. Cancels the remaining work; a program that does not stop is killed.
   */
  release(): void;
}

type Opened = Result<AgentConnection, ModelError>;

export function createAgentPool({ start, clock }: { readonly start: StartAgent; readonly clock: Clock }): AgentPool {
  const waiting = new Map<string, { readonly connection: AgentConnection; readonly timer: Disposable }>();
  const connections = new Set<AgentConnection>();
  /** Work that must finish before the pool is disposed. */
  const unfinished = new Set<Promise<unknown>>();
  const closing = new AbortController();

  function finish(work: Promise<unknown>): void {
    const kept: Promise<unknown> = work.catch(() => {}).finally(() => unfinished.delete(kept));
    unfinished.add(kept);
  }

  function end(connection: AgentConnection): void {
    connections.delete(connection);
    finish(connection.end());
  }

  /** The idle program, if it still runs. */
  function takeWaiting(key: string): AgentConnection | undefined {
    const match = waiting.get(key);
    waiting.delete(key);
    match?.timer[Symbol.dispose]();
    if (!match || match.connection.isOpen()) return match?.connection;
    end(match.connection);
    return undefined;
  }

  async function release(connection: AgentConnection, key: string): Promise<void> {
    const isFree = await connection.settle();
    if (!isFree || closing.signal.aborted || waiting.has(key)) return end(connection);
    connection.setBusy(false);
    const timer = clock.after(idleMs, () => {
      waiting.delete(key);
      end(connection);
    });
    waiting.set(key, { connection, timer });
  }

  async function open(call: AgentCommand, model: string | undefined, signal: AbortSignal): Promise<Opened> {
    const env = model === undefined ? call.env : { ...call.env, [call.modelVar]: model };
    const either = AbortSignal.any([signal, closing.signal]);
    const opened = await openConnection(call, env, { start, clock }, either).catch((reason: unknown) => {
      if (signal.aborted || !closing.signal.aborted) throw reason;
      return err(ending);
    });
    if (!opened.ok) return opened;
    connections.add(opened.value);
    if (!closing.signal.aborted) return opened;
    end(opened.value);
    return err(ending);
  }

  return {
    async lease(call, model, signal) {
      if (closing.signal.aborted) return err(ending);
      const key = JSON.stringify([call.command, call.args, model]);
      const idle = takeWaiting(key);
      const opening = idle ? Promise.resolve(ok(idle)) : open(call, model, signal);
      finish(opening);
      const opened = await opening;
      if (!opened.ok) return opened;
      const connection = opened.value;
      connection.setBusy(true);
      return ok({ connection, hasWaited: idle !== undefined, release: () => void release(connection, key) });
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const { timer } of waiting.values()) timer[Symbol.dispose]();
      waiting.clear();
      for (const connection of connections) end(connection);
      while (unfinished.size > 0) await Promise.all(unfinished);
    },
  };
}

const ending: ModelError = { kind: "aborted", message: "Hermes is shutting down" };
/** The maximum number of idle programs. Starting a program takes seconds; keeping one costs memory. */
const idleMs = 5 * 60_000;
