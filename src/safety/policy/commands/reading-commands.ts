import { words } from "../../../base/text/words.ts";
import { programName } from "../../command/programs/program-name.ts";
import { isKnown } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";

/**
 * Returns whether the command certainly changes nothing, for the read-only mode. A command that is not listed counts as
 * changing something.
 */
export function changesNothing({ argv, assignments, redirections, isBackground }: SimpleCommand): boolean {
  const name = programName(argv[0]);
  if (name === undefined || isBackground || assignments.length > 0 || argv.some((word) => !isKnown(word))) return false;
  if (
    !redirections.every(({ how, target }) => how === "read" || target.text === "/dev/null" || /^\d$/u.test(target.text))
  )
    return false;
  const words = argv.slice(1).map(({ text }) => text);
  if (readers.has(name)) return true;
  const options = optionReaders.get(name);
  if (options) return !words.some((word) => options.test(word));
  return (
    name === "git" &&
    gitReads.test(words.join(" ")) &&
    !words.some((word) => /^--(?:output|ext-diff|textconv|open-files)|^-O/u.test(word))
  );
}

const readers: ReadonlySet<string> = new Set(
  words(`
  cat head tail wc ls pwd echo printf true false test [ stat du df grep egrep fgrep cut tr nl tac rev basename
  dirname realpath readlink cmp diff comm md5sum sha1sum sha256sum strings od hexdump id whoami uname arch nproc
  uptime ps which type jq seq sleep cd free column paste join expr
`),
);

/** Programs that only read, unless an argument matches the pattern. */
const optionReaders: ReadonlyMap<string, RegExp> = new Map([
  ["rg", /^--(?:pre|hostname-bin)/u],
  ["sort", /^(?:-[A-Za-z]*[oT]|--(?:o|comp|t))/u],
  ["find", /^-(?:exec|ok|delete|fprint|fls)/u],
  ["file", /^(?:-[A-Za-z]*C|--comp)/u],
  ["tree", /^-[A-Za-z]*[oR]/u],
  ["date", /^(?:-[a-z]*s|--set)/u],
  ["hostname", /^[^-]/u],
]);

const gitReads =
  /^(?:status|log|diff|show|rev-parse|ls-files|ls-tree|blame|describe|shortlog|cat-file|grep|branch --list|remote -v|stash list)\b/u;
