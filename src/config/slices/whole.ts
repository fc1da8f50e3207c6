import { z } from "zod";

import { agent } from "./agent.ts";
import { approvals, command_allowlist } from "./approvals.ts";
import { logging } from "./logging.ts";
import { plugins } from "./plugins.ts";
import { security } from "./security.ts";
import { terminal } from "./terminal.ts";
import { tool_output } from "./tool-output.ts";
import { tools } from "./tools.ts";
import { custom_toolsets, platform_toolsets, toolsets } from "./toolsets.ts";

/** Every key this version reads, one slice per subject. */
export const configSchema = z.object({
  agent,
  toolsets,
  platform_toolsets,
  custom_toolsets,
  tools,
  tool_output,
  terminal,
  plugins,
  approvals,
  command_allowlist,
  security,
  logging,
});
