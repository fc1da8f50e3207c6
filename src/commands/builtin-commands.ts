import type { Command } from "../contracts/host/command.ts";
import learnings from "./knowledge/learnings.command.ts";
import memory from "./knowledge/memory.command.ts";
import rollback from "./knowledge/rollback.command.ts";
import skills from "./knowledge/skills.command.ts";
import moa from "./models/moa.command.ts";
import model from "./models/model.command.ts";
import provider from "./models/provider.command.ts";
import approve from "./safety/approve.command.ts";
import deny from "./safety/deny.command.ts";
import yolo from "./safety/yolo.command.ts";
import branch from "./session/branch.command.ts";
import compress from "./session/compress.command.ts";
import context from "./session/context.command.ts";
import exporting from "./session/export.command.ts";
import fresh from "./session/new.command.ts";
import queue from "./session/queue.command.ts";
import quit from "./session/quit.command.ts";
import resume from "./session/resume.command.ts";
import retry from "./session/retry.command.ts";
import search from "./session/search.command.ts";
import sessions from "./session/sessions.command.ts";
import status from "./session/status.command.ts";
import steer from "./session/steer.command.ts";
import stop from "./session/stop.command.ts";
import title from "./session/title.command.ts";
import todo from "./session/todo.command.ts";
import tree from "./session/tree.command.ts";
import undo from "./session/undo.command.ts";
import usage from "./session/usage.command.ts";
import config from "./settings/config.command.ts";
import help from "./settings/help.command.ts";
import tools from "./settings/tools.command.ts";
import toolsets from "./settings/toolsets.command.ts";
import version from "./settings/version.command.ts";

/** The help lists the commands in this order. */
export const builtinCommands: readonly Command[] = [
  help,
  fresh,
  model,
  moa,
  provider,
  tools,
  toolsets,
  context,
  usage,
  compress,
  retry,
  undo,
  branch,
  tree,
  rollback,
  sessions,
  search,
  resume,
  title,
  exporting,
  todo,
  memory,
  learnings,
  skills,
  queue,
  steer,
  stop,
  approve,
  deny,
  yolo,
  status,
  config,
  version,
  quit,
];
