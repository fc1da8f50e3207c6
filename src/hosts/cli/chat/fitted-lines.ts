import { wrap } from "../table.ts";

/**
 * Wraps lines to the width between words. A row with two columns continues below the second one, or below the first if
 * there is too little space.
 */
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
  if (first === "") return wrap(line, columns);
  const below = (text: string, indent: number) => text.split("\n").map((each) => " ".repeat(indent) + each);
  if (room < 24) {
    const second = below(wrap(line.slice(first.length), Math.max(8, columns - 4)), 4);
    return [wrap(first.trimEnd(), columns), ...second].join("\n");
  }
  const [head = "", ...rest] = wrap(line.slice(first.length), room).split("\n");
  return [first + head, ...rest.flatMap((each) => below(each, first.length))].join("\n");
}
