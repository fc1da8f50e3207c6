import { words } from "../../../base/text/words.ts";
import { readOptions } from "../programs/options.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";
import type { Wrapper } from "./wrapper.ts";

/** Programs that read shell code. */
export const shellNames: ReadonlySet<string> = new Set(words("sh bash zsh ksh fish csh tcsh yash rc elvish nu xonsh"));

/** Handles `sh -c 'code' name args…`, code from standard input, or a file. */
export const shellWrapper: Wrapper = (ran, name) => {
  const { code, operands, readsInput } = readShell(ran.argv.slice(1));
  const started = ran.argv.filter((_, index) => /^--(?:rcfile|init-file)$/u.test(ran.argv[index - 1]?.text ?? ""));
  const first = started
    .flatMap((each) => inputText(ran, each) ?? [])
    .map((text) => ({ text, via: name, isOwnShell: true }));
  const own = { via: name, isOwnShell: true, zero: (readsInput ? undefined : operands[0]?.text) ?? name };
  if (code) return [...first, { ...own, text: code.text, positional: operands.slice(1).map(({ text }) => text) }];
  const [file] = operands;
  const input = inputText(ran, readsInput ? undefined : file);
  return input === undefined
    ? first
    : [...first, { ...own, text: input, positional: operands.slice(readsInput ? 0 : 1).map(({ text }) => text) }];
};

export interface ShellArguments {
  readonly code: Field | undefined;
  /** With `-c`, the first operand is the script name. */
  readonly operands: readonly Field[];
  readonly readsInput: boolean;
}

export function readShell(args: readonly Field[]): ShellArguments {
  let isCode = false;
  let readsInput = false;
  let offset = 0;
  for (; offset < args.length; offset++) {
    const text = args[offset]?.text ?? "";
    if (text === "--" || text === "-") {
      offset += 1;
      break;
    }
    if (!/^[-+]./u.test(text)) break;
    if (text.startsWith("--")) {
      if (/^--(?:rcfile|init-file)$/u.test(text)) offset += 1;
      if (text === "--command") isCode = true;
      continue;
    }
    if (/^-[A-Za-z]*c/u.test(text)) isCode = true;
    if (/^-[A-Za-z]*s/u.test(text)) readsInput = true;
    if (/^[-+][A-Za-z]*[oO]$/u.test(text)) offset += 1;
  }
  const rest = args.slice(offset);
  return isCode
    ? { code: rest[0] ?? knownField(""), operands: rest.slice(1), readsInput: false }
    : { code: undefined, operands: rest, readsInput };
}

export function isInputFile({ text }: Field): boolean {
  return /^(?:\/dev\/(?:stdin|fd\/)|\/proc\/self\/fd\/)/u.test(text);
}

/** Returns the code that a shell reads, with holes for unknown parts. Undefined if it reads a file or the terminal. */
function inputText(ran: SimpleCommand, file: Field | undefined): string | undefined {
  const { stdin } = ran;
  const content = file && contentOf(ran, file);
  if (content !== undefined || (file && !isInputFile(file))) return content;
  return stdin.text ?? (stdin.from.length > 0 ? hole : undefined);
}

/** Handles `source file`. */
export const sourceWrapper: Wrapper = (ran, name) => {
  const [file, ...rest] = ran.argv.slice(1).filter(({ text }) => text !== "--");
  const text = file && (file.text === hole ? hole : inputText(ran, file));
  return text === undefined
    ? []
    : [{ text, via: name, isOwnShell: false, ...(rest.length > 0 && { positional: rest.map((word) => word.text) }) }];
};

export const evalWrapper: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1).filter(({ text }, index) => !(index === 0 && text === "--"));
  return words.length === 0 ? [] : [{ text: words.map(({ text }) => text).join(" "), via: name, isOwnShell: false }];
};

/** `trap 'code' SIGNAL` runs the code later. */
export const trapWrapper: Wrapper = (ran, name) => {
  const code = ran.argv.slice(1).find(({ text }) => !/^-[lp]$|^--$/u.test(text));
  const isCode = code !== undefined && code.text !== "-" && code.text !== "" && ran.argv.length > 2;
  return isCode ? [{ text: code.text, via: name, isOwnShell: false }] : [];
};

/** Joins all arguments to one text that another shell runs. */
export function joinedPayload(words: readonly Field[], via: string): readonly Payload[] {
  return words.length === 0 ? [] : [{ text: words.map(({ text }) => text).join(" "), via, isOwnShell: true }];
}

/** Describes a program with options whose value a shell runs. */
export function textOption(short: string, long: readonly string[]): Wrapper {
  return (ran, name) =>
    readOptions(ran.argv.slice(1), { short, long })
      .values(...short.split(""), ...long)
      .flatMap((text) => joinedPayload([text], name));
}
