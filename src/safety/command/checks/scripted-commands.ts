import { words } from "../../../base/text/words.ts";
import { type Fact, rule } from "../fact.ts";
import { onlyPrintsArguments } from "../programs/deletion-verbs.ts";
import { isKnownProgram } from "../programs/program-facts.ts";
import { knownField } from "../shell/field.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";
import { isWrapper } from "../wrappers/payloads.ts";
import { takesTexts } from "./command-options.ts";

/**
 * Finds shell commands in a program's own language, which the program gets on its input or in a file that the script
 * wrote: `shell rm x` of gdb, `run-shell` of tmux, `ProxyCommand` of ssh, `syscmd(…)` of m4. Of an unknown program only
 * the input and process substitutions count.
 */
export function scriptedCommands(ran: SimpleCommand, name: string): readonly string[] {
  return scriptsOf(ran, name).flatMap(startedIn);
}

/** Finds scripts for unknown programs that delete something in words of another language: `file(REMOVE_RECURSE …)`. */
export function deletingScripts(ran: SimpleCommand, name: string): readonly Fact[] {
  const script = scriptsOf(ran, name).find((text) => deletes.test(text.slice(0, maxChars)));
  return script === undefined ? none : [rule("unreadable_code", ...ran.argv, knownField(script.slice(0, 120)))];
}

const none: readonly Fact[] = [];
const noTexts: readonly string[] = [];

function scriptsOf(ran: SimpleCommand, name: string): readonly string[] {
  const { stdin, contents, argv } = ran;
  // Fast path: nearly all commands have no input and no file with known content.
  if (stdin.text === undefined && contents.size === 0) return noTexts;
  const isListed = scripted.has(name);
  if (!isListed && (isKnownProgram(name) || isWrapper(name) || onlyPrintsArguments(name) || takesTexts.has(name)))
    return noTexts;
  const texts: string[] = [];
  if (stdin.text !== undefined) texts.push(stdin.text);
  for (let index = 1; contents.size > 0 && index < argv.length; index++) {
    const file = (argv[index]?.text ?? "").replace(/^--?[\w-]+=/u, "");
    const content = isListed || file.startsWith("/dev/fd/") ? contentOf(ran, { text: file }) : undefined;
    if (content !== undefined) texts.push(content);
  }
  return texts;
}

function startedIn(text: string): readonly string[] {
  return text
    .slice(0, maxChars)
    .split("\n")
    .flatMap((line) => {
      const [, command = ""] = starts.exec(line) ?? recipe.exec(line) ?? [];
      return command === ""
        ? []
        : [command.replaceAll(/["'],\s*["']/gu, " ").replace(/(?<!["'`)\]}|;\s])["'`)\]}|;\s]+$/u, "")];
    })
    .slice(0, maxCommands);
}

const maxChars = 20_000;
const maxCommands = 10;

const starts =
  /(?:^\s*[:~]?!|^\.(?:sy|pso)\s+|\b(?:COMMAND\s|(?:c|XferC)ommand\s*=|source\s+["']|commandLine[\s("'[]+)\s*|\b(?:shell(?:-command)?|run-shell|if-shell|exec\w*|Exec\w*|spawn|ProxyCommand|LocalCommand|[sS]ystem|syscmd|esyscmd|popen|sh|callCommand|command)\b[\s("'`{[]+)(\S[^]*)$/u;

/** A line of a recipe, or an item of a list: `  @rm -rf x`, `- rm -rf x`, `cmds: ["rm -rf x"]`. */
const recipe =
  /^(?:.*[[,:;]\s*["']|[\s@:-]*)((?:sudo\s+)?(?:rm|rmdir|shred|dd|truncate|mv|curl|wget|find|git)(?:\s|["'],)[^]*)$/u;

/** Names of functions that delete files, in any language, and the task of Ant. */
const deletes =
  /\b(?:REMOVE_RECURSE|rmtree|rm_rf?!?|rmdir\w*|rmDir|unlink|remove(?:File|Dir|Directory|Tree|Path)\w*|delete(?:Recursively|Dir|Directory|File|Tree)\w*|Delete(?:Directory|File)|Directory\.Delete|File\.Delete|delete-(?:directory|file)|os\.remove|REMOVE\s+(?:DATABASE|NAMESPACE|TABLE))\b|<delete\s|\bdelete\s+["'(]|\.rm(?:Sync)?\(/u;

const scripted: ReadonlySet<string> = new Set(
  words(`
  gdb lldb tmux screen ssh scp sftp ftp lftp vim vi nvim ex view emacs m4 tclsh wish expect gnuplot octave r rscript irb
  pry swipl scons cmake ninja gradle ant mutt neomutt pacman mail mailx telnet groff troff nroff pandoc jshell nmap
  just task meson bazel doit nim kotlin kotlinc dotnet
`),
);
