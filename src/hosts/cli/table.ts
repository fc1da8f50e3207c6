import { oneLine } from "../../base/text.ts";

/** Rows in aligned columns; the last column is cut to what is left of the width. Escape codes do not count as width. */
export function table(rows: readonly (readonly string[])[], width: number): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns - 1 }, (_, column) =>
    Math.max(...rows.map((row) => visible(row[column] ?? ""))),
  );
  const taken = widths.reduce((sum, each) => sum + each + 2, 0);
  return rows
    .map((row) => {
      const cells = widths.map((each, column) => pad(row[column] ?? "", each));
      const last = row[columns - 1] ?? "";
      const room = Math.max(20, width - taken);
      return [...cells, visible(last) > room && !last.includes("\u001b") ? oneLine(last, room) : last]
        .join("  ")
        .trimEnd();
    })
    .join("\n");
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - visible(cell)));
}

function visible(cell: string): number {
  // eslint-disable-next-line no-control-regex -- escape codes are what it takes out
  return cell.replaceAll(/\u001b\[[0-9;]*m/g, "").length;
}
