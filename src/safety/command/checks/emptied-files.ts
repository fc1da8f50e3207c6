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
  return commands.flatMap((ran) => {
    if (ran.redirections.length === 0) return [];
    const targets = emptiedBy(ran, workspace).filter((target) =>
      commands.every((other) => other === ran || !fills(other, target)),
    );
    return targets.length === 0 ? [] : [{ ran, fact: rule("truncate", ...targets) }];
  });
}

/** Returns the files that a command without output overwrites. */
function emptiedBy(ran: SimpleCommand, workspace: string): readonly Field[] {
  const name = programName(ran.argv[0]);
  const isSilent = (name === ":" || name === "true") && ran.isGroup !== true;
  return ran.redirections.flatMap(({ how, target, descriptor }) => {
    if (how !== "write" || target.isPattern || !isKnown(target)) return [];
    if (contentOf(ran, target) !== undefined || isDisposable(resolvePathText(target.text, ran.cwd), workspace))
      return [];
    return isSilent || ((descriptor ?? 1) === 1 && printsNothing(ran)) ? [target] : [];
  });
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

/** Returns whether a command writes to the file of another one. */
function fills(other: SimpleCommand, { text }: Field): boolean {
  if (other.redirections.some(({ how, target }) => how !== "read" && target.text === text)) return true;
  return programName(other.argv[0]) === "tee" && other.argv.some((word) => word.text === text);
}
