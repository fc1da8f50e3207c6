import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { type Home, homeFiles } from "../../config/home.ts";
import { type AuditTrail, openAuditTrail } from "../../safety/audit.ts";

/** Opens the audit log of the home. The head of its hash chain is stored in a different folder. */
export function openAudit({ path }: Home, clock: Clock): AuditTrail {
  return openAuditTrail({ folder: join(path, homeFiles.audit), headFile: join(path, homeFiles.auditHead) }, clock);
}
