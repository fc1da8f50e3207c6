import { z } from "zod";

import { setting } from "./setting.ts";

const size = (initial: number) => z.int().min(100).max(100_000_000).default(initial);

export const tool_output = setting(
  z.object({
    max_bytes: setting(size(50_000), "Maximum bytes of output of one command or file.", { project: "allow" }),
    max_lines: setting(size(2_000), "Maximum lines of one page.", { project: "allow" }),
    max_line_length: setting(size(2_000), "Maximum characters of one line.", { project: "allow" }),
    result_chars: setting(size(100_000), "Maximum characters of one result; a longer one is saved to a file.", {
      project: "allow",
    }),
    turn_chars: setting(
      size(200_000),
      "Maximum characters of all results of one turn; the largest are saved to files first.",
      {
        project: "allow",
      },
    ),
  }),
  "Limits on the tool output that the model reads.",
);
