import { oneLine } from "../../base/text/text.ts";
import { compactionText } from "../../contracts/model/context.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { Entry } from "../../contracts/session/session.ts";
import { mainArgument } from "../../contracts/tool/main-argument.ts";
import { fieldsOf, resultText, viewResult } from "../../contracts/tool/result-view.ts";
import { type RecordedCall, recordedCalls } from "../../operations/sessions/session-calls.ts";
import { printableLines, resultLines } from "./chat/feed/result-lines.ts";
import { elapsedText } from "./chat/feed/tool-line.ts";
import type { CliContext } from "./command.ts";
import { escapeInvisible } from "./escape-invisible.ts";
import { fit } from "./table.ts";

/** A session to read: prompts, answers, and every call with its command, its mark and the important part of its result. */
export function transcriptText(entries: readonly Entry[], { paint, io }: Pick<CliContext, "paint" | "io">): string {
  const calls = new Map(recordedCalls(entries).map((call) => [call.callId, call]));
  const width = Math.min(io.columns, 160);

  function callText(call: RecordedCall): string {
    const { tool, args, result, durationMs } = call;
    const view = viewResult(result);
    const mark = view.failed ? paint.bad("✗") : paint.good("✓");
    const about = escapeInvisible(mainArgument(args, Math.max(20, width - tool.length - 24)));
    const why = view.failed ? ` ${paint.bad(escapeInvisible(oneLine(view.summary, 300)))}` : "";
    const shown = resultLines(view, { paint });
    const lines = shown.length > 0 || view.failed ? shown : plainLines(call).map(paint.dim);
    return [
      `${mark} ${paint.bold(escapeInvisible(tool))}${about === "" ? "" : ` ${about}`} ${paint.dim(elapsedText(durationMs))}${why}`,
      ...lines.map((line) => `  ${fit(line, width - 2)}`),
    ].join("\n");
  }

  function entryText(entry: Entry): readonly string[] {
    switch (entry.type) {
      case "message": {
        const text = messageText(entry.message);
        if (text === "") return [];
        return [entry.message.role === "user" ? `${paint.accent("❯")} ${text}` : text];
      }
      case "settled": {
        const call = calls.get(entry.callId);
        calls.delete(entry.callId);
        return call ? [callText(call)] : [];
      }
      case "compacted":
        return [paint.dim(`◌ context compacted: ${compactionText(entry)}`)];
      case "damaged":
        return [paint.bad(`(damaged entry: ${escapeInvisible(entry.why)})`)];
      default:
        return [];
    }
  }

  return entries.flatMap(entryText).join("\n\n");
}

const maxLines = 5;

/** The start of a text, or the fields of data. */
function plainLines({ result }: RecordedCall): readonly string[] {
  const text = resultText(result);
  const fields = Object.entries(fieldsOf(result, text)).filter(
    ([, value]) => value !== null && typeof value !== "object",
  );
  if (fields.length > 0 && text.startsWith("{")) {
    return printableLines(fields.map(([key, value]) => `${key}: ${String(value)}`).join(" · ")).slice(0, maxLines);
  }
  const lines = printableLines(text);
  return lines.length <= maxLines + 1
    ? lines
    : [...lines.slice(0, maxLines), `… ${lines.length - maxLines} lines more`];
}

function messageText({ content }: Message): string {
  return content
    .map((part) => (part.type === "text" ? part.text : `[${part.type}]`))
    .join("")
    .split("\n")
    .map((line) => escapeInvisible(line.replaceAll("\t", "  ")))
    .join("\n")
    .trim();
}
