import type { PolicyRules } from "./read-rules.ts";

export interface PolicySettings {
  readonly mode: "manual" | "smart" | "yolo" | "readonly";
  /** What a question gets when there is nobody to ask. */
  readonly unattended: "deny" | "allow";
  /** What a question of a scheduled job gets. */
  readonly scheduled: "deny" | "approve";
  /** The user's words for the reviewer. */
  readonly smartPolicy: string;
  /** So many denials in a row are a hard stop. */
  readonly denialLimit: number;
  readonly rules: PolicyRules;
}
