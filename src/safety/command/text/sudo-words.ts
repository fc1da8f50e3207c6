import {
  type Command,
  type CommandArgument,
  forEachChild,
  parse,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";

import type { SudoUse } from "../../../contracts/safety/command-analysis.ts";

/**
 * Returns every `sudo` in a line that would ask for a password: in pipelines, lists, subshells, functions and
 * substitutions, and after programs that run another one (`env`, `time`, `nice` …). Ignores quoted text, such as for
 * `bash -c`. Empty if the line cannot be parsed: then the line runs unchanged. `tree` is the parsed line, if available.
 */
export function findSudo(line: string, tree?: ParsedScript): readonly SudoUse[] {
  if (!/\bsudo\b/u.test(line)) return [];
  const uses: SudoUse[] = [];
  return visit(tree ?? parse(line), false, { line, uses }) ? uses : [];
}

interface Search {
  readonly line: string;
  readonly uses: SudoUse[];
}

/** Returns false if a part could not be parsed. `isFed`: the line provides the standard input. */
function visit(node: SyntaxNode, isFed: boolean, search: Search): boolean {
  if (node.type === "Script") {
    if (node.errors && node.errors.length > 0) return false;
    // True if the positions do not refer to the line.
    if (node.source !== undefined) return true;
  }
  const fedHere = isFed || ((node.type === "Command" || node.type === "Redirected") && node.redirects.some(feeds));
  if (node.type === "Command") {
    const use = sudoOf(node, fedHere, search.line);
    if (use) search.uses.push(use);
  }
  let isFine = true;
  let isFirst = true;
  forEachChild(node, (child) => {
    const isPiped = node.type === "Pipeline" && child.type !== "Time" && child.type !== "Negation" && !isFirst;
    if (child.type !== "Time" && child.type !== "Negation") isFirst = false;
    isFine &&= visit(child, fedHere || isPiped, search);
  });
  return isFine;
}

function feeds(redirect: Redirection): boolean {
  const { descriptor } = redirect;
  if (descriptor && !(descriptor.type === "FileDescriptor" && descriptor.value === 0)) return false;
  if (redirect.type !== "Redirect") return true;
  return ["<", "<>", "<&"].includes(redirect.operator) && redirect.target?.value !== "/dev/null";
}

function sudoOf(command: Command, isFed: boolean, line: string): SudoUse | undefined {
  const words = command.name ? [command.name, ...command.args] : [];
  const index = programAt(words);
  const sudo = index === undefined ? undefined : words[index];
  if (index === undefined || !sudo || sudo.type !== "Word" || !isNamed(sudo, "sudo")) return undefined;
  if (line.slice(sudo.pos, sudo.end) !== sudo.text) return undefined;
  const { letters, input, hasCommand } = optionsOf(words.slice(index + 1));
  const asks = hasCommand || ["s", "i", "e", "l", "v"].some((letter) => letters.has(letter));
  if (!asks || ["A", "n", "V", "K"].some((letter) => letters.has(letter))) return undefined;
  if (!letters.has("S")) return { edit: { from: sudo.end, to: sudo.end, text: " -A" }, readsGiven: false };
  if (!input) return undefined;
  return { edit: { from: input.pos, to: input.end, text: askingInstead(input.text) }, readsGiven: isFed };
}

/** Replaces `-S` with `-A`: sudo accepts only one of the two. */
function askingInstead(option: string): string {
  return option.startsWith("--") ? "--askpass" : option.replace("S", "A");
}

/** Returns the index of the program that finally runs, after programs that only start another one. */
function programAt(words: readonly CommandArgument[]): number | undefined {
  let index = 0;
  for (;;) {
    const word = words[index];
    if (!word || word.type !== "Word") return undefined;
    const runner = runners.find(({ name }) => isNamed(word, name));
    if (!runner) return index;
    index += 1;
    for (let operands = runner.operands ?? 0; ; index++) {
      const next = words[index];
      const text = next?.type === "Word" ? next.value : "";
      if (runner.onlyLooks?.test(text)) return undefined;
      if (runner.withValue?.test(text)) index += 1;
      else if (next?.type !== "Assignment" && !/^(?:-|\w+=)/u.test(text) && operands-- <= 0) break;
    }
  }
}

interface Runner {
  readonly name: string;
  /** Options whose value is a separate word. */
  readonly withValue?: RegExp;
  /** The number of words before the program. */
  readonly operands?: number;
  /** Options with which the program only prints information. */
  readonly onlyLooks?: RegExp;
}

const runners: readonly Runner[] = [
  { name: "env", withValue: /^(?:-[uC]|--unset|--chdir)$/u, onlyLooks: /^(?:-\w*S|--split-string)/u },
  { name: "command", onlyLooks: /^-\w*[vV]/u },
  { name: "exec", withValue: /^-\w*a$/u },
  { name: "time", withValue: /^(?:-[fo]|--format|--output)$/u },
  { name: "nice", withValue: /^(?:-n|--adjustment)$/u },
  { name: "ionice", withValue: /^(?:-[cn]|--class|--classdata)$/u },
  { name: "timeout", withValue: /^(?:-[sk]|--signal|--kill-after)$/u, operands: 1 },
  { name: "stdbuf", withValue: /^(?:-[ioe]|--input|--output|--error)$/u },
  { name: "xargs", withValue: /^-[adEILnPs]$/u },
  { name: "nohup" },
  { name: "setsid" },
  { name: "chronic" },
];

function isNamed({ text, value }: Word, name: string): boolean {
  if (/[$`*?[{]/u.test(text)) return false;
  return value === name || (value.startsWith("/") && value.endsWith(`/${name}`));
}

/** The arguments of sudo itself: its options as letters, the word that contains `-S`, and whether a command follows. */
function optionsOf(words: readonly CommandArgument[]) {
  const letters = new Set<string>();
  let input: Word | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (!word || word.type !== "Word") continue;
    const { value } = word;
    if (value === "--") return { letters, input, hasCommand: index + 1 < words.length };
    if (/^\w+=/u.test(value)) continue;
    if (!/^-./u.test(value)) return { letters, input, hasCommand: true };
    if (value.startsWith("--")) {
      const [name = "", given] = value.slice(2).split("=", 2);
      const letter = longOptions.get(name);
      if (letter !== undefined) letters.add(letter);
      if (letter === "S") input = word;
      if (longWithValue.has(name) && given === undefined) index += 1;
      continue;
    }
    for (const [place, letter] of Array.from(value.slice(1)).entries()) {
      letters.add(letter);
      if (letter === "S" && word.text === value) input = word;
      if (!lettersWithValue.has(letter)) continue;
      if (place === value.length - 2) index += 1;
      break;
    }
  }
  return { letters, input, hasCommand: false };
}

const lettersWithValue: ReadonlySet<string> = new Set("CDRTUgprtuh");
const longWithValue: ReadonlySet<string> = new Set(
  "close-from chdir chroot command-timeout other-user group prompt role type user host".split(" "),
);
const longOptions: ReadonlyMap<string, string> = new Map([
  ["askpass", "A"],
  ["stdin", "S"],
  ["non-interactive", "n"],
  ["version", "V"],
  ["help", "V"],
  ["remove-timestamp", "K"],
  ["shell", "s"],
  ["login", "i"],
  ["edit", "e"],
  ["list", "l"],
  ["validate", "v"],
]);
