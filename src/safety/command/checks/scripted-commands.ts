import { words } from "../../../base/text/words.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";

/**
 * Finds shell commands in a program's own language, which the program gets on its input or in a file that the script
 * wrote: `shell rm x` of gdb, `run-shell` of tmux, `ProxyCommand` of ssh, `syscmd(…)` of m4.
 */
export function scriptedCommands(ran: SimpleCommand, name: string): readonly string[] {
  if (!scripted.has(name)) return [];
  const files =
    ran.contents.size === 0
      ? []
      : ran.argv.slice(1).map(({ text }) => contentOf(ran, { text: text.replace(/^--?[\w-]+=/u, "") }));
  return [ran.stdin.text, ...files].flatMap((text) => (text === undefined ? [] : startedIn(text)));
}

function startedIn(text: string): readonly string[] {
  return text
    .slice(0, maxChars)
    .split("\n")
    .flatMap((line) => {
      const [, command = ""] = starts.exec(line) ?? [];
      return command === ""
        ? []
        : [command.replaceAll(/["'],\s*["']/gu, " ").replace(/(?<!["'`)\]}|;\s])["'`)\]}|;\s]+$/u, "")];
    })
    .slice(0, maxCommands);
}

const maxChars = 20_000;
const maxCommands = 10;

const starts =
  /(?:^\s*[:~]?!|^\.(?:sy|pso)\s+|\b(?:COMMAND\s|(?:c|XferC)ommand\s*=|source\s+["']|commandLine[\s("'[]+)\s*|\b(?:shell(?:-command)?|run-shell|if-shell|exec|spawn|ProxyCommand|LocalCommand|system|syscmd|esyscmd|popen|sh)\b[\s("'`{[]+)(\S[^]*)$/u;

const scripted: ReadonlySet<string> = new Set(
  words(`
  gdb lldb tmux screen ssh scp sftp ftp lftp vim vi nvim ex view emacs m4 tclsh wish expect gnuplot octave r rscript irb
  pry swipl scons cmake ninja gradle ant mutt neomutt pacman mail mailx telnet groff troff nroff pandoc jshell nmap
`),
);
