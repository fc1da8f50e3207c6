import { posix } from "node:path";

import { type Field, hole } from "./shell/field.ts";
import type { SimpleCommand } from "./shell/simple-command.ts";

/** What programs print that answer from their words, the folder or nothing. With holes; undefined: not known. */
export function answerOf(name: string, ran: SimpleCommand): string | undefined {
  const words = ran.argv.slice(1);
  if (silent.has(name)) return "";
  if (isShellHook(name, words)) return "";
  const operands = words.filter(({ text }) => !text.startsWith("-")).map(({ text }) => text);
  const [first] = operands;
  switch (name) {
    case "pwd":
      return `${ran.cwd}\n`;
    case "mktemp":
      return words.some(({ text }) => /^-(?!-?(?:d|q|u|dry-run|directory|quiet)$)/u.test(text)) || operands.length > 1
        ? undefined
        : `${(first ?? "/tmp/tmp.XXXXXX").replace(/X{3,}/u, hole)}\n`;
    case "which":
    case "command":
    case "type":
      return operands.length === 1 && (name === "which" || /^-[vpP]$/u.test(words[0]?.text ?? ""))
        ? `${first}\n`
        : undefined;
    case "basename":
      return first === undefined || first.includes(hole) ? undefined : `${posix.basename(first, operands[1])}\n`;
    case "dirname":
      return first === undefined || first.startsWith(hole) ? undefined : `${posix.dirname(first)}\n`;
    case "realpath":
      return first === undefined || operands.length > 1 ? undefined : `${posix.resolve(ran.cwd, first)}\n`;
    case "readlink":
      return first !== undefined && words[0]?.text === "-f" ? `${posix.resolve(ran.cwd, first)}\n` : undefined;
    case "seq":
      return sequence(operands.map(Number));
    case "git":
      return words.map(({ text }) => text).join(" ") === "rev-parse --show-toplevel" ? `${ran.cwd}\n` : undefined;
    default:
      return undefined;
  }
}

/** They do their work without a word. */
const silent: ReadonlySet<string> = new Set(
  (
    ": true false cd export unset set shopt local declare alias read mapfile test [ mkdir touch sleep wait shift chmod " +
    "trap exec break continue return"
  ).split(" "),
);

/** Shell code that a well-known program prints for `eval`: settings of its own. */
function isShellHook(name: string, words: readonly Field[]): boolean {
  const hook = hooks.get(name) ?? (/^completions?$/u.test(words[0]?.text ?? "") ? completion : undefined);
  return hook?.test(words.map(({ text }) => text).join(" ")) === true;
}

const completion = /^completions? (?:-s )?(?:bash|zsh|fish)$/u;

const hooks: ReadonlyMap<string, RegExp> = new Map([
  ["ssh-agent", /^(?:-[sc])?$/u],
  ["direnv", /^(?:hook|export) \w+$/u],
  ["pyenv", /^(?:virtualenv-)?init(?: -+\w*)*$/u],
  ["rbenv", /^init(?: -+\w*)*$/u],
  ["nodenv", /^init(?: -+\w*)*$/u],
  ["brew", /^shellenv$/u],
  ["starship", /^init \w+$/u],
  ["zoxide", /^init \w+(?: --[\w =-]*)?$/u],
  ["conda", /^shell\.\w+ hook$/u],
  ["opam", /^env(?: --[\w=-]+)*$/u],
  ["fnm", /^env(?: --[\w =-]+)*$/u],
  ["mise", /^(?:activate|hook-env)(?: \w+)?$/u],
  ["dircolors", /^(?:-b)?$/u],
  ["docker-machine", /^env [\w-]+$/u],
  ["minikube", /^docker-env$/u],
]);

function sequence(numbers: readonly number[]): string | undefined {
  const [from = 1, step = 1, to = Number.NaN] =
    numbers.length === 1 ? [1, 1, ...numbers] : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
  const count = Math.floor((to - from) / step) + 1;
  if (!numbers.every(Number.isSafeInteger) || !(count >= 0 && count <= mostNumbers)) return undefined;
  return Array.from({ length: count }, (_, index) => `${from + step * index}\n`).join("");
}

const mostNumbers = 1_000;
