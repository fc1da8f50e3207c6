import { words } from "../../../base/text/words.ts";
import { type Field, literal } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";

/**
 * Returns the values of options and variables that a program runs as a command, judged by their names: `--preview`,
 * `-o ProxyCommand=…`, `-XX:OnError=…`, `CC=… make`. A value of one word is not returned: it has no arguments that could
 * do harm.
 */
export function optionCommands({ argv, assignments }: SimpleCommand, name: string): readonly string[] {
  const hasBlank = ({ text }: Field) => /\s/u.test(text);
  if (!argv.some(hasBlank) && !assignments.some(({ value }) => hasBlank(value))) return [];
  const values: string[] = [];
  for (const [index, word] of argv.slice(1, maxWords).entries()) {
    const text = literal(word);
    if (text === undefined) continue;
    const value = ofName(text, argv, index + 1, name) ?? optionValue(text, argv, index + 1) ?? embedded(text, name);
    if (value !== undefined) values.push(value);
  }
  for (const { name: variable, value } of assignments) {
    const text = commandVariables.test(variable) ? literal(value) : undefined;
    if (text !== undefined) values.push(text);
  }
  return values.map((value) => value.trim()).filter((value) => /\s/u.test(value));
}

const maxWords = 60;

function optionValue(text: string, argv: readonly Field[], index: number): string | undefined {
  const [, dash = "", option = "", value] = /^(-{0,2})([\w.:-]{2,60})=([^]+)$/u.exec(text) ?? [];
  if (value !== undefined) {
    const isOption = dash !== "" || argv[index - 1]?.text === "-o";
    return isOption && runsValue(option) ? value : undefined;
  }
  const next = argv[index + 1];
  return text.startsWith("-") && next && runsValue(text.replace(/^-+/u, "")) ? literal(next) : undefined;
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
  words("cmd command exec execute executable pager preview editor toolexec wrapper rsh askpass launcher onerror"),
);

/** Options of one program: `sftp -D command`, `-Dexec.executable=rm -Dexec.args=…` of Maven. */
function ofName(text: string, argv: readonly Field[], index: number, name: string): string | undefined {
  if (name === "sftp" && text === "-D") return argv[index + 1]?.text;
  const [, program] = /^-Dexec\.executable=([^]+)$/u.exec(text) ?? [];
  const args = argv.find((word) => word.text.startsWith("-Dexec.args="))?.text.slice("-Dexec.args=".length);
  return program === undefined || args === undefined ? undefined : `${program} ${args}`;
}

/** Commands inside of a value: `execute(…)` of fzf, `%pipe%…` of Ghostscript, `\write18{…}` of TeX, `!…` in an alias. */
function embedded(text: string, name: string): string | undefined {
  if (name === "gh" || name === "glab") return /^!([^]+)$/u.exec(text)?.[1];
  const [, bound, piped, written] =
    /\b(?:execute(?:-silent)?|become|reload|transform)\(([^()]+)\)|%pipe%([^]+)$|\\write18\s*\{([^{}]+)\}/u.exec(
      text,
    ) ?? [];
  return bound ?? piped ?? written;
}

const commandVariables = /^(?:CC|CXX|CPP|LD|AR|AS|STRIP|SHELL|[A-Z_]+_(?:CMD|COMMAND|EXEC|WRAPPER|HOOK|LAUNCHER))$/u;
