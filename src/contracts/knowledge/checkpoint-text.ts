import { oneLine, plural } from "../../base/text/text.ts";
import type { Checkpoint, RestoreChange, RestorePlan } from "./checkpoint.ts";

/** Describes a checkpoint in one line by the change that followed it. */
export function checkpointLine({ kind, tool, label, name, changed, isOpen }: Checkpoint, maxChars: number): string {
  const count = isOpen ? "running" : plural(changed, "change");
  const what =
    kind === "mark"
      ? `★ ${name ?? label}`
      : `${kind === "restore" ? "restore" : kind === "process" ? "background" : (tool ?? "call")} (${count}): ${label}`;
  return oneLine(what, maxChars);
}

/** The changes of a restore, one line each: + restored, - deleted, ~ changed, ! needs confirmation. */
export function planLines(
  { changes, left }: Pick<RestorePlan, "changes" | "left">,
  maxLines: number,
): readonly string[] {
  const lines = [
    ...changes.map((change) => `${marks[change.how]} ${changeText(change)}`),
    ...left.map(({ path, why }) => `  ${shownPath(path)}: stays as it is, ${why}`),
  ];
  return lines.length > maxLines ? [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more`] : lines;
}

/** Example: `3 files recreated, 1 file changed back, 2 files deleted`. */
export function planSummary(changes: readonly RestoreChange[]): string {
  const count = (how: RestoreChange["how"]) => {
    const [files, folders] = [false, true].map(
      (isFolder) => changes.filter((change) => change.how === how && (change.kind === "folder") === isFolder).length,
    );
    return [...(files ? [plural(files, "file")] : []), ...(folders ? [plural(folders, "folder")] : [])].join(" and ");
  };
  const parts = [
    [count("create"), "recreated"],
    [count("change"), "changed back"],
    [count("remove"), "deleted"],
  ] as const;
  const messages = parts.flatMap(([counted, how]) => (counted === "" ? [] : [`${counted} ${how}`]));
  return messages.length === 0 ? "nothing changes" : messages.join(", ");
}

const marks = { create: "+", change: "~", remove: "-" } as const;

function changeText({ path, kind, how, bytesNow, bytesThen, doubt }: RestoreChange): string {
  const size =
    kind !== "file"
      ? kind
      : how === "create"
        ? bytes(bytesThen)
        : how === "remove"
          ? bytes(bytesNow)
          : `${bytes(bytesNow)} → ${bytes(bytesThen)}`;
  return `${shownPath(path)} (${size})${doubt === undefined ? "" : ` ! ${doubt}`}`;
}

/** Escapes line breaks in names. A byte that is not UTF-8 is stored as NUL and two digits. */
function shownPath(path: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  return /[\0-\x1f\x7f]/u.test(path) ? JSON.stringify(path).replaceAll(String.raw`\u0000`, String.raw`\x`) : path;
}

/** `900 B`, `12.3 kB`, `1.2 MB`. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
