import { hole } from "../../command/shell/field.ts";
import type { Effects } from "../reading/effects.ts";
import { textValue } from "../reading/value.ts";

/**
 * Reports the commands that a sed script runs (`e`, `s///e`) and the files that it writes (`w`, `s///w`) and reads
 * (`r`).
 */
export function readSed(source: string, effects: Effects): void {
  readScript(source, effects, true);
  // Some implementations of sed end a pattern at a delimiter in brackets, so both interpretations are analysed.
  if (source.includes("[")) readScript(source, effects, false);
}

function readScript(source: string, effects: Effects, hasBrackets: boolean): void {
  let index = 0;

  const skip = (pattern: RegExp) => {
    while (index < source.length && pattern.test(source[index] ?? "")) index += 1;
  };

  const unreadable = () => {
    if (hasBrackets) effects.find("unreadable_code", source);
  };

  /** The rest of the line. */
  function rest(): string {
    const end = source.indexOf("\n", index);
    const text = source.slice(index, end < 0 ? source.length : end);
    index = end < 0 ? source.length : end + 1;
    return text.trim();
  }

  /** Reads up to an unescaped delimiter. In a pattern, delimiters inside brackets are skipped. */
  function part(delimiter: string, isPattern = false): string | undefined {
    const from = index;
    for (; index < source.length; index++) {
      const char = source[index];
      if (char === "\\") index += 1;
      else if (char === "[" && isPattern && hasBrackets) index = bracketsEnd();
      else if (char === delimiter) {
        index += 1;
        return source.slice(from, index - 1);
      }
    }
    return undefined;
  }

  /**
   * Returns the index of the `]` that ends `[…]`. A `]` directly after `[` or `[^`, or in `[:alpha:]`, does not end it.
   */
  function bracketsEnd(): number {
    brackets.lastIndex = index;
    return brackets.test(source) ? brackets.lastIndex - 1 : source.length;
  }

  function address(): boolean {
    const char = source[index] ?? "";
    if (source.startsWith(hole, index)) {
      index += hole.length;
      skip(/[\d$~+]/u);
      return true;
    }
    if (/[\d$+~]/u.test(char)) {
      index += 1;
      while (/[\d~$]/u.test(source[index] ?? "") || source.startsWith(hole, index))
        index += source.startsWith(hole, index) ? hole.length : 1;
      return true;
    }
    if (char !== "/" && char !== "\\") return false;
    index += char === "\\" ? 2 : 1;
    if (part(char === "\\" ? (source[index - 1] ?? "/") : "/", true) === undefined) unreadable();
    skip(/[IM]/u);
    return true;
  }

  function substitute(): void {
    const delimiter = source[index] ?? "/";
    index += 1;
    const pattern = part(delimiter, true);
    const replacement = part(delimiter);
    if (pattern === undefined || replacement === undefined) {
      unreadable();
      return;
    }
    const from = index;
    skip(/[gpiImMe0-9]/u);
    const flags = source.slice(from, index);
    if (source[index] === "w") {
      index += 1;
      effects.path("write", textValue(rest()));
    } else if (source.startsWith(hole, index)) effects.find("unknown_code", source);
    if (!flags.includes("e")) return;
    const isWhole = /^\^?\.\*\$?$/u.test(pattern);
    const text = replacement.replaceAll(/(?<!\\)&|\\\d/gu, hole).replaceAll(/\\(.)/gsu, "$1");
    effects.carry(textValue(isWhole ? text : `${hole}${text}${hole}`), source);
  }

  while (index < source.length) {
    skip(/[\s;{}]/u);
    if (index >= source.length) return;
    const start = index;
    if (address()) {
      skip(/\s/u);
      if (source[index] === ",") {
        index += 1;
        skip(/\s/u);
        address();
      }
    }
    skip(/[\s!]/u);
    const command = source[index] ?? "";
    index += 1;
    switch (command) {
      case "":
        if (source.slice(start).includes(hole)) effects.find("unknown_code", source);
        return;
      case "s":
        substitute();
        break;
      case "y": {
        const delimiter = source[index] ?? "/";
        index += 1;
        part(delimiter);
        part(delimiter);
        break;
      }
      case "e": {
        const text = rest();
        effects.carry(textValue(text === "" ? hole : text), source);
        break;
      }
      case "w":
      case "W":
        effects.path("write", textValue(rest()));
        break;
      case "r":
      case "R":
        effects.path("read", textValue(rest()));
        break;
      case "a":
      case "i":
      case "c": {
        // The text continues after a line that ends with a backslash.
        let line = rest();
        while (line.endsWith("\\") && index < source.length) line = rest();
        break;
      }
      case "#":
        rest();
        break;
      case ":":
      case "b":
      case "t":
      case "T":
        skip(/[^;\n}]/u);
        break;
      case "q":
      case "Q":
      case "l":
      case "L":
        skip(/[\s\d]/u);
        break;
      default:
        if (!/^[=dDgGhHnNpPxzFv{}]$/u.test(command)) {
          if (source.startsWith(hole, index - 1)) effects.find("unknown_code", source);
          // For an unknown command, sed itself rejects the script.
          return;
        }
    }
  }
}

const brackets = /\[\^?\]?(?:\[([:.=])[^]*?\1\]|[^\]])*\]/uy;
