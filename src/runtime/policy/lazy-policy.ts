import { once } from "../../base/async/once.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import type { ApprovalSurface, Audience } from "../../contracts/safety/approval.ts";
import type { Policy } from "../../contracts/tool/dispatch.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import type { OpenedPolicy } from "./open-policy.ts";

/** The decision point, its code loaded by the first call that is judged. */
export interface LazyPolicy {
  readonly policy: Policy;
  readonly desk: { attach(surface: ApprovalSurface, audience: Audience): Disposable };
  readonly ledger: Ledger;
}

/** `say`: what the person should know before anything runs, a sentence each. */
export function lazyPolicy(
  config: LoadedConfig,
  { say, open: openPolicy }: { readonly say: (sentence: string) => void; open(): Promise<OpenedPolicy> },
): LazyPolicy {
  const { mode } = config.values.approvals;
  for (const weakness of weakSettings(config.values)) say(weakness);
  /** The attached surfaces, each with its audience and, once the desk is open, its attachment there. */
  const surfaces = new Map<ApprovalSurface, { readonly audience: Audience; attached?: Disposable }>();
  const opened = once(async () => {
    const open = await openPolicy();
    if (mode === "smart") say("approvals.mode is smart, and no model can review here: a person is asked");
    for (const notice of open.notices()) say(notice);
    for (const [surface, one] of surfaces) one.attached = open.desk.attach(surface, one.audience);
    return open;
  });
  let isOpening = false;
  const open = () => {
    isOpening = true;
    return opened();
  };
  async function attachTo(surface: ApprovalSurface): Promise<void> {
    // The call that needs the policy reports why it cannot be opened.
    const open = await opened().catch(() => undefined);
    const one = surfaces.get(surface);
    if (open && one) one.attached = open.desk.attach(surface, one.audience);
  }
  return {
    policy: { decide: async (request, signal) => (await open()).policy.decide(request, signal) },
    desk: {
      attach(surface, audience) {
        surfaces.set(surface, { audience });
        if (isOpening) void attachTo(surface);
        return {
          [Symbol.dispose]() {
            surfaces.get(surface)?.attached?.[Symbol.dispose]();
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
