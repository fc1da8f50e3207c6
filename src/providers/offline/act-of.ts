import type { Act } from "./act.ts";
import { looks, runs, showsProcesses, starts, stops } from "./acts/command-acts.ts";
import {
  appends,
  copies,
  deletes,
  finds,
  lists,
  makesFolder,
  moves,
  reads,
  replaces,
  searches,
  writes,
} from "./acts/file-acts.ts";
import { addsToPlan, clearsPlan, marks, plans, showsPlan } from "./acts/plan-acts.ts";
import {
  callsTool,
  delegates,
  fetches,
  findsTool,
  forgets,
  recalls,
  remembers,
  runsCode,
  searchesWeb,
  showsTools,
} from "./acts/tool-acts.ts";
import type { Step } from "./step.ts";
import { talks } from "./talk.ts";

export function actOf(step: Step): Act {
  switch (step.does) {
    case "run":
      return runs(step.command, step.workdir);
    case "start":
      return starts(step.command, step.workdir);
    case "processes":
      return showsProcesses;
    case "look":
      return looks(step.which, "poll");
    case "wait":
      return looks(step.which, "wait");
    case "stop":
      return stops(step.which);
    case "read":
      return reads(step.path, step.from, step.lines);
    case "write":
      return writes(step.path, step.content);
    case "append":
      return appends(step.path, step.content);
    case "replace":
      return replaces(step.path, step.old, step.new);
    case "list":
      return lists(step.path);
    case "delete":
      return deletes(step.path, step.isFolder);
    case "folder":
      return makesFolder(step.path);
    case "move":
      return moves(step.from, step.to);
    case "copy":
      return copies(step.from, step.to);
    case "search":
      return searches(step.words, step.pattern, step.path);
    case "find":
      return finds(step.name, step.path);
    case "plan":
      return plans(step.items);
    case "add to plan":
      return addsToPlan(step.items);
    case "show plan":
      return showsPlan;
    case "clear plan":
      return clearsPlan;
    case "mark":
      return marks(step.which, step.status);
    case "remember":
      return remembers(step.text);
    case "forget":
      return forgets(step.text);
    case "recall":
      return recalls(step.text);
    case "delegate":
      return delegates(step.task);
    case "code":
      return runsCode(step.code);
    case "search web":
      return searchesWeb(step.query);
    case "fetch":
      return fetches(step.url);
    case "say":
      return () => ({ say: step.text });
    case "tools":
      return showsTools;
    case "find tool":
      return findsTool(step.query);
    case "tool":
      return callsTool(step.name, step.args);
    case "talk":
      return () => ({ say: talks[step.about] });
  }
}

/** Looks and changes nothing: several of them may be asked for at once. */
export function onlyLooks({ does }: Step): boolean {
  return does === "read" || does === "search" || does === "find";
}

/** What is left undone, in a few words. */
export function nameOf(step: Step): string {
  const about = Object.entries(step).find(([key, value]) => key !== "does" && typeof value === "string")?.[1];
  return step.does === "talk" ? step.about : about === undefined ? step.does : `${step.does} ${String(about)}`;
}
