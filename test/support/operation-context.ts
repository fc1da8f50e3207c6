import { systemClock } from "../../src/base/clock.ts";
import type { OperationContext } from "../../src/contracts/host/operation.ts";

export function operationContext(parts: Partial<OperationContext> = {}): OperationContext {
  return {
    principal: { id: "local:test" },
    signal: new AbortController().signal,
    clock: systemClock,
    cwd: "/",
    report() {},
    ...parts,
  };
}
