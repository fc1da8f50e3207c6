import type { LineCheck } from "../contracts/host/line-check.ts";

/** The checks of `hermes check` that belong to safety, each loaded on first use. */
export const safetyLineChecks = {
  commands: async (): Promise<LineCheck> => (await import("./command/check-lines.ts")).checkCommandLine,
  secrets: async (): Promise<LineCheck> => (await import("./secrets/check-lines.ts")).checkSecretsLine,
  injection: async (): Promise<LineCheck> => (await import("./injection/check-lines.ts")).checkInjectionLine,
  urls: async (): Promise<LineCheck> => (await import("./url/check-lines.ts")).checkUrlLine,
};
