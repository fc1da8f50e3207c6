import { z } from "zod";

import { setting } from "./setting.ts";

const patterns = () => z.array(z.string().min(1).max(10_000)).default([]);

export const approvals = setting(
  z.strictObject({
    mode: setting(
      z.enum(["readonly", "manual", "smart", "yolo"]).default("manual"),
      "readonly: only reading; manual: a person decides; smart: a model approves harmless commands, a person decides the rest; yolo: no questions, hard blocks and deny rules still apply. `off` means yolo.",
      { project: ["readonly", "manual", "smart", "yolo"], words: { true: "manual", false: "yolo" } },
    ),
    unattended: setting(
      z.enum(["deny", "allow"]).default("deny"),
      "The decision when nobody can answer an approval question. Hermes warns about `allow` at every start.",
      { project: ["deny", "allow"] },
    ),
    timeout: setting(
      z.number().min(1).max(86_400).default(300),
      "Seconds to wait for an answer; then the call is denied.",
      {
        project: "lower",
      },
    ),
    smart_policy: setting(
      z.string().max(20_000).default(""),
      "Your instructions for the reviewer model of smart mode.",
    ),
    denial_breaker_threshold: setting(
      z.int().min(1).max(1_000).default(3),
      "After this many denials in a row, Hermes asks the agent to stop and asks no more questions in this turn.",
      { project: "lower" },
    ),
    deny: setting(
      patterns(),
      "Rules for commands that never run, in any mode: `git push --force`. A rule also matches commands with additional words.",
      { project: "grow" },
    ),
    ask: setting(patterns(), "Rules for commands that always need approval.", { project: "grow" }),
    allow: setting(
      patterns(),
      "Rules for commands that run without a question, with each word at its position: `git push *`. `hermes policy allow` writes them.",
      { project: "shrink" },
    ),
    cron_mode: setting(
      z.enum(["deny", "approve"]).default("deny"),
      "The answer for a scheduled job whose command needs approval.",
      { project: ["deny", "approve"], words: { true: "approve", false: "deny" } },
    ),
    mcp_reload_confirm: setting(z.boolean().default(true), "Ask before MCP servers are reloaded in a session.", {
      project: "true",
    }),
    destructive_slash_confirm: setting(z.boolean().default(true), "Ask before commands that discard history.", {
      project: "true",
    }),
  }),
  "Approval of dangerous actions. A project file can only make these settings stricter.",
  { safety: true },
);

export const command_allowlist = setting(
  patterns(),
  "The allowlist of older versions: Hermes reads commands and globs as rules; command categories wait for your confirmation.",
  { project: "shrink", safety: true },
);
