import type { Clock } from "../../base/clock.ts";
import type { McpConnection } from "../../contracts/mcp/connection.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";

/** Work besides the calls of an open connection: health checks, recycling, new listings. */
export interface ConnectionCare {
  opened(connection: McpConnection): void;
  /** Resolves when a listing that the server announced has been read. */
  settled(): Promise<void>;
  /** An exchange ended. */
  used(): void;
  closed(): void;
}

export interface ConnectionCareDeps {
  readonly clock: Clock;
  /** An exchange is running. */
  readonly isBusy: () => boolean;
  /** The listing changed. */
  readonly refresh: (connection: McpConnection) => Promise<void>;
  /** Ends the connection until it is needed again. */
  readonly recycle: (connection: McpConnection) => void;
  /** The connection is dead. */
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
  /** Reads a listing that the server announced. */
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

  /** Only silence on two checks in a row, without any other answer, means that the connection is dead. */
  async function check(connection: McpConnection, silences: number): Promise<void> {
    const startedAt = clock.elapsed();
    const isQuiet = () => !deps.isBusy() && usedAt < startedAt;
    if (!isQuiet() || startedAt - usedAt < keepaliveMs / 2) return later(keepaliveMs, (same) => void check(same, 0));
    const ping = await connection.ping({ signal: new AbortController().signal, timeoutMs: pingTimeoutMs });
    if (watched !== connection) return;
    const isSilent = !ping.ok && ping.error.kind === "timeout" && isQuiet();
    if (!isSilent) return later(keepaliveMs, (same) => void check(same, 0));
    if (silences > 0) return deps.lost(connection, "it does not answer");
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
