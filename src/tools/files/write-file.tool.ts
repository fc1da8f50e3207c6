import { z } from "zod";

import { err } from "../../base/result.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, text as textResult, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { ToolContext } from "../../contracts/tool/tool.ts";
import { changePreview, fileDiff } from "./change-preview.ts";
import { decode } from "./file-content.ts";
import { realPathOf, recordWrite, wholeFile } from "./file-on-disk.ts";
import { lintDelta } from "./lint/lint-delta.ts";
import { protectedRefusal } from "./protected-paths.ts";
import { judgeContent, staleRefusal } from "./refusals.ts";
import { effectPath } from "./tool-path.ts";
import { writeChanges } from "./write-changes.ts";

const input = z.object({
  path: z.string().min(1),
  content: z.string(),
  cross_profile: z.boolean().default(false),
});

export default defineTool({
  name: "write_file",
  toolset: "file",
  description:
    "Write a whole file; creates missing folders. Fails if the file changed since you read it. Keeps line " +
    "ends and mode. Rejects JSON, YAML and TOML that would not parse; lint lists new errors. To change a part, use patch.",
  emoji: "✍️",
  input,
  needs: ["environment", "fileReads"],
  traits: { parallel: true, callers: "both" },
  effects: ({ path }, place) => [{ kind: "write", path: effectPath(path, place) }],
  async preview({ path, content }, ctx) {
    const real = await realPathOf(path, ctx);
    const match = real.ok && (await wholeFile(real.value, ctx.environment.files, ctx.signal));
    if (!match || !match.ok) return undefined;
    const before = match.value.kind === "file" ? decode(match.value.bytes) : undefined;
    return changePreview(path, before, inStyleOf(before, content).text);
  },
  async refuses(args, ctx) {
    const outcome = await writeFile(args, ctx, true);
    return outcome.ok ? undefined : outcome.error;
  },
  run: (args, ctx) => writeFile(args, ctx, false),
});

type Context = ToolContext<"environment" | "fileReads">;

async function writeFile(
  { path, content, cross_profile: crossProfile }: z.output<typeof input>,
  ctx: Context,
  isTrial: boolean,
): Promise<ToolResult> {
  if (/(?:^|\/)\.{0,2}$/u.test(path)) return fail(`${path} is a folder. Name a file.`, "invalid_args");
  const real = await realPathOf(path, ctx);
  if (!real.ok) return real;
  const guarded = await protectedRefusal([real.value], ctx, crossProfile);
  if (guarded) return err(guarded);
  return ctx.fileReads.inTurn([real.value], () => write(real.value, content, ctx, isTrial));
}

/** If `isTrial` is set, stops before writing. */
async function write(path: string, content: string, ctx: Context, isTrial: boolean): Promise<ToolResult> {
  const { environment, fileReads, signal } = ctx;
  const match = await wholeFile(path, environment.files, signal);
  if (!match.ok) return match;
  const before = match.value.kind === "file" ? match.value.bytes : undefined;
  const text = before && decode(before);
  const stale = staleRefusal(match.value, fileReads, "replaced");
  if (stale) return err(stale);
  const styled = inStyleOf(text, content);
  const judged = await judgeContent(path, text, styled.text);
  if (!judged.ok) return judged;
  if (isTrial) return textResult("");
  const isUnread = before !== undefined && before.length > 0 && fileReads.seen(path) === undefined;
  const after = Buffer.from(styled.text);
  const modified = match.value.kind === "file" ? { modifiedAt: match.value.modifiedAt } : {};
  const change = { path, before, after, ...modified };
  const written = await writeChanges([change], environment.files, signal, fileReads.writeAlone);
  if (!written.ok) return written;
  recordWrite(change, ctx);
  const lint = await lintDelta([{ path, before: text, after: styled.text }], ctx);
  const kept = styled.kept.length > 0 ? `Kept as the file had it: ${styled.kept.join(", ")}.` : "";
  const note = [kept, judged.value.note ?? ""].filter(Boolean).join("\n");
  const result = {
    bytes_written: after.length,
    dirs_created: written.value.madeFolders,
    verified: true,
    resolved_path: path,
    files_modified: [path],
    backend: environment.kind,
    ...(lint.length > 0 && { lint }),
    ...(isUnread && { warning: "This replaced an existing file that you had not read." }),
    ...(note && { note }),
  };
  // The model already has the text that it wrote; the diff is for people.
  const diff = fileDiff(path, text, styled.text);
  return textResult(JSON.stringify(result), { ...result, ...(diff !== "" && { diff }) });
}

/**
 * Returns a new text in the invisible style of the old file: its byte order mark, CRLF line ends if the new text has
 * none, and the end of the last line.
 */
function inStyleOf(
  before: string | undefined,
  content: string,
): { readonly text: string; readonly kept: readonly string[] } {
  const kept: string[] = [];
  let text = content;
  if (!before || text === "") return { text, kept };
  const crlf = before.split("\r\n").length - 1;
  const lf = before.split("\n").length - 1;
  if (crlf > lf - crlf && text.includes("\n") && !text.includes("\r")) {
    text = text.replaceAll("\n", "\r\n");
    kept.push("CRLF line ends");
  }
  if (before.endsWith("\n") && !text.endsWith("\n")) {
    text += crlf > lf - crlf ? "\r\n" : "\n";
    kept.push("the end of the last line");
  }
  if (before.startsWith(bom) && !text.startsWith(bom)) {
    text = bom + text;
    kept.push("the byte order mark");
  }
  return { text, kept };
}

const bom = "\ufeff";
