import type { CliCommand } from "./command.ts";
import { commands as bundles } from "./commands/knowledge/bundles.ts";
import { commands as curator } from "./commands/knowledge/curator.ts";
import { commands as learnings } from "./commands/knowledge/learnings.ts";
import { commands as memory } from "./commands/knowledge/memory.ts";
import { commands as skillsHub } from "./commands/knowledge/skills-hub.ts";
import { commands as skills } from "./commands/knowledge/skills.ts";
import { commands as auth } from "./commands/models/auth.ts";
import { commands as fallback } from "./commands/models/fallback.ts";
import { commands as moa } from "./commands/models/moa.ts";
import { commands as model } from "./commands/models/model.ts";
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
import { commands as config } from "./commands/settings/config.ts";
import { commands as doctor } from "./commands/settings/doctor.ts";
import { commands as importing } from "./commands/settings/import.ts";
import { commands as profile } from "./commands/settings/profile.ts";
import { commands as promptSize } from "./commands/tools/prompt-size.ts";
import { commands as tools } from "./commands/tools/tools.ts";
import { commands as toolsets } from "./commands/tools/toolsets.ts";

/** The first word of a command line, and the commands below it. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CliCommand[];
}

export const groups: readonly CommandGroup[] = [
  { name: "chat", summary: "Talk with the agent, or give it one prompt", commands: chat },
  { name: "model", summary: "Show, choose and try models", commands: model },
  { name: "auth", summary: "Keep keys for model providers", commands: auth },
  { name: "fallback", summary: "Name models that stand in for the first", commands: fallback },
  { name: "moa", summary: "Ask several models and let one answer", commands: moa },
  {
    name: "sessions",
    summary: "List, search, resume, archive and delete sessions",
    commands: [...sessions, ...sessionsSearch, ...sessionsChange, ...sessionsTransfer],
  },
  { name: "memory", summary: "Show, edit and take back what is remembered", commands: memory },
  { name: "rollback", summary: "Bring files back to where they were before a call", commands: rollback },
  { name: "checkpoints", summary: "Show and remove recorded states of files", commands: checkpoints },
  {
    name: "skills",
    summary: "Show, find and install skills, and decide about changes",
    commands: [...skills, ...skillsHub],
  },
  { name: "learnings", summary: "Show and forget what was learned from failures", commands: learnings },
  { name: "bundles", summary: "Use several skills under one name", commands: bundles },
  { name: "curator", summary: "Look after the skills that the agent made", commands: curator },
  { name: "usage", summary: "Show tokens and cost", commands: usage },
  { name: "replay", summary: "Play a recorded session again, offline", commands: replay },
  { name: "tools", summary: "List, show, search and call tools", commands: tools },
  { name: "toolsets", summary: "Show the bundles that tools come in", commands: toolsets },
  { name: "import", summary: "Take over what another Hermes has", commands: importing },
  { name: "config", summary: "Show and change the configuration", commands: config },
  { name: "profile", summary: "Keep several homes side by side", commands: profile },
  { name: "trust", summary: "Let a project folder bring its own settings", commands: trust },
  { name: "policy", summary: "Say what may run without a question, and what never", commands: policy },
  { name: "approvals", summary: "See and answer what waits for approval", commands: approvals },
  { name: "audit", summary: "Show and check the log of decisions and effects", commands: audit },
  { name: "check", summary: "Check files for other programs", commands: check },
  { name: "prompt-size", summary: "Show what the first request of a session takes", commands: promptSize },
  { name: "doctor", summary: "Check this machine and say what to do", commands: doctor },
];
