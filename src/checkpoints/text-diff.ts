import { ok, type Result } from "../base/result.ts";
import { looksBinary } from "../base/text/binary-text.ts";
import { unifiedDiff } from "../base/text/unified-diff.ts";
import type { CheckpointFault } from "../contracts/knowledge/checkpoint.ts";
import { type FileState, parseFileState } from "./file-state.ts";
import type { RestorePlanChange } from "./restore-plan.ts";
import type { WorkspaceFiles } from "./scan.ts";

/** Unified diff from the state that a restore would produce to the current state. */
export async function textDiff(
  changes: readonly RestorePlanChange[],
  files: Pick<WorkspaceFiles, "content">,
  signal: AbortSignal,
): Promise<Result<string, CheckpointFault>> {
  const parts: string[] = [];
  let chars = 0;
  for (const [index, change] of changes.entries()) {
    if (chars > maxChars) {
      parts.push(`… ${changes.length - index} more`);
      break;
    }
    const part = await one(change, files, signal);
    chars += part.length;
    parts.push(part);
  }
  return ok(parts.join("\n"));
}

const maxChars = 60_000;

async function one({ path, now, old }: RestorePlanChange, files: Pick<WorkspaceFiles, "content">, signal: AbortSignal) {
  const [before, after] = [await textOf(old, files, signal), await textOf(now, files, signal)];
  if (before === undefined || after === undefined) return `${path}: ${describe(old)} → ${describe(now)}`;
  const name = (side: "a" | "b", state: FileState) => (state === "" ? "/dev/null" : `${side}/${path}`);
  const diff = unifiedDiff({ name: name("a", old), text: before }, { name: name("b", now), text: after }, 20_000);
  return diff === "" ? `${path}: ${describe(old)} → ${describe(now)}` : diff;
}

/** Undefined: not text. A missing file counts as empty text. */
async function textOf(
  state: FileState,
  files: Pick<WorkspaceFiles, "content">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const known = parseFileState(state);
  if (known.kind === "absent") return "";
  if (known.kind !== "file" || known.bytes > 2_000_000) return undefined;
  const content = await files.content(known.hash, signal);
  if (!content.ok) return undefined;
  const text = Buffer.from(content.value).toString();
  return looksBinary(text, content.value.length) ? undefined : text;
}

function describe(state: FileState): string {
  const known = parseFileState(state);
  switch (known.kind) {
    case "absent":
      return "nothing";
    case "file":
      return `file, ${known.bytes} bytes, mode ${known.mode.toString(8)}`;
    case "link":
      return `link to ${known.target}`;
    case "folder":
      return `folder, mode ${known.mode.toString(8)}`;
    case "other":
      return "pipe, socket or device";
    case "unkept":
      return `file, ${known.bytes} bytes, not recorded`;
  }
}
