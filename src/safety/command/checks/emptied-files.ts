import { isInside } from "../../../base/files/path.ts";
import { rule } from "../fact.ts";
import { pureOutput } from "../output/pure-output.ts";
import { programName } from "../programs/program-name.ts";
import { type Field, isKnown } from "../shell/field.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";
import { isTemporary, resolvePathText } from "./path-rules.ts";
import type { ScriptFact } from "./script-rules.ts";

/**
 * Finds redirections that only empty a file: `> notes.md`, `: > notes.md`. Logs, temporary files and files that the
 * script also fills are normal.
 */
export function emptiedFiles(commands: readonly SimpleCommand[], workspace: string): readonly ScriptFact[] {
  const emptied: { readonly ran: SimpleCommand; readonly targets: readonly Field[] }[] = [];
  for (const ran of commands) {
    const targets = ran.redirections.length === 0 ? none : emptiedBy(ran, workspace);
    if (targets.length > 0) emptied.push({ ran, targets });
  }
  if (emptied.length === 0) return noFacts;
  const filled = filledFiles(commands);
  return emptied.flatMap(({ ran, targets }) => {
    const lost = targets.filter(({ text }) => !filled.has(text));
    return lost.length === 0 ? [] : [{ ran, fact: rule("truncate", ...lost) }];
  });
}

const none: readonly Field[] = [];
const noFacts: readonly ScriptFact[] = [];

/** Returns the files that a command without output overwrites. */
function emptiedBy(ran: SimpleCommand, workspace: string): readonly Field[] {
  return ran.redirections.flatMap(({ how, target, descriptor }) => {
    if (how !== "write" || target.isPattern || !isKnown(target)) return [];
    if (contentOf(ran, target) !== undefined || isDisposable(resolvePathText(target.text, ran.cwd), workspace))
      return [];
    return isSilent(ran) || ((descriptor ?? 1) === 1 && printsNothing(ran)) ? [target] : [];
  });
}

function isSilent({ argv, isGroup }: SimpleCommand): boolean {
  const name = programName(argv[0]);
  return (name === ":" || name === "true") && isGroup !== true;
}

/** `cat /dev/null`, `printf ''`, `echo -n`. */
function printsNothing(ran: SimpleCommand): boolean {
  const [, ...args] = ran.argv;
  if (programName(ran.argv[0]) === "cat" && args.length > 0) return args.every(({ text }) => text === "/dev/null");
  return ran.isGroup !== true && pureOutput({ ...ran, redirections: [] }) === "";
}

function isDisposable(path: string, workspace: string): boolean {
  const isOutside = isTemporary(path) && !isInside(workspace, path);
  return isOutside || path.startsWith("/dev/") || /[^/]\.(?:log|tmp|pid)(?:\.\w+)?$/u.test(path);
}

/** The files that get the output of a command. */
function filledFiles(commands: readonly SimpleCommand[]): ReadonlySet<string> {
  return new Set(
    commands.flatMap((ran) => {
      const targets = ran.redirections.filter(({ how }) => how !== "read").map(({ target }) => target.text);
      const copies = programName(ran.argv[0]) === "tee" ? ran.argv.slice(1).map(({ text }) => text) : [];
      return targets.length === 0 || isSilent(ran) || printsNothing(ran) ? copies : [...targets, ...copies];
    }),
  );
}
