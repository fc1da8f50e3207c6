import { isObject, parsedObject } from "../../base/json.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import type { AgentEventBody } from "../session/event.ts";
import type { ToolResult } from "./tool-result.ts";

/** A result as people see it. Its texts are untrusted. */
export interface ResultView {
  /** True if the call failed, or if it ran a command that ended with an error. */
  readonly failed: boolean;
  /** A single line: the exit code of a command, the reason of a failure, or the start of the text. */
  readonly summary: string;
  /** Output of a command. */
  readonly output?: string;
  /** The file with the whole output, if `output` is shortened. */
  readonly outputPath?: string;
  /** The change of a file. */
  readonly diff?: string;
}

/** Reads the fields that results have in common: `exit_code`, `output`, `diff`. */
export function viewResult(result: ToolResult): ResultView {
  const text = resultText(result);
  const fields = fieldsOf(result, text);
  const { exit_code: code, exit_code_meaning: meaning, output, diff, full_output_path: path } = fields;
  // The status of a background process also has an exit code, but it does not mean that the call failed.
  const exitCode = typeof code === "number" && !("session_id" in fields) ? code : 0;
  const isHarmless = typeof meaning === "string" && meaning.endsWith("not an error");
  const isSpilled = text.startsWith("<persisted-output>");
  const spilled = isSpilled && /^<persisted-output>\n.*\n(?<path>\/.*)\n/u.exec(text)?.groups?.["path"];
  const outputPath = typeof path === "string" ? path : spilled || undefined;
  // Optional fields are assigned: spreads take longer than most other steps of a call.
  const view: { -readonly [Key in keyof ResultView]: ResultView[Key] } = {
    failed: !result.ok || (exitCode !== 0 && !isHarmless) || isUnanswered(fields),
    summary: isUnanswered(fields) ? unansweredText(fields) : summaryOf(result, text, exitCode, meaning),
  };
  if (typeof output === "string") view.output = output;
  if (outputPath !== undefined) view.outputPath = outputPath;
  if (typeof diff === "string" && diff !== "") view.diff = diff;
  return view;
}

/** True for a question to the user that got no answer. */
function isUnanswered(fields: Readonly<Record<string, unknown>>): boolean {
  return fields["answered"] === false && typeof fields["user_response"] === "string";
}

/** The first sentence; the others are instructions for the model. */
function unansweredText({ user_response: response }: Readonly<Record<string, unknown>>): string {
  return typeof response === "string" ? response.replace(/(?<=\.) .*$/su, "") : "";
}

/** The fields of an event that show a result to people. */
export function finishedView(
  result: ToolResult,
): Pick<
  Extract<AgentEventBody, { type: "tool.finished" }>,
  "failed" | "summary" | "output" | "linesBefore" | "diff" | "pictures"
> {
  const { failed, summary, output, diff } = viewResult(result);
  const pictures = pictureFiles(result);
  return {
    failed,
    summary,
    ...(output !== undefined && endOf(output)),
    ...(diff !== undefined && { diff: cut(diff, shownChars) }),
    ...(pictures.length > 0 && { pictures }),
  };
}

/** Paths of the image files among the parts of a result. */
function pictureFiles(result: ToolResult): readonly string[] {
  if (!result.ok || !result.value.content.some(({ type }) => type === "file")) return [];
  const files = result.value.content.flatMap((part) =>
    part.type === "file" && part.mimeType?.startsWith("image/") ? [part.path] : [],
  );
  return files.slice(0, maxPictures);
}

const maxPictures = 4;

/** The last lines of an output. A single long line is cut. */
function endOf(output: string): { readonly output: string; readonly linesBefore?: number } {
  if (output.length <= shownChars) return { output };
  const cutAt = output.length - shownChars;
  const lineAt = output.indexOf("\n", cutAt - 1) + 1;
  const start = lineAt > 0 && lineAt < output.length ? lineAt : cutAt;
  return { output: output.slice(start), linesBefore: output.slice(0, start).split("\n").length - 1 };
}

/** Events stay in memory for readers that connect later, so their size is limited. */
const shownChars = 8_000;

function summaryOf(result: ToolResult, text: string, exitCode: number, meaning: unknown): string {
  if (!result.ok) return oneLine(withoutFence(result.error.message), summaryChars);
  if (exitCode !== 0) return `exit code ${exitCode}${typeof meaning === "string" ? `: ${meaning}` : ""}`;
  return oneLine(withoutFence(text).slice(0, 10 * summaryChars), summaryChars);
}

/** The markers around untrusted text are only for models. */
function withoutFence(text: string): string {
  if (!text.includes("untrusted_tool_result")) return text;
  return text.replace(/^<untrusted_tool_result [^\n]*\n[^\n]*\n/u, "").replace(/\n<\/untrusted_tool_result>\s*$/u, "");
}

const summaryChars = 200;

/** All text of the result that the model reads. */
export function resultText(result: ToolResult): string {
  const parts = result.ok ? result.value.content : (result.error.content ?? []);
  const [first] = parts;
  if (result.ok && parts.length === 1 && first?.type === "text") return first.text;
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return (result.ok ? texts : [result.error.message, ...texts]).join("\n");
}

/** The data of a result. A stored result contains it only as text, followed by the diff. */
export function fieldsOf(result: ToolResult, text = resultText(result)): Readonly<Record<string, unknown>> {
  const data = result.ok ? result.value.data : result.error.data;
  const own = isObject(data) ? data : noFields;
  return text.startsWith("{") && Object.keys(own).every((key) => key === "diff")
    ? { ...parsedObject(text), ...own }
    : own;
}

const noFields: Readonly<Record<string, unknown>> = {};
