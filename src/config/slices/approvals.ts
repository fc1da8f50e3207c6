import { z } from "zod";

import { setting } from "./setting.ts";

const patterns = () => z.array(z.string().min(1).max(10_000)).default([]);

export const approvals = setting(
  z.strictObject({
    mode: setting(
      z.enum(["manual", "smart", "off"]).default("smart"),
      "manual: a person decides; smart: a model clears what is harmless and a person decides the rest; off: no questions.",
      { project: ["manual", "smart", "off"], words: { true: "manual", false: "off" } },
    ),
    timeout: setting(z.number().min(1).max(86_400).default(300), "Seconds to wait for an answer; then it is a no.", {
      project: "lower",
    }),
    smart_policy: setting(z.string().max(20_000).default(""), "Instructions of yours for the model of smart mode."),
    denial_breaker_threshold: setting(
      z.int().min(1).max(1_000).default(3),
      "Refusals by smart mode in a row after which the agent is told to stop.",
      { project: "lower" },
    ),
    deny: setting(patterns(), "Commands that never run, as globs, in every mode.", { project: "grow" }),
    cron_mode: setting(
      z.enum(["deny", "approve"]).default("deny"),
      "What a scheduled job gets for a command that needs approval.",
      { project: ["deny", "approve"], words: { true: "approve", false: "deny" } },
    ),
    mcp_reload_confirm: setting(z.boolean().default(true), "Ask before MCP servers are reloaded in a conversation.", {
      project: "true",
    }),
    destructive_slash_confirm: setting(z.boolean().default(true), "Ask before commands that throw history away.", {
      project: "true",
    }),
  }),
  "Who decides on actions that can do harm. Checked in this version; in force when the safety analysis arrives: until then every effect but reads is denied unless a person typed the call.",
  { safety: true },
);

export const command_allowlist = setting(patterns(), "Commands that run without a question, as text or globs.", {
  project: "shrink",
  safety: true,
});
