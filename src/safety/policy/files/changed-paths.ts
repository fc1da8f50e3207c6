import { posix } from "node:path";

import { words } from "../../../base/text/words.ts";
import type { ChangedPaths } from "../../../contracts/safety/command-analysis.ts";
import { resolvePathText } from "../../command/checks/path-rules.ts";
import type { CommandJudgement } from "../../command/judge-command.ts";
import { programFacts } from "../../command/programs/program-facts.ts";
import { programName } from "../../command/programs/program-name.ts";
import type { RuleId } from "../../command/rules.ts";
import { type Field, hole } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { changesNothing } from "../commands/reading-commands.ts";

/** Returns the files that a command can change. If that is unclear, any file. */
export function changedPaths(command: string, cwd: string, { commands, findings }: CommandJudgement): ChangedPaths {
  if (command.length > maxChars) return { paths: [], isAll: false, folders: [cwd] };
  const each = commands.map(changesOf);
  const unique = (paths: readonly string[]) => Array.from(new Set(paths));
  const contents = unique(each.flatMap((one) => one.contents ?? [])).filter(
    (path) => !each.some((one) => one.paths.includes(path) && !one.contents?.includes(path)),
  );
  const isRead = commands.length > 0 && !findings.some(({ rule }) => doubtful.has(rule));
  return {
    paths: unique(each.flatMap(({ paths }) => paths)),
    ...(contents.length > 0 && { contents }),
    isAll: isRead && each.every(({ isAll }) => isAll),
    folders: unique([...(isRead ? [] : [cwd]), ...each.flatMap(({ folders }) => folders)]),
  };
}

const maxChars = 10_000;

const doubtful: ReadonlySet<RuleId> = new Set<RuleId>(["unparsable", "too_much", "unknown_program", "unknown_code"]);

/** Programs whose arguments contain everything that they change. */
const writers: ReadonlySet<string> = new Set(
  words("rm unlink rmdir mkdir touch mv cp ln tee truncate chmod chown chgrp shred dd export unset alias : set"),
);

function changesOf(ran: SimpleCommand): ChangedPaths {
  const name = programName(ran.argv[0]);
  const facts = name === undefined ? [] : programFacts(ran);
  const targets = facts.flatMap((fact) =>
    fact.kind === "path" && fact.how !== "read" && !isDevice(fact.path.text) ? [fact.path] : [],
  );
  const changes = targets.map((target) => changedAt(target, ran.cwd));
  const isContent = (path: string) =>
    changes.every((change, index) => change !== path || pattern.test(targets[index]?.text ?? ""));
  const isPlain =
    changesNothing({ ...ran, redirections: [] }) ||
    (ran.assignments.length === 0 &&
      (writers.has(name ?? "") || (name === "find" && targets.length > 0 && isPlainFind(ran))));
  const isAll = isPlain && ran.via.length === 0 && !ran.isBackground && changes.every((path) => path !== undefined);
  const isPlace = ran.cwd.startsWith("/") && !ran.cwd.includes(hole);
  const paths = changes.filter((path) => path !== undefined);
  return {
    paths,
    contents: paths.filter(isContent),
    isAll,
    folders: isAll || !isPlace ? [] : [ran.cwd],
  };
}

/** Returns whether `find` only deletes its matches and runs nothing. */
function isPlainFind({ argv }: SimpleCommand): boolean {
  return argv.every(({ text }) => !/^-(?:exec|ok|fprint|fls|files0)/u.test(text) && !text.includes(hole));
}

/** Returns whether the target is not a file: a device, or a descriptor as in `2>&1`. */
function isDevice(text: string): boolean {
  return /^(?:\d|-|\/dev\/.*)$/u.test(text);
}

const pattern = /[*?[{]/u;

/** Returns the path that changes; for a pattern, the folder that contains all matches. Undefined if unknown. */
function changedAt(target: Field, cwd: string): string | undefined {
  const whole = resolvePathText(target.text, cwd);
  if (whole.includes(hole) || !whole.startsWith("/")) return undefined;
  // Quoted patterns are included too: a loop variable has each name that its pattern matches.
  const first = whole.search(pattern);
  return first < 0 ? whole : posix.dirname(`${whole.slice(0, first)}x`);
}
