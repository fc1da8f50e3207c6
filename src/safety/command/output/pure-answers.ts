import { posix } from "node:path";

import { findListing } from "../checks/find-roots.ts";
import { type Field, hole } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";

/**
 * Returns the output of programs that depends only on their arguments or the folder. Unknown parts are marked as holes.
 * Undefined if unknown.
 */
export function pureAnswer(name: string, ran: SimpleCommand): string | undefined {
  const words = ran.argv.slice(1);
  if (silent.has(name)) return "";
  if (isShellHook(name, words)) return "";
  const place = places.get(words.length > 3 ? name : [name, ...words.map(({ text }) => text)].join(" "));
  if (place !== undefined) return `${place.startsWith("/") ? place : `${ran.cwd}/${place}`}\n`;
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
    case "ls":
      return listing(words);
    case "find":
      return programPath(words);
    case "yes":
      return `${operands.length > 0 ? operands.join(" ") : "y"}\n`.repeat(20);
    case "pyenv":
    case "rbenv":
    case "nodenv":
    case "asdf":
    case "mise":
    case "rustup":
      return first === "which" && operands.length === 2 ? `/usr/local/bin/${operands[1]}\n` : undefined;
    case "seq":
      return sequence(operands.map(Number));
    case "git":
      return words.map(({ text }) => text).join(" ") === "rev-parse --show-toplevel" ? `${ran.cwd}\n` : undefined;
    default:
      return undefined;
  }
}

/** The entries of the root folder that every machine has: `ls /`, `ls -d /*`. */
function listing(words: readonly Field[]): string | undefined {
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  const [only] = operands;
  if (operands.length !== 1 || words.some(({ text }) => /^-[a-zA-Z]*[lRsi]/u.test(text))) return undefined;
  if (only?.text === "/") return topFolders.map((name) => `${name}\n`).join("");
  return only?.text === "/*" && words.some(({ text }) => /^-[a-zA-Z]*d/u.test(text))
    ? topFolders.map((name) => `/${name}\n`).join("")
    : undefined;
}

const topFolders: readonly string[] =
  "bin boot dev etc home lib media mnt opt proc root run sbin srv sys tmp usr var".split(" ");

/** The folders themselves, and their entries. */
function programPath(words: readonly Field[]): string | undefined {
  const { roots, isNarrow } = findListing(words);
  const isPrinting = words.every(
    ({ text }) => !/^-(?:exec|ok|delete|fprint|printf|print0|ls|mindepth|quit)/u.test(text),
  );
  return isNarrow || !isPrinting ? undefined : roots.map(({ text }) => `${text}\n${hole}\n`).join("");
}

/** The locations of programs that these commands print. */
const places: ReadonlyMap<string, string> = new Map([
  ["npm bin", "node_modules/.bin"],
  ["yarn bin", "node_modules/.bin"],
  ["pnpm bin", "node_modules/.bin"],
  ["npm root", "node_modules"],
  ["npm bin -g", "/usr/local/bin"],
  ["npm root -g", "/usr/local/lib/node_modules"],
  ["npm prefix -g", "/usr/local"],
  ["yarn global bin", "/usr/local/bin"],
  ["go env GOPATH", "/usr/local/go"],
  ["go env GOROOT", "/usr/local/go"],
  ["go env GOBIN", "/usr/local/go/bin"],
  ["brew --prefix", "/usr/local"],
  ["pyenv root", "/usr/local/pyenv"],
  ["rbenv root", "/usr/local/rbenv"],
]);

/** Programs that print nothing on success. */
const silent: ReadonlySet<string> = new Set(
  (
    ": true false cd export unset set shopt local declare alias read mapfile test [ mkdir touch sleep wait shift chmod " +
    "trap exec break continue return"
  ).split(" "),
);

/** Returns whether the command prints shell code of a well-known program for `eval`. */
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
  if (!numbers.every(Number.isSafeInteger) || !(count >= 0 && count <= maxNumbers)) return undefined;
  return Array.from({ length: count }, (_, index) => `${from + step * index}\n`).join("");
}

const maxNumbers = 1_000;
