import type { Command } from "../contracts/host/command.ts";
import approve from "./approve.command.ts";
import branch from "./branch.command.ts";
import compress from "./compress.command.ts";
import config from "./config.command.ts";
import context from "./context.command.ts";
import deny from "./deny.command.ts";
import exporting from "./export.command.ts";
import help from "./help.command.ts";
import learnings from "./learnings.command.ts";
import memory from "./memory.command.ts";
import moa from "./moa.command.ts";
import model from "./model.command.ts";
import fresh from "./new.command.ts";
import provider from "./provider.command.ts";
import queue from "./queue.command.ts";
import quit from "./quit.command.ts";
import resume from "./resume.command.ts";
import retry from "./retry.command.ts";
import rollback from "./rollback.command.ts";
import search from "./search.command.ts";
import sessions from "./sessions.command.ts";
import skills from "./skills.command.ts";
import status from "./status.command.ts";
import steer from "./steer.command.ts";
import stop from "./stop.command.ts";
import title from "./title.command.ts";
import todo from "./todo.command.ts";
import tools from "./tools.command.ts";
import toolsets from "./toolsets.command.ts";
import tree from "./tree.command.ts";
import undo from "./undo.command.ts";
import usage from "./usage.command.ts";
import version from "./version.command.ts";
import yolo from "./yolo.command.ts";

/** In the order of the help. */
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
