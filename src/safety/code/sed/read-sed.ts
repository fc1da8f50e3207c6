import { hole } from "../../command/shell/field.ts";
import type { Effects } from "../reading/effects.ts";
import { textValue } from "../reading/value.ts";

/** What a sed script runs (`e`, `s///e`), writes (`w`, `s///w`) and reads (`r`). */
export function readSed(source: string, effects: Effects): void {
  let at = 0;

  const skip = (pattern: RegExp) => {
    while (at < source.length && pattern.test(source[at] ?? "")) at += 1;
  };

  /** The rest of the line. */
  function rest(): string {
    const end = source.indexOf("\n", at);
    const text = source.slice(at, end < 0 ? source.length : end);
    at = end < 0 ? source.length : end + 1;
    return text.trim();
  }

  /** Up to a delimiter that no backslash protects. */
  function part(delimiter: string): string | undefined {
    const from = at;
    let isSet = false;
    for (; at < source.length; at++) {
      const char = source[at];
      if (char === "\\") at += 1;
      else if (char === "[" && delimiter === "/") isSet = source.indexOf("]", at + 2) > 0 && isSet;
      else if (char === delimiter && !isSet) {
        at += 1;
        return source.slice(from, at - 1);
      }
    }
    return undefined;
  }

  function address(): boolean {
    const char = source[at] ?? "";
    if (source.startsWith(hole, at)) {
      at += hole.length;
      skip(/[\d$~+]/u);
      return true;
    }
    if (/[\d$+~]/u.test(char)) {
      at += 1;
      while (/[\d~$]/u.test(source[at] ?? "") || source.startsWith(hole, at))
        at += source.startsWith(hole, at) ? hole.length : 1;
      return true;
    }
    if (char !== "/" && char !== "\\") return false;
    at += char === "\\" ? 2 : 1;
    if (part(char === "\\" ? (source[at - 1] ?? "/") : "/") === undefined) effects.find("unreadable_code", source);
    skip(/[IM]/u);
    return true;
  }

  function substitute(): void {
    const delimiter = source[at] ?? "/";
    at += 1;
    const pattern = part(delimiter);
    const replacement = part(delimiter);
    if (pattern === undefined || replacement === undefined) {
      effects.find("unreadable_code", source);
      return;
    }
    const from = at;
    skip(/[gpiImMe0-9]/u);
    const flags = source.slice(from, at);
    if (source[at] === "w") {
      at += 1;
      effects.path("write", textValue(rest()));
    } else if (source.startsWith(hole, at)) effects.find("unknown_code", source);
    if (!flags.includes("e")) return;
    const isWhole = /^\^?\.\*\$?$/u.test(pattern);
    const text = replacement.replaceAll(/(?<!\\)&|\\\d/gu, hole).replaceAll(/\\(.)/gsu, "$1");
    effects.carry(textValue(isWhole ? text : `${hole}${text}${hole}`), source);
  }

  while (at < source.length) {
    skip(/[\s;{}]/u);
    if (at >= source.length) return;
    const start = at;
    if (address()) {
      skip(/\s/u);
      if (source[at] === ",") {
        at += 1;
        skip(/\s/u);
        address();
      }
    }
    skip(/[\s!]/u);
    const command = source[at] ?? "";
    at += 1;
    switch (command) {
      case "":
        if (source.slice(start).includes(hole)) effects.find("unknown_code", source);
        return;
      case "s":
        substitute();
        break;
      case "y": {
        const delimiter = source[at] ?? "/";
        at += 1;
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
        // Its text goes on after a line end with a backslash.
        let line = rest();
        while (line.endsWith("\\") && at < source.length) line = rest();
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
          if (source.startsWith(hole, at - 1)) effects.find("unknown_code", source);
          // No such command: sed itself refuses the script.
          return;
        }
    }
  }
}
