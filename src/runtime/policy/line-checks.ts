import type { LineCheck } from "../../contracts/host/line-check.ts";
import { safetyLineChecks } from "../../safety/line-checks.ts";

/** The checks of `hermes check`. Each loads its engine on first use. */
export const lineChecks = {
  schemas: async (): Promise<LineCheck> => (await import("../../providers/schema/check-lines.ts")).checkSchemaLine,
  edits: async (): Promise<LineCheck> => (await import("../../tools/files/edit/check-lines.ts")).checkEditLine,
  patches: async (): Promise<LineCheck> => (await import("../../tools/files/patch/check-lines.ts")).checkPatchLine,
  ...safetyLineChecks,
};
