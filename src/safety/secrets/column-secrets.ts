import type { Strictness } from "./named-secret.ts";
import { isPassword } from "./password-arguments.ts";
import { secretName } from "./secret-name.ts";
import type { SecretSpan } from "./span.ts";
import { isDrawnPassword, isPublicShape } from "./value-shape.ts";

/** Finds values in columns for secrets, if `lower` is the text in lower case: of CSV and similar tables with a line of names, and of `INSERT` statements. */
export function columnSecrets(text: string, lower: string, strictness: Strictness): SecretSpan[] {
  const isSecret = strictness === "all" ? isPassword : isDrawnPassword;
  return [...tableSecrets(text, lower), ...(lower.includes("insert") ? statementSecrets(text) : [])].filter(
    ({ start, end }) => isSecret(text.slice(start, end)) && !isPublicShape(text.slice(start, end)),
  );
}

function* tableSecrets(text: string, lower: string): Generator<SecretSpan> {
  let from = 0;
  for (const index of secretWords.flatMap((word) => [...wordOffsets(lower, word)]).toSorted((a, b) => a - b)) {
    if (index < from) continue;
    const begin = text.lastIndexOf("\n", index) + 1;
    from = lineEnd(text, index);
    const line = text.slice(begin, Math.min(from, begin + maxNamesChars));
    const separator = [",", ";", "\t", "|"].find((sign) => line.includes(sign));
    if (separator === undefined || !/^[\w"'|]/u.test(line)) continue;
    const names = cellsOf(line, separator);
    const columns = secretColumns(names.map(({ value }) => value));
    const isNamed = (value: string) => columnName.test(value) || (separator === "|" && value === "");
    if (columns.length === 0 || names.length < 2 || !names.every(({ value }) => isNamed(value))) continue;
    for (let row = 0; row < maxRows && from + 1 < text.length; row++) {
      const start = from + 1;
      from = lineEnd(text, start);
      const cells = cellsOf(text.slice(start, Math.min(from, start + maxLineChars)), separator);
      if (cells.length !== names.length) break;
      for (const column of columns) {
        const cell = cells[column];
        if (cell && /^\S+$/u.test(cell.value))
          yield { start: start + cell.offset, end: start + cell.offset + cell.value.length };
      }
    }
  }
}

function lineEnd(text: string, index: number): number {
  const end = text.indexOf("\n", index);
  return end < 0 ? text.length : end;
}

function* statementSecrets(text: string): Generator<SecretSpan> {
  for (const match of text.matchAll(insertion)) {
    const names = (match[1] ?? "").split(",").map((name) => name.trim().replaceAll(/["'`[\]]/gu, ""));
    const columns = secretColumns(names);
    if (columns.length === 0) continue;
    const start = match.index + match[0].length;
    for (const row of text.slice(start, start + maxStatementChars).matchAll(tuple)) {
      const items = [...(row[1] ?? "").matchAll(item)];
      for (const column of columns) {
        const [whole = "", quoted = ""] = items[column] ?? [];
        const offset = items[column]?.index ?? 0;
        const from = start + row.index + row[0].indexOf("(") + 1 + offset + whole.indexOf(quoted);
        if (quoted !== "") yield { start: from, end: from + quoted.length };
      }
    }
  }
}

function secretColumns(names: readonly string[]): number[] {
  return [...names.entries()].flatMap(([column, name]) => {
    const strength = secretName(name.trim());
    return strength === "password" || strength === "secret" ? [column] : [];
  });
}

interface Cell {
  readonly value: string;
  readonly offset: number;
}

/** Returns the cells of a line, without quotes and surrounding blanks. */
function cellsOf(line: string, separator: string): Cell[] {
  const cells: Cell[] = [];
  let offset = 0;
  for (const part of line.split(new RegExp(`[${separator}](?=(?:[^"]*"[^"]*")*[^"]*$)`, "u"))) {
    const value = part
      .trim()
      .replace(/^"(.*)"$/u, "$1")
      .replace(/^'(.*)'$/u, "$1");
    cells.push({ value, offset: offset + Math.max(0, part.indexOf(value)) });
    offset += part.length + 1;
  }
  return cells;
}

function* wordOffsets(text: string, word: string): Generator<number> {
  for (let index = text.indexOf(word); index >= 0; index = text.indexOf(word, index + word.length)) yield index;
}

/** Words in the names of columns for secrets, in lower case. */
const secretWords = ["pass", "pwd", "secret", "token", "apikey", "api_key", "api key", "api-key"];
const columnName = /^[A-Za-z][\w .-]{0,40}$/u;
const maxNamesChars = 1_000;
const insertion = /\binsert\s+into\s+[\w."'`[\]]{1,100}\s{0,4}\(([^()]{1,1000})\)\s{0,4}values\s{0,4}(?=\()/giu;
const tuple = /\s{0,20},?\s{0,20}\(((?:'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|[^()'"])*)\)/guy;
const item = /(?:'((?:[^'\\]|\\.|'')*)'|"((?:[^"\\]|\\.)*)"|[^,'"]+)(?:,|$)\s*/gu;
const maxRows = 10_000;
const maxLineChars = 4_000;
const maxStatementChars = 100_000;
