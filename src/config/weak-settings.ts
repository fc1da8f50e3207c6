import type { Config } from "./schema.ts";

/** Settings that disable a protection, one sentence each, shown at every session start. */
export function weakSettings({ approvals, isolation }: Pick<Config, "approvals" | "isolation">): readonly string[] {
  return [
    ...(approvals.mode === "yolo"
      ? ["approvals.mode is yolo: Hermes never asks for approval; hard blocks and deny rules still apply"]
      : []),
    ...(approvals.unattended === "allow"
      ? ["approvals.unattended is allow: where nobody can answer, Hermes runs calls that need approval"]
      : []),
    ...(approvals.cron_mode === "approve"
      ? ["approvals.cron_mode is approve: scheduled jobs run calls that need approval"]
      : []),
    ...(isolation.mode === "off" ? ["isolation.mode is off: commands run without a sandbox"] : []),
  ];
}
