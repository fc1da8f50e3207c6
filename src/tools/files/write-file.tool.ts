import { z } from "zod";

import { err } from "../../base/result.ts";
import { defineTool } from "../../contracts/define-tool.ts";
import { fail, json, type ToolContext, type ToolResult } from "../../contracts/tool.ts";
import { isDisplayText } from "./display-text.ts";
import { realPathOf, seenAs, wholeFile } from "./file-at.ts";
import { decode } from "./file-content.ts";
import { contentRefusal, staleRefusal } from "./refusals.ts";
import { inStyleOf } from "./text-style.ts";
import { effectPath } from "./tool-path.ts";
import { writeChanges } from "./write-changes.ts";

export default defineTool({
  name: "write_file",
  toolset: "file",
  description:
    "Write a whole file, new or in place of the one that is there. Missing folders are made. It is refused when the " +
    "file changed since you last saw it: read it again then. Line ends, byte order mark and mode of an existing file " +
    "stay. To change a part of a file use patch.",
  emoji: "✍️",
  input: z.object({
    path: z.string().min(1).describe("Absolute, relative to the current folder, or beginning with ~/"),
    content: z.string().describe("All of the new text"),
  }),
  needs: ["environment", "fileReads"],
  traits: { parallel: true, callers: "both" },
  effects: ({ path }, at) => [{ kind: "write", path: effectPath(path, at) }],
  async run({ path, content }, ctx) {
    if (/(?:^|\/)\.{0,2}$/u.test(path)) return fail(`${path} is a folder. Name a file.`, "invalid_args");
    const real = await realPathOf(path, ctx.environment, ctx.signal);
    if (!real.ok) return real;
    return ctx.fileReads.inTurn([real.value], () => write(real.value, content, ctx));
  },
});

async function write(
  path: string,
  content: string,
  { environment, fileReads, clock, signal }: ToolContext<"environment" | "fileReads">,
): Promise<ToolResult> {
  const found = await wholeFile(path, environment.files, signal);
  if (!found.ok) return found;
  const before = found.value.kind === "file" ? found.value.bytes : undefined;
  const text = before && decode(before);
  if (isDisplayText(content) && !isDisplayText(text ?? "")) {
    return fail(
      "The content has the line numbers that read_file shows (N|text), which are not part of a file. " +
        "Nothing was written. Send the text without them.",
      "invalid_args",
    );
  }
  const styled = inStyleOf(text, content);
  const refusal = staleRefusal(found.value, fileReads) ?? contentRefusal(path, text, styled.text);
  if (refusal) return err(refusal);
  const after = Buffer.from(styled.text);
  const written = await writeChanges([{ path, before, after }], environment.files, signal);
  if (!written.ok) return written;
  fileReads.record(path, seenAs(after, clock.now()));
  return json({
    bytes_written: after.length,
    dirs_created: written.value.madeFolders,
    verified: true,
    resolved_path: path,
    files_modified: [path],
    backend: environment.kind,
    ...(styled.kept.length > 0 && { note: `Kept as the file had it: ${styled.kept.join(", ")}.` }),
  });
}
