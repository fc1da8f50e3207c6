import { z } from "zod";

import { names } from "./names.ts";
import { setting } from "./setting.ts";

export const delegation = setting(
  z.object({
    max_concurrent_children: setting(
      z.int().min(1).max(50).default(3),
      "How many child agents of one session run in parallel; the others wait.",
      { project: "lower" },
    ),
    max_spawn_depth: setting(
      z.int().min(1).max(4).default(2),
      "Maximum nesting of agents. 1: only the session itself can start agents.",
      { project: "lower" },
    ),
    max_batch: setting(z.int().min(1).max(50).default(10), "How many tasks one call of `delegate_task` may have.", {
      project: "lower",
    }),
    max_iterations: setting(
      z.int().min(1).max(1_000).default(50),
      "Maximum model calls of one child. `max_iterations` of a call can only lower it.",
      { project: "lower" },
    ),
    child_timeout_seconds: setting(
      z.number().min(0).max(604_800).default(0),
      "Maximum run time of one child in seconds. 0: no limit. A child that is idle for 450 s, or in one tool for 1,200 s, is stopped in any case.",
    ),
    model: setting(z.string().max(200).default(""), "The model of children. Empty: that of their parent."),
    models: setting(
      names(),
      "Models that the model may choose for a child with `model`. Empty: it cannot choose. An agent in your home folder may name any model.",
    ),
    subagent_auto_approve: setting(
      z.boolean().default(false),
      "The answer to a child's question if nobody can be asked. false: denied; true: `approvals.unattended` decides, as for its parent.",
      { project: "false" },
    ),
  }),
  "Child agents (`delegate_task`).",
);
