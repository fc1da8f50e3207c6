import type { Clock } from "../../base/clock.ts";
import type { CallId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ContentPart, Message } from "../../contracts/model/message.ts";
import type { ModelClient, ModelEvent, ModelFacts } from "../../contracts/model/model.ts";
import type { SessionTap, TapInput } from "../../contracts/session/session-tap.ts";
import type { Dispatcher } from "../../contracts/tool/dispatch.ts";
import { fail, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { type DigestCache, messagesDigest } from "./messages-digest.ts";
import type { RecordedResult } from "./recording-line.ts";
import { createRecordingWriter, redactValue } from "./recording-writer.ts";

export interface RecordDeps {
  readonly file: string;
  /** True if the file already has lines. */
  readonly goesOn: boolean;
  readonly clock: Clock;
  /** Shows a sentence to the user, once. */
  say(sentence: string): void;
}

/**
 * Records everything that a replay needs. The session does not wait for the disk, and a full disk does not end the
 * session.
 */
export function recordSession(of: TapInput, { file, goesOn, clock, say }: RecordDeps): SessionTap {
  const writer = createRecordingWriter(file, {
    redact: of.redact,
    failed: (why) => say(`Recording stopped: ${why}`),
  });
  const { record, model, modelCalls, system, tools, history } = of;
  writer.write({
    type: "opened",
    format: 1,
    session: record.id,
    at: clock.now(),
    ...(record.cwd !== undefined && { cwd: record.cwd }),
    model,
    modelCalls,
    system,
    tools: tools.map(({ name }) => name),
    ...(!goesOn && history.length > 0 && { history }),
  });
  let before: readonly Message[] = [];
  /** The previous model, while another one is selected for a single turn. */
  let restored: ModelFacts | undefined;
  /** The prompt of a started turn, until it is stored. */
  let prompted: readonly ContentPart[] | undefined;
  const digests: DigestCache = new WeakMap();

  function requested(messages: readonly Message[]): void {
    let kept = 0;
    while (kept < before.length && before[kept] === messages[kept]) kept++;
    before = messages;
    writer.write({
      type: "request",
      kept,
      messages: messages.slice(kept),
      digest: messagesDigest(clean(messages), digests),
    });
  }

  /**
   * The messages in the form in which they are written, so that both have the same digest. They stay the same objects
   * across requests.
   */
  const cleaned = new WeakMap<Message, Message>();
  function clean(messages: readonly Message[]): readonly Message[] {
    return messages.map((message) => {
      const cached = cleaned.get(message);
      if (cached) return cached;
      // Safe cast: a message is JSON, and redaction keeps its structure.
      const clean = redactValue(JSON.parse(JSON.stringify(message)) as JsonValue, of.redact) as unknown as Message;
      cleaned.set(message, clean);
      return clean;
    });
  }

  return {
    model: (client) => recordedModel(client, requested, (events) => writer.write({ type: "answer", events })),
    dispatcher: (dispatcher) =>
      recordedDispatcher(dispatcher, clock, (results) => writer.write({ type: "results", results })),
    engine: (engine) => ({
      name: engine.name,
      threshold: (facts) => engine.threshold(facts),
      async fit(request, signal) {
        const outcome = await engine.fit(request, signal);
        writer.write({ type: "fit", why: request.why, outcome });
        return outcome;
      },
    }),
    note(change) {
      if (change.type === "model") {
        const { before, ...line } = change;
        restored = before;
        writer.write(line);
      } else writer.write(change);
    },
    watch(event) {
      if (event.type === "turn.started") prompted = event.prompt;
      if (event.type === "message.added" && event.message.role === "user") {
        const { content } = event.message;
        // The prompt includes additions, in the form in which the model reads them.
        writer.write(prompted ? { type: "turn", prompt: content } : { type: "said", content });
        prompted = undefined;
      }
      if (event.type === "turn.finished") {
        if (prompted) writer.write({ type: "turn", prompt: prompted });
        prompted = undefined;
        const { reason, why } = event.outcome;
        writer.write({ type: "end", reason, ...(why !== undefined && { why }) });
        if (restored) writer.write({ type: "model", name: `${restored.provider}/${restored.model}`, facts: restored });
        restored = undefined;
      }
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

function recordedModel(
  client: ModelClient,
  requested: (messages: readonly Message[]) => void,
  answered: (events: readonly ModelEvent[]) => void,
): ModelClient {
  return {
    facts: () => client.facts(),
    // Auxiliary requests are not recorded, because the recording contains their results.
    beside: client.beside ?? client,
    async *stream(request, signal, classify) {
      requested(request.messages);
      const events: ModelEvent[] = [];
      let isTold = false;
      const tell = () => {
        if (!isTold) answered(events);
        isTold = true;
      };
      // A reader that was aborted may never read the end of the stream.
      signal.addEventListener("abort", tell, { once: true });
      try {
        for await (const event of client.stream(request, signal, classify)) {
          if (!isTold) add(events, event);
          if (event.type === "finish" || event.type === "error") tell();
          yield event;
        }
      } finally {
        signal.removeEventListener("abort", tell);
        tell();
      }
    },
  };
}

/** Joins consecutive deltas, because a secret may span two of them. */
function add(events: ModelEvent[], event: ModelEvent): void {
  const last = events.at(-1);
  if (last && (event.type === "text" || event.type === "reasoning") && last.type === event.type) {
    events[events.length - 1] = { type: event.type, delta: last.delta + event.delta };
  } else if (last?.type === "call" && event.type === "call" && last.index === event.index) {
    events[events.length - 1] = { ...last, delta: last.delta + event.delta };
  } else events.push(event);
}

/** How long the recording waits for calls that were stopped. The turn waits a little longer. */
const stopMs = 100;

function recordedDispatcher(
  dispatcher: Dispatcher,
  clock: Clock,
  settled: (results: readonly RecordedResult[]) => void,
): Dispatcher {
  return {
    dispatch: (call, scope) => dispatcher.dispatch(call, scope),
    async dispatchAll(calls, scope) {
      const ends = new Map<CallId, { readonly durationMs: number; readonly summary: string }>();
      const running = dispatcher.dispatchAll(calls, {
        ...scope,
        emit(event) {
          if (event.type === "tool.finished") ends.set(event.callId, event);
          scope.emit(event);
        },
      });
      let isTold = false;
      function tell(results: readonly ToolResult[] | undefined): void {
        if (isTold) return;
        isTold = true;
        settled(
          calls.map((call, index) => {
            const { durationMs = 0, summary = "" } = ends.get(call.id) ?? {};
            const result = results?.[index] ?? fail(`${call.name} was stopped`, "aborted", { effect: "unknown" });
            return { tool: call.name, result, durationMs, summary };
          }),
        );
      }
      using timers = new DisposableStack();
      const stopped = () => void timers.use(clock.after(stopMs, () => tell(undefined)));
      scope.signal.addEventListener("abort", stopped, { once: true });
      const results = await running.finally(() => scope.signal.removeEventListener("abort", stopped));
      tell(results);
      return results;
    },
  };
}
