import { z } from "zod";

import { setting } from "./setting.ts";

export const display = setting(
  z.object({
    busy_input_mode: setting(
      z.enum(["interrupt", "queue", "steer"]).default("interrupt"),
      "What Enter does while a turn runs. interrupt: stop the turn and send the new prompt; queue: send it after the turn; steer: add it to the running turn.",
    ),
    show_reasoning: setting(z.boolean().default(false), "Show the model's reasoning, dimmed."),
    markdown: setting(
      z.boolean().default(true),
      "Style Markdown at a terminal: headings, bold text, lists, code. With NO_COLOR and in pipes it stays plain.",
    ),
    tool_progress: setting(
      z.enum(["off", "new", "all", "verbose"]).default("all"),
      "Lines for tool calls. all: one per call, with duration and result; new: only when the tool changes; verbose: with all arguments.",
      { words: { true: "all", false: "off" } },
    ),
    status_line: setting(z.boolean().default(true), "Show model, window use, cost and duration after each turn."),
    bell_on_complete: setting(z.boolean().default(false), "Ring the terminal bell when a turn ends."),
  }),
  "How a chat looks at the terminal.",
);
