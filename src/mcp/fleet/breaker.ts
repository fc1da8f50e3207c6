import type { Clock } from "../../base/clock.ts";
import type { McpFault } from "../../contracts/mcp/connection.ts";

/**
 * A circuit breaker: refuses calls for a while after several consecutive transport failures. An error response is not
 * a failure.
 */
export interface Breaker {
  /** How long calls are still refused, or 0 if they are not. After that time, one call is let through as a trial. */
  waitMs(): number;
  worked(): void;
  failed(fault: McpFault): void;
}

export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let closedUntil = -Infinity;
  return {
    waitMs: () => Math.max(0, closedUntil - clock.elapsed()),
    worked() {
      failures = 0;
      closedUntil = -Infinity;
    },
    failed({ kind }) {
      if (kind === "server") failures = 0;
      if (kind !== "transport" && kind !== "timeout") return;
      failures += 1;
      if (failures >= maxFailures) closedUntil = clock.elapsed() + refusedMs;
    },
  };
}

const maxFailures = 3;
const refusedMs = 60_000;
