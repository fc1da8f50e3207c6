import { wrap } from "../table.ts";

/** Lines that fit the width, broken between words; a row of two columns goes on below its second one. */
export function fittedLines(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => fitted(line, columns))
    .join("\n");
}

function fitted(line: string, columns: number): string {
  if (line.length <= columns) return line;
  const first = /^ *\S.*? {2,}(?=\S)/u.exec(line)?.[0] ?? "";
  const room = columns - first.length;
  if (first === "" || room < 24) return wrap(line, columns);
  const [head = "", ...rest] = wrap(line.slice(first.length), room).split("\n");
  return [first + head, ...rest.map((each) => " ".repeat(first.length) + each)].join("\n");
}
