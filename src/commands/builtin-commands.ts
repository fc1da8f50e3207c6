import type { Command } from "../contracts/host/command.ts";
import { agentsCommand } from "./agents-command.ts";
import { approvalCommands } from "./approval-commands.ts";
import { branchCommands } from "./branch-commands.ts";
import { kernelsCommand } from "./kernels-command.ts";
import { knowledgeCommands } from "./knowledge-commands.ts";
import { mcpCommands } from "./mcp-commands.ts";
import { modelCommands } from "./model-commands.ts";
import { pluginsCommand } from "./plugins-command.ts";
import { sessionCommands } from "./session-commands.ts";
import { settingsCommands } from "./settings-commands.ts";
import { skillCommands } from "./skill-commands.ts";
import { turnCommands } from "./turn-commands.ts";

/** The help lists the commands in this order. */
export const builtinCommands: readonly Command[] = [
  ...settingsCommands,
  ...modelCommands,
  ...turnCommands,
  ...branchCommands,
  ...sessionCommands,
  ...knowledgeCommands,
  ...skillCommands,
  agentsCommand,
  kernelsCommand,
  pluginsCommand,
  ...mcpCommands,
  ...approvalCommands,
];
