import type { CommandGroup } from "./command.ts";
import { commands as agents } from "./commands/agents/agents.ts";
import { commands as browser } from "./commands/browser/browser.ts";
import { debugCommands as debug, dumpCommands as dump } from "./commands/diagnosis/debug.ts";
import { commands as insights } from "./commands/diagnosis/insights.ts";
import { commands as logs } from "./commands/diagnosis/logs.ts";
import { commands as status } from "./commands/diagnosis/status.ts";
import { commands as bundles } from "./commands/knowledge/bundles.ts";
import { commands as curator } from "./commands/knowledge/curator.ts";
import { commands as learnings } from "./commands/knowledge/learnings.ts";
import { commands as memory } from "./commands/knowledge/memory.ts";
import { commands as skillsHub } from "./commands/knowledge/skills-hub.ts";
import { commands as skills } from "./commands/knowledge/skills.ts";
import { commands as mcp } from "./commands/mcp/mcp.ts";
import { commands as mcpServe } from "./commands/mcp/serve.ts";
import { commands as auth } from "./commands/models/auth.ts";
import { commands as fallback } from "./commands/models/fallback.ts";
import { commands as moa } from "./commands/models/moa.ts";
import { commands as model } from "./commands/models/model.ts";
import { commands as hooks } from "./commands/plugins/hooks.ts";
import { commands as plugins } from "./commands/plugins/plugins.ts";
import { commands as approvals } from "./commands/safety/approvals.ts";
import { commands as audit } from "./commands/safety/audit.ts";
import { commands as check } from "./commands/safety/check.ts";
import { commands as policy } from "./commands/safety/policy.ts";
import { commands as trust } from "./commands/safety/trust.ts";
import { commands as chat } from "./commands/sessions/chat.ts";
import { commands as replay } from "./commands/sessions/replay.ts";
import { checkpointCommands as checkpoints, commands as rollback } from "./commands/sessions/rollback.ts";
import { commands as sessionsChange } from "./commands/sessions/sessions-change.ts";
import { commands as sessionsSearch } from "./commands/sessions/sessions-search.ts";
import { commands as sessionsTransfer } from "./commands/sessions/sessions-transfer.ts";
import { commands as sessions } from "./commands/sessions/sessions.ts";
import { commands as usage } from "./commands/sessions/usage.ts";
import { commands as completion } from "./commands/settings/completion.ts";
import { commands as config } from "./commands/settings/config.ts";
import { commands as doctor } from "./commands/settings/doctor.ts";
import { clawCommands as claw, programCommands as importPrograms } from "./commands/settings/import-programs.ts";
import { commands as importing } from "./commands/settings/import.ts";
import { commands as profile } from "./commands/settings/profile.ts";
import { commands as setup } from "./commands/settings/setup.ts";
import { commands as skins } from "./commands/settings/skins.ts";
import { commands as voice } from "./commands/speech/voice.ts";
import { commands as promptSize } from "./commands/tools/prompt-size.ts";
import { commands as tools } from "./commands/tools/tools.ts";
import { commands as toolsets } from "./commands/tools/toolsets.ts";
import { commands as backup, restoreCommands as restore } from "./commands/upkeep/backup.ts";
import { commands as security } from "./commands/upkeep/security.ts";
import { commands as uninstall } from "./commands/upkeep/uninstall.ts";
import { commands as update } from "./commands/upkeep/update.ts";

export const groups: readonly CommandGroup[] = [
  { name: "chat", summary: "Chat with the agent, or send one prompt", commands: chat },
  { name: "setup", summary: "Set up the model, safety, tools and shell completion, step by step", commands: setup },
  {
    name: "model",
    summary: "List, select and test models",
    commands: model,
    advice: (word) => `To use a model: hermes model use ${word}`,
  },
  { name: "auth", summary: "Manage API keys of model providers", commands: auth },
  { name: "fallback", summary: "Manage fallback models", commands: fallback },
  { name: "moa", summary: "Manage mixtures of models that answer together", commands: moa },
  {
    name: "sessions",
    summary: "List, search, resume, archive and delete sessions",
    commands: [...sessions, ...sessionsSearch, ...sessionsChange, ...sessionsTransfer],
  },
  { name: "memory", summary: "Show, edit and undo changes of the memory", commands: memory },
  { name: "rollback", summary: "Restore files to their state before a tool call", commands: rollback },
  { name: "checkpoints", summary: "List and prune file checkpoints", commands: checkpoints },
  {
    name: "skills",
    summary: "List, search and install skills, and review changes",
    commands: [...skills, ...skillsHub],
  },
  { name: "agents", summary: "List, create and check agents for delegated tasks", commands: agents },
  { name: "learnings", summary: "List and delete learnings from failures", commands: learnings },
  { name: "bundles", summary: "Group skills under one name", commands: bundles },
  { name: "curator", summary: "Archive unused skills of the agent", commands: curator },
  { name: "status", summary: "Show an overview: model, keys, safety, servers, sessions", commands: status },
  { name: "insights", summary: "Report tokens, cost, tools and activity of the last days", commands: insights },
  { name: "usage", summary: "Show tokens and cost", commands: usage },
  { name: "replay", summary: "Replay a recorded session offline", commands: replay },
  { name: "tools", summary: "List, show, search and call tools", commands: tools },
  { name: "toolsets", summary: "List toolsets", commands: toolsets },
  { name: "browser", summary: "Open the agent's browser, for example to log in to sites", commands: browser },
  { name: "hooks", summary: "Accept, test and check shell hooks", commands: hooks },
  {
    name: "plugins",
    alias: "plugin",
    summary: "List, install, enable, permit and write plugins",
    commands: plugins,
  },
  {
    name: "mcp",
    summary: "Use MCP servers, and serve the tools of Hermes to other agents",
    commands: [...mcpServe, ...mcp],
  },
  {
    name: "import",
    summary: "Import from Hermes in Python, Claude Code, Codex and OpenClaw",
    commands: [...importPrograms, ...importing],
  },
  { name: "claw", summary: "Import from OpenClaw", commands: claw },
  { name: "voice", summary: "Speak, listen, and install an offline model for speech", commands: voice },
  { name: "skins", summary: "List and show the skins of the chat", commands: skins },
  { name: "config", summary: "Show and change the configuration", commands: config },
  { name: "profile", summary: "Manage profiles, each with its own home", commands: profile },
  { name: "trust", summary: "Trust the settings of a project folder", commands: trust },
  { name: "policy", summary: "Manage the rules for allowed and denied commands", commands: policy },
  { name: "approvals", summary: "List and answer pending approvals", commands: approvals },
  { name: "audit", summary: "Show and verify the audit log", commands: audit },
  { name: "check", summary: "Run one of Hermes' engines on JSON lines", commands: check },
  { name: "prompt-size", summary: "Show the size of the first request", commands: promptSize },
  { name: "backup", summary: "Back up the home to one file", commands: backup },
  { name: "restore", summary: "Replace the home by a backup, or undo that", commands: restore },
  { name: "update", summary: "Update Hermes, or return to the previous version", commands: update },
  { name: "security", summary: "Check this installation for security weaknesses", commands: security },
  { name: "uninstall", summary: "Remove what Hermes installed on this machine", commands: uninstall },
  { name: "completion", summary: "Complete commands and names in your shell", commands: completion },
  { name: "doctor", summary: "Check this machine and show fixes", commands: doctor },
  { name: "logs", summary: "Show the newest log lines, or follow them", commands: logs },
  { name: "dump", summary: "Print a summary of the installation for bug reports", commands: dump },
  { name: "debug", summary: "Write a bundle for bug reports, without secrets", commands: debug },
];
