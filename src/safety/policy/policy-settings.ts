import type { PolicyRules } from "./rules/read-rules.ts";

export interface PolicySettings {
  readonly mode: "manual" | "smart" | "yolo" | "readonly";
  /** The answer to a question that nobody can be asked. */
  readonly unattended: "deny" | "allow";
  /** The answer to a question of a scheduled job. */
  readonly scheduled: "deny" | "approve";
  /** The user's words for the reviewer. */
  readonly smartPolicy: string;
  /** So many denials in a row are a hard stop. */
  readonly denialLimit: number;
  readonly rules: PolicyRules;
}
