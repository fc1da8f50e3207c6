import type { CallId } from "../../base/ids.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { compactionText } from "../../contracts/model/context.ts";
import type { Message } from "../../contracts/model/message.ts";
import { nestedCallReader } from "../../contracts/session/nested-calls.ts";
import type { Entry } from "../../contracts/session/session.ts";
import { mainArgument } from "../../contracts/tool/main-argument.ts";
import { fieldsOf, resultText, viewResult } from "../../contracts/tool/result-view.ts";
import { type RecordedCall, recordedCalls } from "../../operations/sessions/session-calls.ts";
import { printableLines, resultLines } from "./chat/feed/result-lines.ts";
import { elapsedText } from "./chat/feed/tool-line.ts";
import type { CliContext } from "./command.ts";
import { escapeInvisible } from "./escape-invisible.ts";
import { fit } from "./table.ts";

type Shown = Pick<CliContext, "paint"> & { readonly io: Pick<CliContext["io"], "columns"> };

/**
 * A session as readable text: prompts, answers, and every call with its command, its status and the important part of
 * its result.
 */
export function transcriptText(entries: readonly Entry[], { paint, io }: Shown): string {
  const calls = new Map(recordedCalls(entries).map((call) => [call.callId, call]));
  const width = Math.min(io.columns, 160);
  const reader = nestedCallReader();
  const nested = Map.groupBy(
    entries.flatMap((entry) => reader(entry) ?? []),
    ({ parent }) => parent,
  );

  function nestedLines(parent: CallId): readonly string[] {
    const below = nested.get(parent) ?? [];
    if (below.length === 0) return [];
    const lines = below.slice(0, maxNested).map(({ tool, args, failed, duration }) => {
      const about = escapeInvisible(mainArgument(args, Math.max(20, width - tool.length - 24)));
      return `${failed ? "✗" : "·"} ${escapeInvisible(tool)} ${about} ${elapsedText(duration * 1_000)}`;
    });
    const more = below.length > maxNested ? [`… ${plural(below.length - maxNested, "more call")}`] : [];
    return [`${plural(below.length, "call")}:`, ...lines, ...more].map(paint.dim);
  }

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
      ...[...nestedLines(call.callId), ...lines].map((line) => `  ${fit(line, width - 2)}`),
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
const maxNested = 20;

/** A short form of a result: the start of a text, or the fields of data. */
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
