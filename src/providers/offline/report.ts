import { isObject } from "../../base/json.ts";
import { plural } from "../../base/text/text.ts";
import type { CallOutcome, PlannedCall, Report } from "./step.ts";

export function reportOf(outcome: CallOutcome): Report {
  const { data, text, failed, denied } = outcome;
  const exitCode = data["exit_code"];
  if (failed) {
    // The end of the message is advice for a model, so it is omitted.
    const reason = (stringIn(data, "error") ?? text)
      .replace(/^Denied: \S+ was not run: /u, "")
      .replace(/\s+Do not try it again\b.*$/su, "");
    return { text: `${denied ? "Not allowed" : "Failed"} (${labelOf(outcome)}): ${reason}`, failed };
  }
  const remarks = ["hint", "warning", "note", "truncation_note"].flatMap((key) => stringIn(data, key) ?? []);
  const body = (bodies[outcome.name] ?? otherBody)(outcome);
  return { text: [body, ...remarks].join("\n"), failed: typeof exitCode === "number" && exitCode !== 0 };
}

/** Names a call: its command or its file. */
export function labelOf({ name, args }: PlannedCall): string {
  const subject = stringIn(args, "command") ?? stringIn(args, "path");
  return subject === undefined ? name : `\`${subject}\``;
}

/** Returns the objects of a list in a result. */
export function listIn(data: CallOutcome["data"], key: string): readonly Readonly<Record<string, unknown>>[] {
  const list = data[key];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

const bodies: Readonly<Record<string, (outcome: CallOutcome) => string>> = {
  terminal({ args, data }) {
    const id = stringIn(data, "session_id");
    const output = stringIn(data, "output");
    const ending = data["exit_code"] === 0 ? "ran without error" : `failed with exit code ${String(data["exit_code"])}`;
    if (args["background"] === true)
      return `Started ${labelOf({ name: "", args })} as ${id}. Say "show the output of ${id}" or "stop ${id}".`;
    const summary = `${labelOf({ name: "", args })} ${stringIn(data, "error") ?? ending}`;
    return output === undefined ? `${summary}; no output.` : `${summary}:\n\n${block(output)}`;
  },
  process({ data, text }) {
    const output = stringIn(data, "output") ?? stringIn(data, "output_preview");
    if (!Array.isArray(data["processes"])) return output === undefined ? block(text) : block(output);
    const lines = listIn(data, "processes").map(
      (each) => `- ${String(each["session_id"])} \`${String(each["command"])}\` (${String(each["status"])})`,
    );
    return lines.length === 0 ? "No background process has run in this session." : lines.join("\n");
  },
  read_file({ args, data, text }) {
    const content = stringIn(data, "content");
    const path = stringIn(args, "path");
    if (content === undefined) return data["content"] === "" ? `${path} is empty.` : `${path}: ${text}`;
    const lines = data["total_lines"];
    const size = typeof lines === "number" ? ` (${plural(lines, "line")})` : "";
    return `${path}${size}:\n\n${block(content.replaceAll(/^ *\d+\|/gmu, ""))}`;
  },
  write_file: ({ args, data }) => `Wrote ${String(data["bytes_written"])} bytes to ${stringIn(args, "path")}.`,
  patch: ({ args, data }) =>
    `Changed ${stringIn(args, "path") ?? "the file"}:\n\n${block(stringIn(data, "diff") ?? "")}`,
  search_files({ args, data }) {
    const matches = listIn(data, "matches").map(
      (each) => `${String(each["path"])}:${String(each["line"])}: ${String(each["content"])}`,
    );
    const files = Array.isArray(data["files"]) ? data["files"] : [];
    const lines = stringIn(data, "matches_text")?.split("\n") ?? [...files, ...matches];
    const total = typeof data["total_count"] === "number" ? data["total_count"] : lines.length;
    const title = `${plural(total, args["target"] === "files" ? "file" : "match")} for ${stringIn(args, "pattern")}`;
    return lines.length === 0 ? `${title}.` : `${title}:\n\n${block(lines.join("\n"))}`;
  },
  todo({ data }) {
    const lines = listIn(data, "todos").map(({ content, status }, index) => {
      const sign = status === "completed" ? "x" : status === "in_progress" ? ">" : status === "cancelled" ? "-" : " ";
      return `${index + 1}. [${sign}] ${String(content)}`;
    });
    return lines.length === 0
      ? 'The plan is empty. Say "plan: first step, second step".'
      : `The plan:\n${lines.join("\n")}`;
  },
  memory({ args, data }) {
    if (args["action"] === "add") return `Saved to memory: ${stringIn(args, "content")}`;
    const entries = Array.isArray(data["entries"]) ? data["entries"] : [];
    return entries.length === 0 ? "The memory is empty." : entries.map((entry) => `- ${String(entry)}`).join("\n");
  },
};

function otherBody({ name, text }: CallOutcome): string {
  return `${name} returned:\n\n${block(text)}`;
}

function stringIn(data: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = data[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Formats a code block with a fence that its text does not contain. Omits the middle of a long text. */
function block(text: string): string {
  const lines = text.trimEnd().split("\n");
  const half = 30;
  const middle = lines.length > 2 * half ? [`[… ${lines.length - 2 * half} lines left out …]`] : [];
  const shown = middle.length === 0 ? lines : [...lines.slice(0, half), ...middle, ...lines.slice(-half)];
  const ticks = "`".repeat(Math.max(3, ...Array.from(text.matchAll(/`+/gu), ([run]) => run.length + 1)));
  return `${ticks}\n${shown.map((line) => (line.length > 500 ? `${line.slice(0, 500)}…` : line)).join("\n")}\n${ticks}`;
}
