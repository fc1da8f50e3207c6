import { open } from "node:fs/promises";

import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { parsedJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isRecordingLine, type OpenedLine, type RecordingLine } from "./recording-line.ts";

export interface ModelRecording {
  readonly opened: OpenedLine;
  readonly lines: readonly RecordingLine[];
  /** True if the last line is incomplete, because the process died while it wrote the line. */
  readonly isTorn: boolean;
}

const maxBytes = 1_000_000_000;

export async function readRecording(file: string): Promise<Result<ModelRecording>> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    if (size > maxBytes) return err({ message: `${file} is too large for a recording` });
    return parseRecording(await handle.readFile("utf8"));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return err({ message: `There is no recording ${file}.` });
    return err({ message: describeFault(thrown, file).message });
  }
}

/** Parses a recording. Never throws. A damaged line in the middle is an error; an incomplete last line is ignored. */
function parseRecording(text: string): Result<ModelRecording> {
  const rows = text.split("\n");
  const isWhole = rows.at(-1) === "";
  if (isWhole) rows.pop();
  const lines: RecordingLine[] = [];
  let isTorn = false;
  for (const [index, row] of rows.entries()) {
    const line = parsedJson(row);
    if (isRecordingLine(line)) lines.push(line);
    else if (index === rows.length - 1 && !isWhole) isTorn = true;
    else return err({ message: `Line ${index + 1} is not a line of a recording.` });
  }
  const [opened] = lines;
  if (opened?.type !== "opened")
    return err({ message: "This is not a recording: its first line does not open a session." });
  return ok({ opened, lines, isTorn });
}
