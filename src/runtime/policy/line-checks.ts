import type { LineCheck } from "../../contracts/host/line-check.ts";
import { safetyLineChecks } from "../../safety/line-checks.ts";

/** What `hermes check` can check, each with its engine loaded when somebody asks. */
export const lineChecks = {
  schemas: async (): Promise<LineCheck> => (await import("../../providers/schema/check-lines.ts")).checkSchemaLine,
  edits: async (): Promise<LineCheck> => (await import("../../tools/files/edit/check-lines.ts")).checkEditLine,
  patches: async (): Promise<LineCheck> => (await import("../../tools/files/patch/check-lines.ts")).checkPatchLine,
  ...safetyLineChecks,
};
