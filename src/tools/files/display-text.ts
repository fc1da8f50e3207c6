/** Is this what read_file shows, line numbers and all, rather than what is in a file? */
export function isDisplayText(content: string): boolean {
  // Most texts are told from it by their beginning.
  if (!/^\s*\d+\|/mu.test(content.slice(0, 4000))) return false;
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  let numbered = 0;
  let expected: number | undefined;
  for (const line of lines) {
    const number = /^\s*(\d+)\|/u.exec(line)?.[1];
    if (number === undefined) continue;
    if (expected === undefined || Number(number) === expected) numbered++;
    expected = Number(number) + 1;
  }
  // A table with bars between its columns may count its rows.
  const columns = new Set(lines.map((line) => line.split("|").length));
  const isTable = columns.size === 1 && (numbered < lines.length || !columns.has(2));
  return !isTable && numbered >= 2 && numbered >= lines.length * 0.8;
}
