/** One assignment of a `.env` file, with the position of its value. */
export interface Assignment {
  readonly name: string;
  readonly value: string;
  readonly line: number;
  /** The value as written, including quotes. */
  readonly from: number;
  readonly to: number;
  /** The whole line or lines, including the line end. */
  readonly lineFrom: number;
  readonly lineTo: number;
}

export interface EnvFile {
  readonly assignments: readonly Assignment[];
  /** Lines that are neither an assignment, a comment nor blank. */
  readonly strange: readonly number[];
}

/**
 * Parses `NAME=value`, with `export`, quotes, quoted values over several lines, and comments after a space and `#`. The
 * last assignment of a name is used. Never throws.
 */
export function parseEnv(text: string): EnvFile {
  const assignments: Assignment[] = [];
  const strange: number[] = [];
  let offset = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (offset < text.length) {
    const end = lineEnd(text, offset);
    head.lastIndex = offset;
    const match = head.exec(text);
    const name = match?.groups?.["name"];
    let next = end;
    if (name !== undefined) {
      const from = head.lastIndex;
      const read = readValue(text, from, end);
      next = lineEnd(text, read.to);
      assignments.push({ name, value: read.value, line, from, to: read.to, lineFrom: offset, lineTo: next });
    } else if (!/^\s*(?:#|$)/u.test(text.slice(offset, end))) strange.push(line);
    for (let index = offset; index < next; index++) if (text.charCodeAt(index) === 10) line += 1;
    offset = next;
  }
  return { assignments, strange };
}

/** Sets one name and keeps every other byte. Changes the last assignment in place; appends a new one. */
export function setEnv(text: string, name: string, value: string): string {
  const old = parseEnv(text).assignments.findLast((each) => each.name === name);
  if (old !== undefined) return text.slice(0, old.from) + quoteEnv(value) + text.slice(old.to);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return `${text}${gap}${name}=${quoteEnv(value)}${newline}`;
}

/** Removes all assignments of a name and keeps every other byte. */
export function unsetEnv(text: string, name: string): string {
  const matches = parseEnv(text).assignments.filter((each) => each.name === name);
  return matches.toReversed().reduce((rest, each) => rest.slice(0, each.lineFrom) + rest.slice(each.lineTo), text);
}

function quoteEnv(value: string): string {
  if (/^[\w./:@%+=,~-]+$/u.test(value)) return value;
  if (!/['\r\n]/u.test(value)) return `'${value}'`;
  return `"${value.replace(/[\\"]/gu, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

const head = /[^\S\r\n]*(?:export[^\S\r\n]+)?(?<name>[A-Za-z_][A-Za-z0-9_.]*)[^\S\r\n]*=[^\S\r\n]*/uy;

function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  return newline === -1 ? text.length : newline + 1;
}

function readValue(text: string, from: number, end: number): { readonly value: string; readonly to: number } {
  const quote = text[from];
  if (quote === "'" || quote === '"') {
    const close = closing(text, from, quote);
    if (close !== undefined) {
      const inner = text.slice(from + 1, close);
      return { value: quote === "'" ? inner : unescape(inner), to: close + 1 };
    }
  }
  const raw = text.slice(from, end).replace(/\r?\n$/u, "");
  const value = raw.replace(/(?:^|\s)#.*$/u, "").trimEnd();
  return { value, to: from + value.length };
}

function closing(text: string, from: number, quote: string): number | undefined {
  for (let index = from + 1; index < text.length; index++) {
    if (quote === '"' && text[index] === "\\") index += 1;
    else if (text[index] === quote) return index;
  }
  return undefined;
}

function unescape(inner: string): string {
  return inner.replace(/\\([\s\S])/gu, (_, mark: string) => escapes.get(mark) ?? `\\${mark}`);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ['"', '"'],
  ["\\", "\\"],
  ["$", "$"],
]);
