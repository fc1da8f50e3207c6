import type { Clock } from "../base/clock.ts";
import type { ChainedEntry } from "./audit/audit-chain.ts";
import type { AuditPlace } from "./audit/audit-files.ts";
import { type AuditLog, createAuditLog } from "./audit/audit-log.ts";
import type { AuditReport } from "./audit/verify-audit.ts";

/** The audit log of a home: every decision and effect, linked by hashes. */
export interface AuditTrail extends AuditLog {
  /** Compares the whole log with its head file and, if given, with a hash that a person saved. Never rejects. */
  verify(savedLink?: { readonly seq: number; readonly hash: string }): Promise<AuditReport>;
  /** Returns the newest entries, oldest first. */
  newest(filter: {
    readonly limit: number;
    readonly session?: string;
    readonly deniedOnly: boolean;
  }): Promise<readonly ChainedEntry[]>;
}

export function openAuditTrail(place: AuditPlace, clock: Clock): AuditTrail {
  const load = () => import("./audit/verify-audit.ts");
  return {
    ...createAuditLog({ ...place, clock }),
    verify: async (savedLink) => (await load()).verifyAudit(place, savedLink),
    async newest({ limit, session, deniedOnly }) {
      const { readAudit } = await load();
      const fits = (entry: ChainedEntry) =>
        (session === undefined || entry.session === session) && (!deniedOnly || entry.decision === "deny");
      return readAudit(place, { limit, fits });
    },
  };
}
