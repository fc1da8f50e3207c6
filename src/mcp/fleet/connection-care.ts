import type { Clock } from "../../base/clock.ts";
import type { McpConnection } from "../../contracts/mcp/connection.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";

/** Maintenance of an open connection: health checks, recycling, and new listings. */
export interface ConnectionCare {
  opened(connection: McpConnection): void;
  /** Resolves when the latest announced listing has been read. */
  settled(): Promise<void>;
  /** Reports that an exchange ended. */
  used(): void;
  closed(): void;
}

export interface ConnectionCareDeps {
  readonly clock: Clock;
  /** Whether an exchange is running. */
  readonly isBusy: () => boolean;
  /** Called when the listing changed. */
  readonly refresh: (connection: McpConnection) => Promise<void>;
  /** Closes the connection until it is needed again. */
  readonly recycle: (connection: McpConnection) => void;
  /** Called when the connection is dead. */
  readonly lost: (connection: McpConnection, reason: string) => void;
}

export function superviseConnection(
  {
    keepaliveMs,
    idleMs,
    maxLifetimeMs,
    target,
  }: Pick<McpServerEntry, "keepaliveMs" | "idleMs" | "maxLifetimeMs" | "target">,
  deps: ConnectionCareDeps,
): ConnectionCare {
  const { clock } = deps;
  let watched: McpConnection | undefined;
  let listening: Disposable | undefined;
  const timers = new Set<Disposable>();
  let usedAt = 0;
  let isOld = false;
  /** Reads a new listing after the server announced one. */
  let due: (() => void) | undefined;
  let refreshing: Promise<void> = Promise.resolve();

  function later(ms: number, run: (connection: McpConnection) => void): void {
    const connection = watched;
    if (!connection) return;
    const timer = clock.after(ms, () => {
      timers.delete(timer);
      if (watched === connection) run(connection);
    });
    timers.add(timer);
  }

  /** A connection counts as dead only after two missed health checks without any other answer. */
  async function check(connection: McpConnection, silences: number): Promise<void> {
    const startedAt = clock.elapsed();
    const isQuiet = () => !deps.isBusy() && usedAt < startedAt;
    if (!isQuiet() || startedAt - usedAt < keepaliveMs / 2) return later(keepaliveMs, (same) => void check(same, 0));
    const ping = await connection.ping({ signal: new AbortController().signal, timeoutMs: pingTimeoutMs });
    if (watched !== connection) return;
    const isSilent = !ping.ok && ping.error.kind === "timeout" && isQuiet();
    if (!isSilent) return later(keepaliveMs, (same) => void check(same, 0));
    if (silences > 0) return deps.lost(connection, "the server does not answer");
    await check(connection, silences + 1);
  }

  function idle(connection: McpConnection): void {
    const leftMs = usedAt + idleMs - clock.elapsed();
    if (leftMs > 0 || deps.isBusy()) later(Math.max(leftMs, 1_000), idle);
    else deps.recycle(connection);
  }

  return {
    opened(connection) {
      watched = connection;
      usedAt = clock.elapsed();
      isOld = false;
      listening = connection.onListChanged(() => {
        if (due) return;
        const refresh = (): void => {
          if (due !== refresh) return;
          due = undefined;
          if (watched === connection) refreshing = deps.refresh(connection);
        };
        due = refresh;
        later(settleMs, refresh);
      });
      later(keepaliveMs, (same) => void check(same, 0));
      if (idleMs > 0) later(idleMs, idle);
      if (maxLifetimeMs > 0 && target.kind === "stdio") {
        later(maxLifetimeMs, (same) => {
          isOld = true;
          if (!deps.isBusy()) deps.recycle(same);
        });
      }
    },
    settled() {
      due?.();
      return refreshing;
    },
    used() {
      usedAt = clock.elapsed();
      if (isOld && watched && !deps.isBusy()) deps.recycle(watched);
    },
    closed() {
      watched = undefined;
      due = undefined;
      listening?.[Symbol.dispose]();
      for (const timer of timers) timer[Symbol.dispose]();
      timers.clear();
    },
  };
}

/** Several changes within this time are handled as one. */
const settleMs = 300;
const pingTimeoutMs = 30_000;
