import { z } from "zod";

import { setting } from "./setting.ts";

export const display = setting(
  z.object({
    busy_input_mode: setting(
      z.enum(["interrupt", "queue", "steer"]).default("interrupt"),
      "What Enter does while a turn runs. interrupt: stop the turn and send the new prompt; queue: send it after the turn; steer: add it to the running turn.",
    ),
    interface: setting(
      z.enum(["auto", "screen", "plain", "tui", "cli"]).default("auto"),
      "What `hermes` opens at a terminal. auto, screen, tui: the full screen (the plain chat in tiny windows and with TERM=dumb); plain, cli: the plain chat, line by line, which suits screen readers.",
    ),
    show_reasoning: setting(z.boolean().default(false), "Show the model's reasoning, dimmed."),
    markdown: setting(
      z.boolean().default(true),
      "Render Markdown at a terminal: tables, links, lists, emphasis, code. With NO_COLOR the Markdown marks around words stay visible; output to pipes is plain Markdown.",
    ),
    tool_progress: setting(
      z.enum(["off", "new", "all", "verbose"]).default("all"),
      "What a chat shows of tool calls. off: nothing; new: a call whose tool differs from the previous one; all: every call, its output while it runs, the end of its output and a short diff; verbose: also all arguments and the whole output.",
      { words: { true: "all", false: "off" } },
    ),
    language: setting(
      z.string().max(16).default("en"),
      "Language of the full screen: en or zh (Chinese). Other languages show English. Answers follow the language of your prompts.",
      { env: "HERMES_LANGUAGE" },
    ),
    skin: setting(
      z.string().max(64).default("default"),
      "The skin: its name, such as slate or daylight, or the name of a file in `skins/` of the home. `/skin` changes it in one chat.",
    ),
    personality: setting(
      z.string().max(64).default("none"),
      "The personality of new sessions: a built-in name such as concise or teacher, or one of `agent.personalities`. none: the default style.",
    ),
    resume_display: setting(
      z.enum(["full", "minimal"]).default("full"),
      "What a resumed session shows first. full: its last exchanges; minimal: one line.",
    ),
    status_line: setting(z.boolean().default(true), "Show model, window use, cost and duration after each turn."),
    indicator: setting(
      z.enum(["kaomoji", "emoji", "unicode", "ascii"]).default("kaomoji"),
      "The sign that the full screen shows while the model works.",
    ),
    footer: setting(
      z.boolean().default(false),
      "Show model, window use, cost and duration after each turn of the full screen.",
    ),
    file_mutation_verifier: setting(
      z.boolean().default(true),
      "After an answer of the full screen, list files that the turn failed to write and did not write later.",
    ),
    timestamps: setting(z.boolean().default(false), "Show the time of each prompt on the full screen."),
    vi_keys: setting(
      z.boolean().default(false),
      "Keys of vi in the editor of the full screen: normal, insert and visual mode.",
    ),
    pictures: setting(
      z.enum(["auto", "kitty", "iterm", "sixel", "off"]).default("auto"),
      "Pictures in the chat, in terminals that can draw them. auto: if the terminal supports it; off: only paths.",
    ),
    bell_on_complete: setting(z.boolean().default(false), "Ring the terminal bell when a turn ends."),
    notifications: setting(
      z.enum(["auto", "off", "osc9", "osc777", "osc99", "bell"]).default("auto"),
      "Desktop notifications of the full screen, while its window is not focused: a long turn ended, a question is waiting, a background task is done. auto chooses the sequence that the terminal supports.",
    ),
    notify_after_seconds: setting(
      z.number().min(0).max(86_400).default(10),
      "Minimum duration in seconds of a turn whose end is notified.",
    ),
  }),
  "How a chat looks at the terminal.",
);

export const logging = setting(
  z.object({
    level: setting(z.enum(["debug", "info", "warn", "error"]).default("info"), "Minimum level of logged lines.", {
      env: "HERMES_LOG_LEVEL",
    }),
    max_file_mb: setting(
      z.number().min(0.1).max(1_000).default(5),
      "Size in megabytes at which a log file is rotated.",
    ),
    max_total_mb: setting(z.number().min(0.1).max(10_000).default(50), "Maximum megabytes of all log files."),
  }),
  "Log files in `logs/` of the home.",
);
