import { words } from "../../../base/text/words.ts";
import { type Field, literal } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { isWrapper } from "../wrappers/payloads.ts";

/**
 * Returns the values of options and variables that a program may run as a command: `--preview`, `-o ProxyCommand=…`,
 * `-XX:OnError=…`, `CC=… make`. For programs that take texts, such as `grep`, only names that mean a command count. A
 * value of one word is not returned: it has no arguments that could do harm.
 */
export function optionCommands({ argv, assignments }: SimpleCommand, name: string): readonly string[] {
  if (assignments.length === 0 && !argv.some(mayHoldCommand)) return none;
  const values: string[] = [];
  const hasTexts = takesTexts.has(name);
  const isCode = hasTexts || isWrapper(name);
  // One split command is enough, and its own words are not split again: the number of commands would explode.
  let canSplit = !hasTexts && name !== "find" && name !== "xargs" && !bareCommand.test(name);
  for (let index = 1; index < argv.length && index <= maxWords; index++) {
    const word = argv[index];
    if (!word) continue;
    const split = canSplit ? splitCommand(argv, index) : undefined;
    if (split !== undefined) {
      values.push(split);
      canSplit = false;
    }
    if (!hasBlank(word)) continue;
    const text = literal(word);
    if (text === undefined) continue;
    const value = commandIn(text, argv, index, name);
    if (value !== undefined) values.push(value);
    const quoted = isCode ? undefined : quotedCommand.exec(text)?.[1];
    if (quoted !== undefined) values.push(quoted);
  }
  for (const { name: variable, value } of assignments) {
    const text = blank.test(value.text) && commandVariables.test(variable) ? literal(value) : undefined;
    if (text !== undefined)
      values.push(
        text,
        ...(/["']([^"']+)["']/u.exec(text)?.slice(1) ?? []),
        ...(quotedCommand.exec(text)?.slice(1) ?? []),
      );
  }
  if (values.length === 0) return values;
  return values.map((value) => value.replace(/^[\s|!"'`]+/u, "").trim()).filter((value) => blank.test(value));
}

const none: readonly string[] = [];
const blank = /\s/u;

function hasBlank({ text }: Field): boolean {
  return text.includes(" ") || text.includes("\n") || text.includes("\t");
}

function mayHoldCommand(word: Field): boolean {
  const { text } = word;
  return hasBlank(word) || text.includes(",") || text.includes(";") || bareEnds.some((end) => text.endsWith(end));
}

/** The ends of the names in `bareCommand`. */
const bareEnds: readonly string[] = ["rm", "ir", "nk", "ed", "te", "dd"];

/**
 * A command that is not one word: a list (`["rm","-rf","x"]`, `rm;-rf;x`), or a program in one option and its arguments
 * in later words (`--diff-cmd rm -x '-rf x'`).
 */
function splitCommand(argv: readonly Field[], index: number): string | undefined {
  const text = argv[index]?.text ?? "";
  const [, list] = listedCommand.exec(text) ?? [];
  if (list !== undefined) return list.replaceAll(/["'\]]/gu, "").replaceAll(/[;,]/gu, " ");
  const [, program] = bareCommand.exec(text) ?? [];
  if (program === undefined || !(text.startsWith("-") || argv[index - 1]?.text.startsWith("-"))) return undefined;
  return [program, ...argv.slice(index + 1).map((word) => word.text)].join(" ");
}

const bareCommand = /^(?:--?[\w.-]+=)?(?:\/\S*\/)?(rm|rmdir|unlink|shred|truncate|dd)$/u;

const listedCommand =
  /(?:^|[=[])\s*["']?((?:\/[\w/]*\/)?(?:rm|rmdir|unlink|shred|truncate|dd|sudo|sh|bash)["']?\s*[;,]\s*["']?[^[{]+)/u;

/** A command in quotes or brackets: `system("rm -rf x")`, `%sh{rm -rf x}`, `run rm -rf x`. */
const quotedCommand =
  /(?:[=({[,:;]\s{0,20}(?:shell\s{1,20})?["'`]?|\brun\s{1,20}["']?)\s{0,20}((?:\/[\w/]*\/)?(?:rm|rmdir|unlink|shred|truncate|dd|mkfs[.\w]*|sudo)\s[^"'`{}()]+)/u;

const maxWords = 60;

function commandIn(text: string, argv: readonly Field[], index: number, name: string): string | undefined {
  const before = argv[index - 1]?.text ?? "";
  const value = ofName(text, before, argv, name) ?? optionValue(text, before, argv) ?? embedded(text, name);
  return value ?? (takesTexts.has(name) ? undefined : anyValue(text, before, name));
}

/** Programs that search, send, store or print texts. */
export const takesTexts: ReadonlySet<string> = new Set(
  words(`
  grep egrep fgrep zgrep rg ag ack git gh glab jira curl wget http https xh jq yq notify-send zenity dialog whiptail yad
  kubectl docker podman aws gcloud az sed awk perl python node ruby php lua
`),
);

/** Options whose value is text for people, such as a message. */
export const namesText =
  /^(?:-m|-t|--(?:title|message|body|description|comment|text|name|subject|prompt|query|search|note|label))$/u;

/** The value of any option, and of `NAME=VALUE` after an option. */
function anyValue(text: string, before: string, name: string): string | undefined {
  const [, dash, named] = /^(-{0,2})[\w.:-]{1,60}=([^]+)$/u.exec(text) ?? [];
  // The wrapper's own table returns its code: `bash -c`.
  if (namesText.test(before) || (/^-\w*[ce]$/u.test(before) && isWrapper(name))) return undefined;
  if (named !== undefined) return dash !== "" || before.startsWith("-") ? named : undefined;
  return /^-{1,2}[A-Za-z]/u.test(before) && !before.includes("=") ? text : undefined;
}

function optionValue(text: string, before: string, argv: readonly Field[]): string | undefined {
  const [, dash = "", option = "", value] = /^(-{0,2})([\w.:-]{2,60})=([^]+)$/u.exec(text) ?? [];
  if (value !== undefined) return (dash !== "" || /^-[co]$/u.test(before)) && runsValue(option) ? value : undefined;
  const isName = before.startsWith("-") || argv.some((word) => /^set(?:-|$)/u.test(word.text));
  return isName && runsValue(before.replace(/^-+/u, "")) ? text : undefined;
}

/** Whether one of the words of an option means a command: `--exec-command`, `-toolexec`, `OnOutOfMemoryError`. */
function runsValue(option: string): boolean {
  return option
    .replaceAll(/([a-z])([A-Z])/gu, "$1-$2")
    .toLowerCase()
    .split(/[-_.:]+/u)
    .some((part, _, parts) => commandWords.has(part) || (part === "on" && parts.includes("error")));
}

const commandWords: ReadonlySet<string> = new Set(
  words(
    "cmd command exec execute executable pager preview editor toolexec wrapper rsh askpass launcher onerror prog hook tunnel httpd",
  ),
);

/** Options of one program: `sftp -D command`, `-Dexec.executable=rm -Dexec.args=…` of Maven. */
function ofName(text: string, before: string, argv: readonly Field[], name: string): string | undefined {
  if (name === "sftp" && before === "-D") return text;
  const [, args] = /^-Dexec\.args=([^]+)$/u.exec(text) ?? [];
  const program = args === undefined ? undefined : argv.find((word) => word.text.startsWith("-Dexec.executable="));
  return program && `${program.text.slice("-Dexec.executable=".length)} ${args}`;
}

/** Commands inside of a value: `execute(…)` of fzf, `%pipe%…` of Ghostscript, `\write18{…}` of TeX, `!…` in an alias. */
function embedded(text: string, name: string): string | undefined {
  if (name === "gh" || name === "glab") return /^!([^]+)$/u.exec(text)?.[1];
  if (hasActions.has(name)) return /(?:[:`]|[([{]["']?)\s*([a-z]\w*\s[^`()[\]{}]+)/u.exec(text)?.[1];
  const [, bound, piped, written] =
    /\b(?:execute(?:-silent)?|become|reload|transform)\(([^()]+)\)|%pipe%([^]+)$|\\write18\s*\{([^{}]+)\}/u.exec(
      text,
    ) ?? [];
  return bound ?? piped ?? written;
}

const commandVariables =
  /^(?:CC|CXX|CPP|LD|AR|AS|STRIP|\w*(?:SHELL|CMD|COMMAND|EXEC|EDIT|EDITOR|PAGER|VIEWER|BROWSER|ASKPASS|PROG|RSH|RUNNER|WRAPPER|HOOK|LAUNCHER|OPTS|FLAGS))$/u;

/** Programs whose values contain commands in brackets or after a colon: `reload:…`, `%(…)`. */
const hasActions: ReadonlySet<string> = new Set(words("fzf sk rofi rpm rpmbuild rpmspec mutt neomutt m4 dvips"));
