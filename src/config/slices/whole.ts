import { z } from "zod";

import { agent } from "./agent.ts";
import { approvals, command_allowlist } from "./approvals.ts";
import { auxiliary } from "./auxiliary.ts";
import { budget } from "./budget.ts";
import { checkpoints } from "./checkpoints.ts";
import { compression } from "./compression.ts";
import { display } from "./display.ts";
import { isolation } from "./isolation.ts";
import { feedback, learnings } from "./learnings.ts";
import { logging } from "./logging.ts";
import { memory } from "./memory.ts";
import { moa } from "./moa.ts";
import {
  bedrock,
  credential_pool_strategies,
  custom_providers,
  fallback_providers,
  model,
  model_aliases,
  model_catalog,
  model_overrides,
  network,
  prompt_caching,
  provider_routing,
  providers,
  vertex,
} from "./models.ts";
import { plugins } from "./plugins.ts";
import { context, context_file_max_chars } from "./prompt.ts";
import { security } from "./security.ts";
import { sessions } from "./sessions.ts";
import { curator, skills_hub } from "./skills-hub.ts";
import { skills } from "./skills.ts";
import { terminal } from "./terminal.ts";
import { tool_output } from "./tool-output.ts";
import { tools } from "./tools.ts";
import { custom_toolsets, platform_toolsets, toolsets } from "./toolsets.ts";

/** Every key that this version reads, one slice per topic. */
export const configSchema = z.object({
  model,
  model_aliases,
  model_catalog,
  providers,
  provider_routing,
  custom_providers,
  fallback_providers,
  credential_pool_strategies,
  auxiliary,
  moa,
  prompt_caching,
  model_overrides,
  bedrock,
  vertex,
  network,
  agent,
  display,
  toolsets,
  platform_toolsets,
  custom_toolsets,
  tools,
  tool_output,
  terminal,
  plugins,
  approvals,
  command_allowlist,
  isolation,
  security,
  budget,
  compression,
  context,
  context_file_max_chars,
  sessions,
  skills,
  skills_hub,
  curator,
  memory,
  learnings,
  feedback,
  checkpoints,
  logging,
});
