import { z } from "zod";

import { setting } from "./setting.ts";

const size = (initial: number) => z.int().min(100).max(100_000_000).default(initial);

export const tool_output = setting(
  z.object({
    max_bytes: setting(size(50_000), "Bytes of output a tool keeps of one command or file.", { project: "allow" }),
    max_lines: setting(size(2_000), "Lines a tool shows at once.", { project: "allow" }),
    max_line_length: setting(size(2_000), "Characters of one line before it is cut.", { project: "allow" }),
    result_chars: setting(size(100_000), "Characters of one result; a longer one is spilled to a file.", {
      project: "allow",
    }),
    turn_chars: setting(size(200_000), "Characters of all results of one turn; the largest are spilled first.", {
      project: "allow",
    }),
  }),
  "How much of a tool's output the model reads.",
);
