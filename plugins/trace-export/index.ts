import { createHash } from "node:crypto";
import { appendFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { definePlugin, type JsonObject } from "hermes-agent-ts/plugin";

/** One line of the file: a span with the field names of OpenTelemetry's JSON encoding. */
interface Span {
  readonly name: string;
  /** The trace that the span belongs to; all spans of a turn share one. */
  readonly trace: string;
  readonly span: string;
  readonly parent?: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: JsonObject;
  readonly error?: string | undefined;
}

export default definePlugin({
  setup({ dataDir, options, log }) {
    const includeContent = options["include_content"] === true;
    const spans = createSpanFile(join(dataDir, "traces"), {
      maxBytes: numberOr(options["max_file_mb"], 10) * 1_000_000,
      maxFiles: numberOr(options["max_files"], 5),
      onError: (reason) => log.warn("trace-export.write", { reason }),
    });
    /** The earliest time of each running turn so far. Events arrive a little later than they happen. */
    const startedAt = new Map<string, number>();
    const noteStart = (turn: string | undefined, ms: number): void => {
      if (turn !== undefined) startedAt.set(turn, Math.min(ms, startedAt.get(turn) ?? Infinity));
    };
    const content = (name: string, text: string): JsonObject => (includeContent ? { [name]: text } : {});

    return {
      hooks: {
        turnStart({ turnId }) {
          noteStart(turnId, Date.now());
        },
        async afterModelCall(event) {
          const { usage, response } = event;
          noteStart(event.turnId, event.startedAt);
          await spans.write({
            ...requestSpan(event),
            endedAt: event.endedAt,
            attributes: {
              ...requestAttributes(event),
              "gen_ai.usage.input_tokens": usage.input,
              "gen_ai.usage.output_tokens": usage.output,
              "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
              ...(usage.costUsd !== undefined && { "hermes.cost_usd": usage.costUsd }),
              ...content("gen_ai.output.messages", JSON.stringify(response)),
            },
          });
        },
        async modelCallFailed(event) {
          noteStart(event.turnId, event.startedAt);
          await spans.write({
            ...requestSpan(event),
            endedAt: event.startedAt + event.durationMs,
            attributes: {
              ...requestAttributes(event),
              "error.type": event.error.kind,
            },
            error: event.error.message,
          });
        },
        async afterToolCall(event) {
          const { call, status, durationMs, result, parentCallId } = event;
          const endedAt = Date.now();
          await spans.write({
            name: `execute_tool ${call.name}`,
            trace: event.turnId ?? event.sessionId,
            span: call.id,
            parent: parentCallId ?? event.turnId ?? event.sessionId,
            startedAt: endedAt - durationMs,
            endedAt,
            attributes: {
              "gen_ai.operation.name": "execute_tool",
              "gen_ai.tool.name": call.name,
              "gen_ai.tool.call.id": call.id,
              "gen_ai.conversation.id": event.sessionId,
              "hermes.status": status,
              ...content("gen_ai.tool.call.arguments", JSON.stringify(event.args)),
              ...content("gen_ai.tool.call.result", JSON.stringify(result)),
            },
            error: status === "ok" ? undefined : result.ok ? status : result.error.kind,
          });
        },
        async turnEnd(event) {
          const id = event.turnId ?? event.sessionId;
          const endedAt = Date.now();
          const began = startedAt.get(id) ?? endedAt;
          startedAt.delete(id);
          await spans.write({
            name: "invoke_agent hermes",
            trace: id,
            span: id,
            startedAt: began,
            endedAt,
            attributes: {
              "gen_ai.operation.name": "invoke_agent",
              "gen_ai.request.model": event.model,
              "gen_ai.conversation.id": event.sessionId,
              "gen_ai.usage.input_tokens": event.usage.input,
              "gen_ai.usage.output_tokens": event.usage.output,
              "hermes.outcome": event.outcome,
              ...content("gen_ai.output.messages", event.text),
            },
            error: event.outcome === "answered" ? undefined : (event.why ?? event.outcome),
          });
        },
      },
      dispose: spans.flush,
    };
  },
});

interface RequestFacts {
  readonly sessionId: string;
  readonly turnId?: string;
  readonly requestId: string;
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly startedAt: number;
}

/** The fields that a successful and a failed request to a model share. */
function requestSpan({ sessionId, turnId = sessionId, requestId, attempt, model, startedAt }: RequestFacts) {
  return { name: `chat ${model}`, trace: turnId, span: `${requestId}/${attempt}`, parent: turnId, startedAt };
}

function requestAttributes({ sessionId, provider, model }: RequestFacts): JsonObject {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
    "gen_ai.conversation.id": sessionId,
  };
}

interface SpanFile {
  write(span: Span): Promise<void>;
  flush(): Promise<void>;
}

/** Appends lines, starts a new file when one is full, and removes the oldest ones. */
function createSpanFile(
  folder: string,
  limits: { readonly maxBytes: number; readonly maxFiles: number; readonly onError: (reason: string) => void },
): SpanFile {
  let queue: Promise<void> = Promise.resolve();

  async function append(line: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).toSorted();
    const last = names.at(-1);
    const size = last === undefined ? Infinity : (await stat(join(folder, last))).size;
    const name = last === undefined || size + line.length > limits.maxBytes ? fileName(new Date()) : last;
    await appendFile(join(folder, name), line, { mode: 0o600 });
    const files = names.includes(name) ? names : [...names, name];
    for (const old of files.slice(0, -limits.maxFiles)) await rm(join(folder, old), { force: true });
  }

  return {
    write(span) {
      const line = `${JSON.stringify(encode(span))}\n`;
      queue = queue.then(() => append(line)).catch((error: unknown) => limits.onError(String(error)));
      return queue;
    },
    flush: () => queue,
  };
}

function fileName(now: Date): string {
  return `${now.toISOString().replaceAll(/[:.]/gu, "-")}.jsonl`;
}

function encode(span: Span): JsonObject {
  return {
    traceId: hexOf(span.trace, 32),
    spanId: hexOf(span.span, 16),
    ...(span.parent !== undefined && { parentSpanId: hexOf(span.parent, 16) }),
    name: span.name,
    kind: 1,
    startTimeUnixNano: nanos(span.startedAt),
    endTimeUnixNano: nanos(span.endedAt),
    attributes: span.attributes,
    status: span.error === undefined ? { code: 1 } : { code: 2, message: span.error },
    resource: { "service.name": "hermes" },
  };
}

/** Ids of OpenTelemetry have a fixed number of hexadecimal digits. */
function hexOf(id: string, digits: number): string {
  return createHash("sha256").update(id).digest("hex").slice(0, digits);
}

function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && value > 0 ? value : fallback;
}
