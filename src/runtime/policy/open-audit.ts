import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { type Home, homeFiles } from "../../config/home.ts";
import { type AuditTrail, openAuditTrail } from "../../safety/audit.ts";

/** The audit log of the home. Its head is in another folder than the log. */
export function openAudit({ path }: Home, clock: Clock): AuditTrail {
  return openAuditTrail({ folder: join(path, homeFiles.audit), headFile: join(path, homeFiles.auditHead) }, clock);
}
