import { z } from "zod";

import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text.ts";
import { defineTool } from "../../contracts/define-tool.ts";
import type { Environment } from "../../contracts/environment.ts";
import { fail, json, type ToolFailure } from "../../contracts/tool.ts";
import { type FileAt, realPathOf, seenAs, wholeFile } from "./file-at.ts";
import { contentOf, decode } from "./file-content.ts";
import { lookAlikes } from "./look-alikes.ts";
import { notebookText } from "./notebook.ts";
import { numberedLines, type NumberedLines } from "./numbered-lines.ts";
import { effectPath } from "./tool-path.ts";

const maxChars = 100_000;
const bigBytes = 512 * 1024;

export default defineTool({
  name: "read_file",
  toolset: "file",
  description:
    "Read a text file. Lines come as N|text with N from 1; the number and the bar are not part of the file. " +
    "Long files come in pieces: go on with offset = next_offset. Notebooks come as the text of their cells. " +
    "Binary files are described, not shown. Use this instead of cat, head, tail or sed.",
  emoji: "📖",
  input: z.object({
    path: z.string().min(1).describe("Absolute, relative to the current folder, or beginning with ~/"),
    offset: z.int().min(1).default(1).describe("First line, from 1"),
    limit: z.int().min(1).optional().describe("How many lines; left out, and at most: as many as one answer shows"),
  }),
  needs: ["environment", "fileReads"],
  traits: { readOnly: true, parallel: true, callers: "both", maxResultChars: Infinity },
  effects: ({ path }, at) => [{ kind: "read", path: effectPath(path, at) }],
  async run({ path, offset, limit }, { environment, fileReads, clock, signal }) {
    const found = await existing(path, environment, signal);
    if (!found.ok) return found;
    const file = found.value;
    const content = contentOf(file.bytes);
    const facts = { resolved_path: file.path, file_size: file.bytes.length, backend: environment.kind };
    if (content.kind === "binary") {
      return fail(
        `${file.path} is ${content.description}, ${plural(file.bytes.length, "byte")}. It cannot be shown as text.`,
        "failed",
        { data: { ...facts, is_binary: true, is_image: content.isImage } },
      );
    }
    fileReads.record(file.path, seenAs(file.bytes, clock.now()));
    const { lines: most, lineChars: maxLineChars } = fileReads.page;
    const window = { offset, limit: Math.min(limit ?? most, most) };
    if (fileReads.repeats(JSON.stringify([file.path, file.hash, window]))) {
      return json({
        ...facts,
        status: "unchanged",
        dedup: true,
        content_returned: false,
        hint: "Your last read showed these lines, and the file is unchanged. If you no longer see them, read once more.",
      });
    }
    const cells = file.path.endsWith(".ipynb") ? notebookText(decode(file.bytes)) : undefined;
    const lines = numberedLines(cells === undefined ? file.bytes : Buffer.from(cells), window, {
      maxChars,
      maxLineChars,
    });
    const hints = hintsFor(lines, offset, file.bytes.length, maxLineChars);
    if (content.damaged) hints.push("Bytes that are not UTF-8 are shown as \ufffd; patch does not change such a file.");
    if (cells !== undefined)
      hints.push("These are the cells of the notebook; the file itself is JSON with other lines.");
    return json({
      content: lines.content,
      total_lines: lines.totalLines,
      ...facts,
      truncated: lines.nextOffset !== undefined || lines.cutLines > 0,
      ...(lines.nextOffset !== undefined && { next_offset: lines.nextOffset }),
      ...(lines.stoppedBy && { truncated_by: lines.stoppedBy }),
      ...(cells !== undefined && { extracted_document: true }),
      ...(hints.length > 0 && { hint: hints.join(" ") }),
    } satisfies JsonObject);
  },
});

type ExistingFile = Extract<FileAt, { kind: "file" }>;

/** The file, or the one whose name is the same in another Unicode form. */
async function existing(
  path: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<Result<ExistingFile, ToolFailure>> {
  const real = await realPathOf(path, environment, signal);
  if (!real.ok) return real;
  const found = await wholeFile(real.value, environment.files, signal);
  if (!found.ok) return found;
  if (found.value.kind === "file") return ok(found.value);
  const { same, similar } = await lookAlikes(found.value.path, environment.files, signal);
  if (same !== undefined) {
    const other = await wholeFile(same, environment.files, signal);
    if (!other.ok) return other;
    if (other.value.kind === "file") return ok(other.value);
  }
  const others = similar.length > 0 ? `There is: ${similar.join(", ")}` : "Check the path, or search for the name.";
  return err(
    fail(`${found.value.path} does not exist. ${others}`, "failed", { data: { similar_files: similar } }).error,
  );
}

function hintsFor(lines: NumberedLines, offset: number, bytes: number, maxLineChars: number): string[] {
  const hints: string[] = [];
  if (lines.totalLines === 0) hints.push("The file is empty.");
  else if (offset > lines.totalLines) hints.push(`The file has only ${plural(lines.totalLines, "line")}.`);
  if (lines.nextOffset !== undefined)
    hints.push(`${lines.totalLines - lines.nextOffset + 1} more: go on with offset ${lines.nextOffset}.`);
  if (lines.cutLines > 0) hints.push(`Lines of more than ${maxLineChars} characters are cut.`);
  if (lines.nextOffset !== undefined && bytes > bigBytes) hints.push("The file is big: read only the parts you need.");
  return hints;
}
