import { valueOr } from "../../../base/result.ts";
import { escapeLetters } from "../../../base/text/shell-quote.ts";
import { readOptions } from "../programs/options.ts";
import { programName } from "../programs/program-name.ts";
import { type Field, hole, isKnown, literal } from "../shell/field.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";
import { printedByCode } from "./printed-code.ts";
import { pureAnswer } from "./pure-answers.ts";

/**
 * Returns the output of a command that depends only on its arguments and its input. Attackers use such commands to hide
 * a text. Unknown parts are marked as holes. Undefined if the output is unknown.
 */
export function pureOutput(ran: SimpleCommand): string | undefined {
  if (ran.redirections.some(({ how, descriptor }) => how !== "read" && (descriptor ?? 1) === 1)) return "";
  const name = programName(ran.argv[0]);
  // `$(< file)`
  if (name === ":" && ran.redirections.length > 0) return undefined;
  const filter = name === undefined ? undefined : filters.get(name);
  const [, file] = ran.argv;
  const content = name === "cat" && file && ran.argv.length === 2 ? contentOf(ran, file) : undefined;
  if (content !== undefined) return content === hole ? undefined : content;
  if (filter && name !== undefined)
    return bounded(filter(ran.argv.slice(1), ran.stdin.text) ?? printedByCode(ran, name));
  if (name === "echo") return bounded(echo(ran.argv.slice(1)));
  if (name === "printf") return bounded(printf(ran.argv.slice(1)));
  return name === undefined ? undefined : bounded(pureAnswer(name, ran) ?? printedByCode(ran, name));
}

const maxChars = 200_000;

function bounded(text: string | undefined): string | undefined {
  return text === undefined || text.length <= maxChars ? text : undefined;
}

function echo(words: readonly Field[]): string | undefined {
  const first = words.findIndex(({ text }) => !/^-[neE]+$/u.test(text));
  const text = words[first]?.text ?? "";
  // If x contains `-n`, `echo "$x" y` does not print x.
  if (text !== hole && mayBeOption.test(text)) return undefined;
  if (text === hole && words.length > first + 1) return undefined;
  const flags = (first < 0 ? words : words.slice(0, first)).map(({ text }) => text).join("");
  const body = (first < 0 ? [] : words.slice(first)).map(({ text }) => text).join(" ");
  return `${flags.includes("e") ? unescape(body) : body}${flags.includes("n") ? "" : "\n"}`;
}

/** Matches a word with unknown parts that may be `-n`, `-e` or `-E`. */
const mayBeOption = /^(?:-[neE]*\u{10FFFD}|\u{10FFFD}[-neE])[neE\u{10FFFD}]*$/u;

function printf(words: readonly Field[]): string | undefined {
  const [first, ...rest] = words[0]?.text === "--" ? words.slice(1) : words;
  if (first === undefined || first.text === "-v") return undefined;
  const format = unescape(first.text);
  const slots = [...format.matchAll(conversion)].filter(([, , , kind]) => kind !== undefined).length;
  let printed = "";
  let index = 0;
  for (;;) {
    printed += format.replaceAll(conversion, (_, zeros?: string, width?: string, kind?: string) => {
      if (kind === undefined) return "%";
      const value = rest[index]?.text ?? "";
      index += 1;
      return converted(value, kind).padStart(Math.min(Number(width ?? 0), 100), zeros === "0" ? "0" : " ");
    });
    if (slots === 0 || index >= rest.length || printed.length >= maxChars) return printed;
  }
}

const conversion = /%(?:%|-?(0?)(\d*)(?:\.\d+)?([sbqdiucxXo]))/gu;

function converted(value: string, kind: string): string {
  if (kind === "b") return unescape(value);
  if (kind === "c") return value.slice(0, 1);
  if (!/[diuxXo]/u.test(kind) || value.includes(hole)) return value;
  // `'A` stands for the character code of the letter.
  const number = /^["']./su.test(value) ? (value.codePointAt(1) ?? 0) : numberOf(value);
  const digits = number.toString(kind === "o" ? 8 : /x/iu.test(kind) ? 16 : 10);
  return kind === "X" ? digits.toUpperCase() : digits;
}

/** Parses a number as printf does: `0x72`, `0162`, `114`. */
function numberOf(value: string): number {
  const octal = /^0([0-7]+)$/u.exec(value)?.[1];
  const number = octal === undefined ? Number(value) : Number.parseInt(octal, 8);
  return Number.isSafeInteger(number) ? number : 0;
}

/** Replaces `\n`, `\x72`, `\162`, `\0162`, `\u0072`. */
function unescape(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|([abefnrtv\\"'c]))/gu,
    (whole, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return character(Number.parseInt(code, 16)) ?? whole;
      if (octal !== undefined) return character(Number.parseInt(octal, 8)) ?? whole;
      return letter === undefined ? whole : (letters[letter] ?? letter);
    },
  );
}

const letters: Readonly<Record<string, string>> = { ...escapeLetters, c: "" };

function character(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

type Filter = (words: readonly Field[], input: string | undefined) => string | undefined;

const isDecoding = /^(?:-[a-zA-Z]*[dD][a-zA-Z]*|--dec\w*)$/u;

function decoder(encoding: "base64" | "hex"): Filter {
  return (words, input) => {
    if (input === undefined || input.includes(hole)) return undefined;
    return words.some(({ text }) => isDecoding.test(text) || /^-[a-z]*r/u.test(text))
      ? textOf(Buffer.from(input.replaceAll(/\s/gu, ""), encoding))
      : undefined;
  };
}

/** Binary data is kept as bytes, because the next command may unpack it. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes("\ufffd") ? bytes.toString("latin1") : text;
}

const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["cat", (words, input) => (words.every(({ text }) => text === "-" || text.startsWith("-")) ? input : undefined)],
  ["cut", cutLines],
  ["fold", (_words, input) => input],
  ["gzip", (words, input) => (words.some(({ text }) => isDecoding.test(text)) ? unzip(words, input) : undefined)],
  ["tee", (_words, input) => input],
  ["base64", decoder("base64")],
  ["xxd", decoder("hex")],
  [
    "base32",
    (words, input) =>
      input === undefined || !words.some(({ text }) => isDecoding.test(text)) ? undefined : fromBase32(input),
  ],
  [
    "openssl",
    (words, input) =>
      words.some(({ text }) => /^-?(?:base64|a)$/u.test(text)) ? decoder("base64")(words, input) : undefined,
  ],
  [
    "rev",
    (_words, input) =>
      input
        ?.split("\n")
        .map((line) => Array.from(line).toReversed().join(""))
        .join("\n"),
  ],
  ["awk", field],
  ["tac", (_words, input) => input?.replace(/\n$/u, "").split("\n").toReversed().join("\n").concat("\n")],
  ["tr", translate],
  ["sed", substitute],
  ["gunzip", unzip],
  ["zcat", unzip],
  ["head", firstLines],
  ["tail", lastLines],
]);

/** Handles `awk '{print $2}'`: one field of each line. */
function field(words: readonly Field[], input: string | undefined): string | undefined {
  const { operands, value } = readOptions(words, { short: "F" });
  const [program, ...files] = operands;
  const [, index] = /^\s*\{\s*print(?:\s+\$(\d))?\s*;?\s*\}\s*$/u.exec(program?.text ?? "") ?? [undefined, "none"];
  const mark = value("F")?.text ?? " ";
  if (input === undefined || index === "none" || files.length > 0 || /[^\w :,;-]/u.test(mark)) return undefined;
  const number = Number(index ?? 0);
  const pieces = (line: string) => (mark === " " ? line.trim().split(/\s+/u) : line.split(mark));
  const lines = input.replace(/\n$/u, "").split("\n");
  return lines.map((line) => `${number === 0 ? line : (pieces(line)[number - 1] ?? "")}\n`).join("");
}

function firstLines(words: readonly Field[], input: string | undefined): string | undefined {
  const chars = /^-c ?(\d+)$/u.exec(words.map(({ text }) => text).join(" "))?.[1];
  if (chars !== undefined) return input?.slice(0, Number(chars));
  const count = lineCount(words);
  return input === undefined || count === undefined
    ? undefined
    : input.split("\n").slice(0, count).join("\n").concat("\n");
}

function lastLines(words: readonly Field[], input: string | undefined): string | undefined {
  const count = lineCount(words);
  if (input === undefined || count === undefined) return undefined;
  return input.replace(/\n$/u, "").split("\n").slice(-count).join("\n").concat("\n");
}

function lineCount(words: readonly Field[]): number | undefined {
  const [, count = "10"] = /^(?:-n?\s?(\d+))?$/u.exec(words.map(({ text }) => text).join(" ")) ?? [undefined, ""];
  return count === "" ? undefined : Number(count);
}

/** Handles `cut -c2-` and `cut -d: -f2`. */
function cutLines(words: readonly Field[], input: string | undefined): string | undefined {
  const { operands, value } = readOptions(words, {
    short: "cbfd",
    long: ["characters", "bytes", "fields", "delimiter"],
  });
  const range = value("c", "b", "f", "characters", "bytes", "fields")?.text ?? "";
  const [, from = "", dash, to = ""] = /^(\d*)(-?)(\d*)$/u.exec(range) ?? [];
  if (input === undefined || operands.length > 0 || range === "" || dash === undefined) return undefined;
  const isFields = value("f", "fields") !== undefined;
  const mark = isFields ? (value("d", "delimiter")?.text ?? "\t") : "";
  const last = dash === "" ? Number(from) : to === "" ? Infinity : Number(to);
  return input
    .split("\n")
    .map((line) =>
      isFields && !line.includes(mark)
        ? line
        : line
            .split(mark)
            .slice((Number(from) || 1) - 1, last)
            .join(mark),
    )
    .join("\n");
}

function unzip(_words: readonly Field[], input: string | undefined): string | undefined {
  try {
    return input === undefined
      ? undefined
      : process
          .getBuiltinModule("node:zlib")
          .gunzipSync(Buffer.from(input, "latin1"), { maxOutputLength: maxChars })
          .toString();
  } catch {
    return undefined;
  }
}

function fromBase32(input: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(input.toUpperCase()).flatMap((char) => {
    const index = alphabet.indexOf(char);
    return index < 0 ? [] : [index.toString(2).padStart(5, "0")];
  });
  const bytes = bits.join("").match(/.{8}/gu) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString();
}

function translate(words: readonly Field[], input: string | undefined): string | undefined {
  if (input === undefined || !words.every(isKnown)) return undefined;
  const { operands, has } = readOptions(words);
  const [from = "", to] = operands.map(({ text }) => charactersOf(text));
  if (has("d", "delete"))
    return Array.from(input)
      .filter((char) => !from.includes(char))
      .join("");
  if (to === undefined || has("s", "c", "C")) return undefined;
  const last = to.at(-1) ?? "";
  return Array.from(input)
    .map((char) => (from.includes(char) ? (to[from.indexOf(char)] ?? last) : char))
    .join("");
}

function charactersOf(text: string): string {
  const plain = unescape(text)
    .replaceAll("[:upper:]", "A-Z")
    .replaceAll("[:lower:]", "a-z")
    .replaceAll("[:digit:]", "0-9")
    .replaceAll("[:space:]", " \t\n");
  return plain.replaceAll(/(.)-(.)/gsu, (_, first: string, last: string) => {
    const [a, b] = [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
    return b < a || b - a > 300
      ? `${first}-${last}`
      : Array.from({ length: b - a + 1 }, (_unused, index) => String.fromCodePoint(a + index)).join("");
  });
}

/** Applies the commands `s/plain/text/` in order. */
function substitute(words: readonly Field[], input: string | undefined): string | undefined {
  const { operands, values, has } = readOptions(words, { short: "ef", long: ["expression"] });
  if (input === undefined || has("n", "i", "f")) return undefined;
  const scripts = values("e", "expression");
  let text = input;
  const commands = (scripts.length > 0 ? scripts : operands.slice(0, 1)).flatMap(
    (script) => literal(script)?.split(/[;\n]\s*(?=s\W)/u) ?? [""],
  );
  for (const command of commands) {
    const [, mark = "", rest = ""] = /^s(.)([^]*)$/u.exec(command) ?? [];
    const [pattern = "", replacement = "", flags = ""] = rest.split(mark);
    const match =
      mark === "" || !/^g?$/u.test(flags) ? undefined : searchOf(pattern, flags, has("E", "r", "regexp-extended"));
    if (!match) return undefined;
    const put = replacement
      .replaceAll("$", "$$$$")
      .replaceAll("&", "$$&")
      .replaceAll(/\\(\d)/gu, "$$$1");
    text = text
      .split("\n")
      .map((line) => line.replace(match, put))
      .join("\n");
  }
  return scripts.length > 0 || operands.length === 1 ? text : undefined;
}

/** Returns a regular expression without repetition, so that every match is fast. */
function searchOf(pattern: string, flags: string, isExtended: boolean): RegExp | undefined {
  if (pattern === "" || /[*+?{}|]/u.test(pattern)) return undefined;
  const plain = isExtended
    ? pattern
    : pattern.replaceAll(/\\?[()]/gu, (sign) => (sign.length === 2 ? sign.slice(1) : `\\${sign}`));
  return valueOr(() => new RegExp(plain, flags), undefined);
}
