import type { PolicyRules } from "./rules/read-rules.ts";

export interface PolicySettings {
  readonly mode: "manual" | "smart" | "yolo" | "readonly";
  /** The answer to a question if nobody can answer it. */
  readonly unattended: "deny" | "allow";
  /** The answer to a question of a scheduled job. */
  readonly scheduled: "deny" | "approve";
  /** Instructions of the user for the reviewing model. */
  readonly smartPolicy: string;
  /** The number of consecutive denials after which the turn ends. */
  readonly denialLimit: number;
  readonly rules: PolicyRules;
}
