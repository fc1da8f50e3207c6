import { z } from "zod";

import { setting } from "./setting.ts";

export const display = setting(
  z.object({
    busy_input_mode: setting(
      z.enum(["interrupt", "queue", "steer"]).default("interrupt"),
      "What Enter does while a turn runs. interrupt: stops it and asks what you typed; queue: asks it afterwards; steer: tells it to the running turn.",
    ),
    show_reasoning: setting(z.boolean().default(false), "Show what the model thinks before it answers, dimmed."),
    markdown: setting(
      z.boolean().default(true),
      "Paint the Markdown of answers at a terminal: headings, bold words, lists, code. NO_COLOR and pipes get it as it is.",
    ),
    tool_progress: setting(
      z.enum(["off", "new", "all", "verbose"]).default("all"),
      "Lines for tool calls. all: one for each, with its time and result; new: only when another tool is called; verbose: with all arguments.",
      { words: { true: "all", false: "off" } },
    ),
    status_line: setting(z.boolean().default(true), "After each turn: model, use of the window, cost and time."),
    bell_on_complete: setting(z.boolean().default(false), "Ring the terminal's bell when a turn has ended."),
  }),
  "How a conversation looks at the terminal.",
);
