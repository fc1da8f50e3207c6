import { z } from "zod";

import { reasoningEfforts } from "../../contracts/model/model.ts";
import { names } from "./names.ts";
import { setting } from "./setting.ts";

const seconds = (preset: number) => z.number().min(1).max(86_400).default(preset);

export const agent = setting(
  z.object({
    max_turns: setting(
      z.number().int().min(1).default(500),
      "Maximum model calls in one turn, not counting retries. At the limit the model summarizes its work.",
      {
        env: "HERMES_MAX_TURNS",
        project: "lower",
      },
    ),
    api_max_retries: setting(
      z.int().min(0).max(20).default(3),
      "How often Hermes retries a failed model call before it uses a fallback.",
    ),
    reasoning_effort: setting(
      z.enum(["auto", "none", ...reasoningEfforts, "max", "ultra"]).default("auto"),
      "Reasoning effort of the model. auto: the provider's default; max and ultra: xhigh.",
      { words: { false: "off" } },
    ),
    service_tier: setting(
      z.enum(["normal", "fast"]).default("normal"),
      "fast: ask the provider for faster processing at a higher price, where it offers that (OpenAI).",
    ),
    personalities: setting(
      z.record(
        z.string(),
        setting(
          z.object({
            system_prompt: setting(z.string().max(20_000).default(""), "The instruction for the model."),
            description: setting(
              z.string().max(400).default(""),
              "A short description, shown in lists of personalities.",
            ),
            tone: setting(z.string().max(2_000).default(""), "Text added to the instruction."),
            style: setting(z.string().max(2_000).default(""), "Text added to the instruction."),
          }),
          "A personality: manner of answers. A plain text is the instruction.",
          { shorthand: "system_prompt" },
        ),
      ),
      "Your own personalities, by name, in addition to the built-in ones. `/personality` uses one.",
    ),
    system_prompt: setting(
      z.string().max(100_000).default(""),
      "Text added to the system prompt of every session, in addition to SOUL.md.",
    ),
    verify_on_stop: setting(
      z.boolean().default(false),
      "If the model changed code and ran no check, ask it to run one before the turn ends.",
    ),
    max_verify_nudges: setting(
      z.int().min(0).max(100).default(3),
      "How often in one turn `verify_on_stop` and the hook beforeVerify may keep the model working.",
    ),
    save_trajectories: setting(
      z.boolean().default(false),
      "Append every closed session to trajectories/ in the home folder, as ShareGPT lines for training.",
    ),
    image_input_mode: setting(
      z.enum(["auto", "native", "text"]).default("auto"),
      "How images reach the model. auto: as images if the model sees, otherwise as descriptions by `auxiliary.vision`; native: always as images; text: always as descriptions.",
    ),
    coding_context: setting(
      z.enum(["auto", "focus", "on", "off"]).default("auto"),
      "Use the toolset `coding` at the command line, unless `toolsets` or `platform_toolsets` is set. auto: if the workspace is a git repository or has a project file (package.json, Cargo.toml …); on, focus: always.",
      { project: "allow", words: { true: "on", false: "off" } },
    ),
    clarify_timeout: setting(
      seconds(600),
      "Seconds that a question of the agent waits in a chat platform; then the agent decides. At a terminal: `clarify.timeout`.",
    ),
    disabled_toolsets: setting(names(), "Toolsets removed from every selection.", { project: "grow", safety: true }),
  }),
  "The agent.",
);

export const clarify = setting(
  z.object({
    timeout: setting(
      seconds(120),
      "Seconds that a question of the agent waits at the terminal; then the agent decides.",
    ),
  }),
  "Questions of the agent (the tool `clarify`).",
);

const usd = (period: string) =>
  setting(z.number().min(0).nullable().default(null), `Maximum US dollars per ${period}; 0: call no model.`, {
    project: "lower",
  });
const tokens = (period: string) =>
  setting(z.number().int().min(0).nullable().default(null), `Maximum tokens, input and output, per ${period}.`, {
    project: "lower",
  });

export const budget = setting(
  z.object({
    max_usd_per_turn: usd("turn"),
    max_usd_per_session: usd("session, including the sessions it starts"),
    max_usd_per_day: usd("day, over all sessions of one person"),
    max_tokens_per_turn: tokens("turn"),
    max_tokens_per_session: tokens("session, including the sessions it starts"),
    max_tokens_per_day: tokens("day, over all sessions of one person"),
  }),
  "Spending limits for models. Checked before every call, including auxiliary ones.",
  { safety: true },
);

export const compression = setting(
  z.object({
    auto: setting(
      z.enum(["on", "off"]).default("on"),
      "Compact a session automatically when it fills the context window. Off: only `/compress` does.",
      { words: { true: "on", false: "off" } },
    ),
    threshold: setting(
      z.number().min(0.1).max(0.95).default(0.5),
      "Compaction starts at this fraction of the model's window. For windows below 512,000 tokens the fraction is at least 0.75.",
    ),
    threshold_tokens: setting(
      z.int().min(1_000).nullable().default(null),
      "Compaction starts at this number of tokens. The smaller of this and `threshold` applies.",
    ),
    target_ratio: setting(
      z.number().min(0.05).max(0.8).default(0.2),
      "Fraction of the threshold that the last messages, which stay unchanged, may take.",
    ),
    protect_last_n: setting(
      z.int().min(3).max(500).default(20),
      "Maximum number of last messages that stay unchanged.",
    ),
    context_timeout: setting(
      z.number().min(1).max(600).default(120),
      "Seconds to wait for the summarizing model; then Hermes compacts without it.",
    ),
  }),
  "How long sessions stay within the window of their model. The session keeps the original messages.",
);

export const context = setting(
  z.object({
    engine: setting(
      z.string().min(1).default("compressor"),
      "Engine that keeps sessions within the window: `compressor`, or a plugin's.",
    ),
  }),
  "The context of a session.",
);

export const context_file_max_chars = setting(
  z.int().min(1_000).max(500_000).nullable().default(null),
  "Maximum characters of one context file. Default: 20,000, or more for a large window.",
);
