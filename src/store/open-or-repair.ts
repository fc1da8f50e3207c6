import { statSync } from "node:fs";

import { type KeptSessionStore, openSessionStore, type StoreDeps } from "./session-store.ts";
import { StoreError } from "./store-fault.ts";

/**
 * Opens the store. If SQLite rejects it, repairs it and reports losses. Rejects with a `StoreError` that says what to
 * do if nothing can be recovered, or if another program has the store open.
 */
export async function openOrRepairStore(
  path: string,
  deps: StoreDeps & { readonly principal: string },
  signal: AbortSignal,
): Promise<KeptSessionStore> {
  try {
    return await openSessionStore(path, deps);
  } catch (thrown) {
    if (!(thrown instanceof StoreError) || !["damaged", "not_a_store"].includes(thrown.kind)) throw thrown;
    const { repairStore } = await import("./salvage/repair-store.ts");
    const { describeRepair } = await import("./salvage/describe-repair.ts");
    const megabytes = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6;
    if (megabytes > 100) deps.say?.(`${path} is damaged; repairing it may take ${Math.ceil(megabytes / 50)} seconds …`);
    const repaired = await repairStore(path, deps, signal);
    if (!repaired.ok) throw new StoreError(thrown.kind, `${thrown.message}\n${repaired.error.message}`, thrown);
    deps.say?.(describeRepair(path, repaired.value));
    return openSessionStore(path, deps);
  }
}
