import type { LineCheck } from "../../contracts/host/line-check.ts";

/** What `hermes check` can check, each with its engine loaded when somebody asks. */
export const lineChecks = {
  schemas: async (): Promise<LineCheck> => (await import("../../providers/schema/check-lines.ts")).checkSchemaLine,
  edits: async (): Promise<LineCheck> => (await import("../../tools/files/edit/check-lines.ts")).checkEditLine,
  patches: async (): Promise<LineCheck> => (await import("../../tools/files/patch/check-lines.ts")).checkPatchLine,
  commands: async (): Promise<LineCheck> => (await import("../../safety/command/check-lines.ts")).checkCommandLine,
  secrets: async (): Promise<LineCheck> => (await import("../../safety/secrets/check-lines.ts")).checkSecretsLine,
  injection: async (): Promise<LineCheck> => (await import("../../safety/injection/check-lines.ts")).checkInjectionLine,
  urls: async (): Promise<LineCheck> => (await import("../../safety/url/check-lines.ts")).checkUrlLine,
};
