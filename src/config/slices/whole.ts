import { z } from "zod";

import { agent, budget, clarify, compression, context, context_file_max_chars } from "./agent.ts";
import { approvals, command_allowlist } from "./approvals.ts";
import { auxiliary } from "./auxiliary.ts";
import { browser } from "./browser.ts";
import { code_execution } from "./code.ts";
import { delegation } from "./delegation.ts";
import { display, logging } from "./display.ts";
import { goals } from "./goals.ts";
import { hooks, hooks_auto_accept } from "./hooks.ts";
import { keyBindings } from "./keys.ts";
import { mcp, mcp_discovery_timeout, mcp_servers, mcp_single_query_discovery_timeout } from "./mcp.ts";
import { imageGen, videoGen, vision } from "./media.ts";
import { feedback, learnings, memory } from "./memory.ts";
import {
  moa,
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
import { quick_commands } from "./quick-commands.ts";
import { isolation, security } from "./security.ts";
import { checkpoints, sessions } from "./sessions.ts";
import { curator, skills_hub, skills } from "./skills.ts";
import { stt, tts, voice } from "./speech.ts";
import { terminal } from "./terminal.ts";
import { tool_output, tools, custom_toolsets, platform_toolsets, toolsets } from "./tools.ts";
import { updates } from "./updates.ts";
import { web, x_search } from "./web.ts";
import { worktree, worktree_sync } from "./worktree.ts";

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
  delegation,
  goals,
  clarify,
  display,
  keys: keyBindings,
  quick_commands,
  toolsets,
  platform_toolsets,
  custom_toolsets,
  tools,
  tool_output,
  terminal,
  code_execution,
  browser,
  plugins,
  mcp_servers,
  mcp,
  mcp_discovery_timeout,
  mcp_single_query_discovery_timeout,
  hooks,
  hooks_auto_accept,
  approvals,
  command_allowlist,
  isolation,
  security,
  budget,
  compression,
  context,
  context_file_max_chars,
  sessions,
  worktree,
  worktree_sync,
  skills,
  skills_hub,
  curator,
  vision,
  image_gen: imageGen,
  video_gen: videoGen,
  memory,
  learnings,
  feedback,
  checkpoints,
  logging,
  tts,
  stt,
  voice,
  updates,
  web,
  x_search,
});
