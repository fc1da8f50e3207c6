import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import type { ContextEngine } from "../../contracts/model/context.ts";
import type { ContentPart, Message, ToolCall } from "../../contracts/model/message.ts";
import type { ModelClient, ModelEvent, ModelFacts, ModelSource } from "../../contracts/model/model.ts";
import type { Session, Turn } from "../../contracts/session/runtime.ts";
import type { SessionTap } from "../../contracts/session/session-tap.ts";
import type { Dispatcher } from "../../contracts/tool/dispatch.ts";
import { finishedView } from "../../contracts/tool/result-view.ts";
import { fail, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { type DigestCache, firstDifference, messagesDigest } from "./messages-digest.ts";
import type { ModelRecording } from "./read-recording.ts";
import type { RecordedAnswer, RecordedResult, RecordingLine } from "./recording-line.ts";

/** A difference between a replay and its recording. */
export interface Deviation {
  /** The turn, starting at 1. */
  readonly turn: number;
  /** The number of the model request, starting at 1, if known. */
  readonly request?: number;
  readonly text: string;
}

export interface ReplayOptions {
  /** The first turn in which tools are really executed. Undefined: they never are. */
  readonly liveFrom?: number;
  deviates(deviation: Deviation): void;
}

export interface Replay {
  /** A client that returns the recorded answers, whatever the model. */
  readonly models: ModelSource;
  readonly tap: SessionTap;
  /** The recorded prompt that asked the model to continue an unfinished answer. */
  unfinished(): Promise<string | undefined>;
  /** Replays the turns in order. Calls `began` at the start of each turn. */
  play(session: Session, began: (turn: Turn, index: number) => void, signal: AbortSignal): Promise<void>;
}

/** Replays one recording once. */
export function createReplay(
  { opened, lines: recorded }: ModelRecording,
  { liveFrom, deviates }: ReplayOptions,
): Replay {
  const lines = recorded.filter(({ type }) => type !== "opened");
  let facts: ModelFacts = opened.model;
  let turns = 0;
  let requests = 0;
  let conversation: readonly Message[] = [];
  let session: Session | undefined;
  const digests: DigestCache = new WeakMap();

  const deviate = (text: string) => deviates({ turn: turns, ...(requests > 0 && { request: requests }), text });

  function take<T extends RecordingLine["type"]>(type: T): Extract<RecordingLine, { type: T }> | undefined {
    const [next] = lines;
    if (next?.type !== type) return undefined;
    lines.shift();
    // Safe cast: the comparison above ensures the type.
    return next as Extract<RecordingLine, { type: T }>;
  }

  /** The recorded process died at this point, so the turn ends too. */
  function isCutOff(): boolean {
    if (lines.length > 0) return false;
    deviate("The recording ends in the middle of this turn.");
    session?.turn?.abort("the recording ends here");
    return true;
  }

  /** Removes and returns the user messages before the next request. */
  function takeSaid(): readonly (readonly ContentPart[])[] {
    const end = lines.findIndex(({ type }) => type === "request" || type === "end" || type === "turn");
    const messages = lines.slice(0, end < 0 ? undefined : end).filter((line) => line.type === "said");
    for (const line of messages) lines.splice(lines.indexOf(line), 1);
    return messages.map(({ content }) => content);
  }

  async function* answer({ events }: RecordedAnswer, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (const event of events) {
      // The steering message now reaches the model before the next request, as in the recording.
      if (event.type === "finish" || event.type === "error") for (const content of takeSaid()) session?.steer(content);
      yield event;
      if (event.type === "finish" || event.type === "error") return;
    }
    const [first, ...others] = takeSaid();
    const [next] = lines;
    if (first) session?.redirect(first);
    for (const content of others) session?.steer(content);
    if (!first && next?.type === "end") session?.turn?.abort(next.why ?? "interrupted");
    if (!first && !isCutOff() && !signal.aborted)
      yield noAnswer("The recording does not contain the end of this answer.");
  }

  const client: ModelClient = {
    facts: () => facts,
    async *stream({ messages }, signal) {
      const line = take("request");
      requests += 1;
      if (!line && isCutOff()) return;
      if (!line) {
        deviate("The model gets one more request than in the recording.");
        return yield noAnswer("The recording has no answer to this request.");
      }
      conversation = [...conversation.slice(0, line.kept), ...line.messages];
      if (messagesDigest(messages, digests) !== line.digest) {
        const result = firstDifference(conversation, messages);
        const where = result
          ? `message ${result.message} (${result.role}): recorded "${result.recorded}", now "${result.now}"`
          : "the recording was changed by hand";
        deviate(`The request differs from the recorded one in ${where}`);
      }
      yield* answer(take("answer") ?? { type: "answer", events: [] }, signal);
    },
  };

  const engine = (own: ContextEngine): ContextEngine => ({
    name: own.name,
    threshold: () => (lines[0]?.type === "fit" && lines[0].why === "threshold" ? 0 : Infinity),
    async fit() {
      const line = take("fit");
      if (!line) deviate("The context is compacted where the recording has no compaction.");
      return line?.outcome ?? { failed: "the recording has no compacted context here" };
    },
  });

  const dispatcher = (own: Dispatcher): Dispatcher => ({
    dispatch: (call, scope) => own.dispatch(call, scope),
    async dispatchAll(calls, scope) {
      const line = take("results");
      if (!line && isCutOff())
        return calls.map(({ name }) => fail(`The recording ends before ${name} did.`, "aborted"));
      if (!line) deviate("Tools are called where the recording has no call.");
      const isLive = liveFrom !== undefined && turns >= liveFrom;
      if (isLive) return own.dispatchAll(calls, scope);
      const results = calls.map((call, index) => recordedResult(call, line?.results[index]));
      for (const [index, call] of calls.entries()) {
        const result = results[index];
        const { durationMs = 0, summary = "" } = line?.results[index] ?? {};
        const { id: callId, name } = call;
        scope.emit({ type: "tool.started", callId, name, args: argsOf(call) });
        scope.emit({
          type: "tool.finished",
          callId,
          name,
          durationMs,
          ...(result ? finishedView(result) : { failed: false, summary }),
        });
      }
      const [next] = lines;
      if (next?.type === "end" && next.reason === "aborted") session?.turn?.abort(next.why ?? "interrupted");
      return results;
    },
  });

  function recordedResult(call: ToolCall, result: RecordedResult | undefined): ToolResult {
    if (result?.tool === call.name) return result.result;
    deviate(
      result
        ? `${call.name} is called where the recording has ${result.tool}.`
        : `The recording has no call of ${call.name} here.`,
    );
    return fail(`The recording has no result for ${call.name} here.`);
  }

  async function playTurn(
    prompt: readonly ContentPart[],
    began: (turn: Turn, index: number) => void,
    signal: AbortSignal,
  ) {
    if (!session) return;
    turns += 1;
    const turn = session.prompt(prompt);
    for (const content of takeSaid()) session.steer(content);
    began(turn, turns);
    const stop = () => turn.abort("interrupted");
    signal.addEventListener("abort", stop, { once: true });
    const { reason, why } = await turn.done;
    signal.removeEventListener("abort", stop);
    if (signal.aborted) return;
    const end = lines.findIndex(({ type }) => type === "end" || type === "turn");
    const left = lines.splice(0, end < 0 ? lines.length : end);
    if (left.some(({ type }) => type === "request")) deviate("The turn ended before the recorded turn did.");
    const ended = take("end");
    if (ended && ended.reason !== reason) {
      deviate(`The turn ended as ${reason}${why === undefined ? "" : ` (${why})`}, not as ${ended.reason}.`);
    }
  }

  return {
    models: { open: async () => ok(client) },
    tap: {
      model: () => client,
      dispatcher,
      engine,
      watch() {},
      note() {},
      async [Symbol.asyncDispose]() {},
    },
    async unfinished() {
      const [next] = lines;
      const last = next?.type === "request" ? next.messages.at(-1) : undefined;
      const text = last?.role === "user" ? last.content[0] : undefined;
      return text?.type === "text" ? text.text : undefined;
    },
    async play(opening, began, signal) {
      session = opening;
      while (!signal.aborted) {
        const line = lines.shift();
        if (!line) return;
        if (line.type === "turn") await playTurn(line.prompt, began, signal);
        if (line.type === "undo") await opening.undo(line.turns);
        if (line.type === "compress") await opening.compress(line.focus, signal, line.keepExchanges);
        if (line.type === "model") {
          facts = line.facts;
          await opening.useModel(line.name);
        }
      }
    },
  };
}

function noAnswer(message: string): ModelEvent {
  return { type: "error", error: { kind: "invalid_request", message } };
}

function argsOf({ args }: ToolCall): JsonObject {
  if (typeof args !== "string") return args;
  const parsed = parseJson(args, { maxChars: 10_000_000, maxDepth: 100 });
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}
