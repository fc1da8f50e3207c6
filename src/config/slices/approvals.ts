import { z } from "zod";

import { setting } from "./setting.ts";

const patterns = () => z.array(z.string().min(1).max(10_000)).default([]);

export const approvals = setting(
  z.strictObject({
    mode: setting(
      z.enum(["readonly", "manual", "smart", "yolo"]).default("manual"),
      "readonly: only reading; manual: a person decides; smart: a model clears what is harmless and a person decides the rest; yolo: no questions, hardline and deny rules hold. `off` means yolo.",
      { project: ["readonly", "manual", "smart", "yolo"], words: { true: "manual", false: "yolo" } },
    ),
    unattended: setting(
      z.enum(["deny", "allow"]).default("deny"),
      "What a question gets when there is nobody to ask. `allow` is told at every start.",
      { project: ["deny", "allow"] },
    ),
    timeout: setting(z.number().min(1).max(86_400).default(300), "Seconds to wait for an answer; then it is a no.", {
      project: "lower",
    }),
    smart_policy: setting(z.string().max(20_000).default(""), "Instructions of yours for the model of smart mode."),
    denial_breaker_threshold: setting(
      z.int().min(1).max(1_000).default(3),
      "Denials in a row after which the agent is told to stop and nobody is asked any more in that turn.",
      { project: "lower" },
    ),
    deny: setting(
      patterns(),
      "Commands that never run, in every mode, as rules over words: `git push --force`. Further words do not matter.",
      { project: "grow" },
    ),
    ask: setting(patterns(), "Commands that are always asked about, as rules over words.", { project: "grow" }),
    allow: setting(
      patterns(),
      "Commands that run without a question, as rules over words, each word in its place: `git push *`. `hermes policy allow` writes them.",
      { project: "shrink" },
    ),
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
  "Who decides on actions that can do harm. `mcp_reload_confirm` and `destructive_slash_confirm` are checked and wait for their commands.",
  { safety: true },
);

export const command_allowlist = setting(
  patterns(),
  "The list of older versions: commands and globs are read as rules over words, kinds of commands wait for your confirmation.",
  { project: "shrink", safety: true },
);
