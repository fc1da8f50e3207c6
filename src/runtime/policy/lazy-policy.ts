import { once } from "../../base/async/once.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ApprovalSurface } from "../../contracts/safety/approval.ts";
import type { Ledger, Policy } from "../../contracts/tool/dispatch.ts";
import type { OpenedPolicy } from "./open-policy.ts";

/** The decision point, its code loaded by the first call that is judged. */
export interface LazyPolicy {
  readonly policy: Policy;
  readonly desk: { attach(surface: ApprovalSurface): Disposable };
  readonly ledger: Ledger;
}

/** `say`: what the person should know before anything runs, a sentence each. */
export function lazyPolicy(
  config: LoadedConfig,
  { say, open: openPolicy }: { readonly say: (sentence: string) => void; open(): Promise<OpenedPolicy> },
): LazyPolicy {
  const { mode, unattended, cron_mode: scheduled } = config.values.approvals;
  if (mode === "yolo") say("approvals.mode is yolo: nothing is asked; hardline and deny rules hold");
  if (unattended === "allow")
    say("approvals.unattended is allow: where nobody can be asked, what needs approval is run all the same");
  if (scheduled === "approve") say("approvals.cron_mode is approve: scheduled jobs run what needs approval");
  /** Attached before the desk is there, with how to let go of each once it is. */
  const surfaces = new Map<ApprovalSurface, Disposable | undefined>();
  const opened = once(async () => {
    const open = await openPolicy();
    if (mode === "smart") say("approvals.mode is smart, and no model can review here: a person is asked");
    for (const notice of open.notices()) say(notice);
    for (const surface of surfaces.keys()) surfaces.set(surface, open.desk.attach(surface));
    return open;
  });
  let isOpening = false;
  const open = () => {
    isOpening = true;
    return opened();
  };
  async function attachTo(surface: ApprovalSurface): Promise<void> {
    // What went wrong is told by the call that is judged.
    const open = await opened().catch(() => undefined);
    if (open && surfaces.has(surface)) surfaces.set(surface, open.desk.attach(surface));
  }
  return {
    policy: { decide: async (request, signal) => (await open()).policy.decide(request, signal) },
    desk: {
      attach(surface) {
        surfaces.set(surface, undefined);
        if (isOpening) void attachTo(surface);
        return {
          [Symbol.dispose]() {
            surfaces.get(surface)?.[Symbol.dispose]();
            surfaces.delete(surface);
          },
        };
      },
    },
    ledger: {
      planned: async (call) => (await open()).ledger.planned(call),
      dispatched: async (callId) => (await open()).ledger.dispatched(callId),
      settled: async (callId, result, durationMs) => (await open()).ledger.settled(callId, result, durationMs),
    },
  };
}
