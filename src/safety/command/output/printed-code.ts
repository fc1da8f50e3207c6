import { words } from "../../../base/text/words.ts";
import { readCode } from "../../code/read-code.ts";
import { hole, literal } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";

/**
 * Returns the output of a one-liner that only prints: `python -c 'print("rm")'`. The code is analysed as if it passed
 * the text to a shell. Undefined if the output is unknown, or if the code does more.
 */
export function printedByCode({ argv }: SimpleCommand, name: string): string | undefined {
  const printer = Object.hasOwn(printers, name) ? printers[name] : undefined;
  const code = printer && argv.map(literal).find((_, index) => printer.option.test(argv[index - 1]?.text ?? ""));
  if (!printer || code === undefined || code.length > maxChars) return undefined;
  const [, before = "", text = ""] = printer.statement.exec(code) ?? [];
  // The code must print exactly one value, unconditionally.
  if (!isOneValue(withoutTexts(text)) || !onlyComputes(withoutTexts(before + text))) return undefined;
  const { shell, programs, findings, paths } = readCode(printer.language, `${before}${printer.run(text)}`);
  const isAll = shell.length === 1 && programs.length === 0 && paths.length === 0;
  const isPlain = findings.every(({ rule }) => rule === "inline_code");
  const [printed = ""] = shell;
  return isAll && isPlain && !printed.includes(hole) ? `${printed}\n` : undefined;
}

const maxChars = 4_000;

/** Returns whether the expression is a single value, not a list. */
function isOneValue(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) depth -= 1;
    else if (depth === 0 && ",;\n".includes(char)) return false;
    if (depth < 0) return false;
  }
  return depth === 0 && !/^\s*(?:\*|$)/u.test(text);
}

function withoutTexts(code: string): string {
  return code.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gsu, '""');
}

/** Returns whether the code uses only functions from strings to strings, and names that it defines itself. */
function onlyComputes(code: string): boolean {
  const own = new Set([...code.matchAll(/(?:^|[;\n])\s*([a-z_]\w*)\s*=/gu)].map(([, name]) => name));
  return (
    [...code.matchAll(/[A-Za-z_]\w*/gu)].every(([name]) => computing.has(name) || own.has(name)) &&
    !/[$`|&<>]/u.test(code)
  );
}

const computing: ReadonlySet<string> = new Set(
  words(`
  import from base64 codecs binascii string zlib b64decode b32decode b16decode a85decode decode encode bytes fromhex
  unhexlify decompress chr ord join map str list tuple replace upper lower strip reversed format rot13 b f r u rb
  decode_base64 pack reverse scalar lc uc x tr Buffer toString atob String fromCharCode concat split slice repeat char tolower
`),
);

interface Printer {
  readonly language: "python" | "javascript" | "perl" | "awk";
  readonly option: RegExp;
  /** Matches the statements before the print, and the printed expression. */
  readonly statement: RegExp;
  /** Code that passes the printed text to a shell instead of printing it. */
  run(text: string): string;
}

/** Imports of standard modules, which print nothing. */
const before =
  /^((?:\s*(?:(?:import|from)\s+(?:base64|codecs|binascii|string|zlib)\b[\w, ]*|[a-z_]\w*\s*=[^;=\n]*)[;\n])*)\s*/u;

const printers: Readonly<Record<string, Printer>> = {
  python: {
    language: "python",
    option: /^-\w*c$/u,
    statement: new RegExp(`${before.source}print\\(([^]*)\\)\\s*;?\\s*$`, "u"),
    run: (text) => `__import__("os").system(${text})`,
  },
  node: {
    language: "javascript",
    option: /^(?:-e|--eval)$/u,
    statement: /^()\s*console\.log\(([^]*)\)\s*;?\s*$/u,
    run: (text) => `require("child_process").execSync(${text})`,
  },
  perl: {
    language: "perl",
    option: /^-[lw]*[eE]$/u,
    statement: /^()\s*print\b\s*([^;]*?)\s*;?\s*$/u,
    run: (text) => `system(${text})`,
  },
  awk: {
    language: "awk",
    option: /(?:^|\/)(?:[gmn]?awk)$/u,
    statement: /^()\s*BEGIN\s*\{\s*print\s+([^;{}]*?)\s*;?\s*\}\s*$/u,
    run: (text) => `BEGIN { system(${text}) }`,
  },
};
