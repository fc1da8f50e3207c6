import type { Clock } from "../../../../base/clock.ts";
import type { CallId } from "../../../../base/ids.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { compactionText } from "../../../../contracts/model/context.ts";
import type { AgentEvent } from "../../../../contracts/session/event.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { createMarkdownStream, type MarkdownStream } from "../../markdown/render-markdown.ts";
import type { Paint } from "../../paint.ts";
import { withoutControls } from "../../without-controls.ts";
import { agentLine, type AgentScreen, callAgents } from "./agent-lines.ts";
import { belowCall, type CallLook, callText, endedCallLines } from "./call-lines.ts";
import {
  type CallItem,
  type CallResult,
  emptyFeed,
  type FeedItem,
  type FeedState,
  hasCutAnswer,
  reduceFeed,
} from "./feed-state.ts";
import { noticeText } from "./notice-text.ts";
import { printableLines } from "./result-lines.ts";
import { retryText, startsAgainText } from "./retry-text.ts";
import { elapsedText } from "./tool-line.ts";
import { unwrittenFiles, unwrittenText } from "./unwritten-files.ts";
import { createWordWrap } from "./word-wrap.ts";

export interface FeedOptions {
  readonly paint: Paint;
  readonly columns: number;
  readonly clock: Clock;
  /** Appends text; nothing is redrawn. */
  write(text: string): void;
  emoji(tool: string): string;
  /**
   * Shows lines below the printed text, replacing the previous ones; an empty list removes them. Undefined: nothing can
   * be redrawn.
   */
  readonly live?: (lines: readonly string[]) => void;
  /** The command that shows a whole output: `/output`. */
  readonly showsAll?: string;
  readonly showReasoning: boolean;
  /** True: formats answers (headings, bold words, code). Default: plain text. */
  readonly markdown?: boolean;
  /** True: a person watches the terminal, so answers wrap between words and a slow model is reported. */
  readonly isWatched?: boolean;
  /**
   * `off`: nothing about tools; `new`: a call of a tool that differs from the previous one; `all`: every call with the
   * end of its output; `verbose`: every call with all arguments and its whole output.
   */
  readonly toolProgress: "off" | "new" | "all" | "verbose";
}

/** Prints a turn as lines of text while it runs. */
export interface Feed {
  show(event: AgentEvent): void;
  /** Prints a message of the program on separate lines. */
  note(text: string): void;
  /** Starts a new line for the following text. */
  endLine(): void;
}

export function createFeed(options: FeedOptions): Feed {
  const printer = createFeedPrinter(options);
  let state = emptyFeed;
  return {
    note: printer.note,
    endLine: printer.endLine,
    show(event) {
      state = reduceFeed(state, event);
      printer.print(state);
    },
  };
}

interface FeedPrinter extends Pick<Feed, "note" | "endLine"> {
  /** Prints the change that the last event made. Must be called with every state, in order. */
  print(state: FeedState): void;
}

/** Appends text to the screen; printed lines never change. */
function createFeedPrinter(options: FeedOptions): FeedPrinter {
  const { paint, clock } = options;
  const width = () => Math.min(options.columns, 160);
  /** Running calls that are shown, in order. */
  const running = new Map<CallId, CallItem>();
  let ticking: Disposable | undefined;
  let isLive = false;
  /** The content of the last line; more text of the same kind is appended to it. */
  let line: "new" | "answer" | "reasoning" = "new";

  let shown = emptyFeed;
  /** Reports a slow model. */
  let reminder: Disposable | undefined;
  let remindedSeq = -1;
  let stalled: Disposable | undefined;
  let counting: Disposable | undefined;
  let isRetryShown = false;

  /** The state of one answer. */
  const newAnswer = () => ({
    markdown: options.markdown ? createMarkdownStream({ paint, columns: () => options.columns }) : undefined,
    words: options.isWatched && !options.markdown ? createWordWrap(() => options.columns) : undefined,
  });
  let answer = newAnswer();
  let heldWord: Disposable | undefined;
  /** True while the incomplete lines of the answer are shown. */
  let isOpenShown = false;
  const broken = (text: string) => answer.words?.push(text) ?? text;

  function endLine(): void {
    heldWord?.[Symbol.dispose]();
    if (answer.markdown) printLines(answer.markdown.end());
    const rest = answer.words?.end() ?? "";
    if (line !== "new" || rest !== "") options.write(`${rest}\n`);
    line = "new";
  }

  function endAnswer(): void {
    endLine();
    answer = newAnswer();
  }

  function note(text: string): void {
    endLine();
    options.write(`${text}\n`);
  }

  function say(kind: "answer" | "reasoning", delta: string): void {
    const text = withoutControls(delta);
    if (text === "") return;
    if (line !== kind && line !== "new") endLine();
    if (kind === "answer" && answer.markdown) return sayMarkdown(answer.markdown, text);
    const painted = kind === "reasoning" ? paint.dim(text) : broken(text);
    put(kind, painted);
    const { words } = answer;
    if (words && kind === "answer") heldWord = clock.after(pauseMs, () => put(kind, words.rest()));
  }

  /** Complete lines are written; incomplete ones become live lines after a moment. */
  function sayMarkdown(markdown: MarkdownStream, text: string): void {
    const wasOpen = isOpenShown;
    const lines = markdown.push(text);
    if (lines.length > 0) printLines(lines);
    heldWord?.[Symbol.dispose]();
    const showOpen = () => {
      const open = markdown.open();
      isOpenShown = open.length > 0;
      options.live?.(open);
    };
    if (wasOpen) showOpen();
    else heldWord = clock.after(pauseMs, showOpen);
  }

  function printLines(lines: readonly string[]): void {
    heldWord?.[Symbol.dispose]();
    if (isOpenShown) options.live?.([]);
    isOpenShown = false;
    if (lines.length > 0) options.write(`${lines.join("\n")}\n`);
  }

  function put(kind: "answer" | "reasoning", painted: string): void {
    heldWord?.[Symbol.dispose]();
    if (painted === "") return;
    options.write(painted);
    line = painted.endsWith("\n") ? "new" : kind;
  }

  function remind(model: string, sinceMs = 0): void {
    const nextMs = remindersMs.find((ms) => ms > sinceMs) ?? sinceMs + 60_000;
    reminder?.[Symbol.dispose]();
    if (!options.isWatched) return;
    reminder = clock.after(nextMs - sinceMs, () => {
      const took = sinceMs === 0 ? "" : `, ${elapsedText(nextMs)} so far; Ctrl-C stops it`;
      const what = shown.waiting?.isThinking ? `${model} is thinking` : `waiting for ${model}`;
      note(paint.dim(`◌ ${what}${took} …`));
      remind(model, nextMs);
    });
  }

  function printWaiting({ waiting }: FeedState): void {
    // While reasoning is visible, no reminder is needed.
    if (!waiting || (waiting.isThinking && options.showReasoning)) reminder?.[Symbol.dispose]();
    else if (waiting.seq !== remindedSeq) remind(escapeInvisible(waiting.model));
    remindedSeq = waiting?.seq ?? -1;
  }

  /** Reports an answer that stops in the middle. */
  function watchAnswer(ms: number): void {
    stalled ??= clock.after(ms, () => {
      stalled = undefined;
      const { answering } = shown;
      if (!answering) return;
      const silentMs = clock.now() - answering.at;
      if (silentMs < stalledMs) return watchAnswer(stalledMs - silentMs);
      showStalled(answering.model, silentMs);
      watchAnswer(options.live && answer.markdown ? tickMs : 60_000);
    });
  }

  function showStalled(model: string, silentMs: number): void {
    const took = `${Math.floor(silentMs / 1_000)} s so far; Ctrl-C stops it`;
    const text = paint.dim(`◌ waiting for ${escapeInvisible(model)}, ${took} …`);
    if (!answer.markdown || !options.live) return note(text);
    options.live([...answer.markdown.open(), text]);
    isOpenShown = true;
  }

  /** Counts the retries of a request, and the seconds until the next one, in one live line. */
  function showRetrying(): void {
    counting?.[Symbol.dispose]();
    const { retrying } = shown;
    if (!retrying || !options.live) {
      if (isRetryShown) options.live?.([]);
      isRetryShown = false;
      return;
    }
    if (!isRetryShown) endLine();
    isRetryShown = true;
    const { message, retry, nextAt } = retrying;
    const leftMs = Math.max(0, nextAt - clock.now());
    const text = `${escapeInvisible(oneLine(message, 300))}: ${retryText(Math.ceil(leftMs / 1_000), retry.number, retry.of)}`;
    options.live([paint.dim(`↻ ${text}`)]);
    if (leftMs > 0) counting = clock.after(Math.min(tickMs, leftMs), showRetrying);
  }

  function printCall(call: CallItem): void {
    const { toolProgress } = options;
    const isNew = !running.has(call.callId);
    if (isNew && (call.result || toolProgress === "off" || (toolProgress === "new" && call.isRepeat))) return;
    if (call.result) return printResult(call, call.result);
    running.set(call.callId, call);
    if (isNew) tick(slowMs);
    else if (isLive) showRunning();
  }

  /** Shows a slow call while it runs. */
  function tick(ms: number): void {
    ticking ??= clock.after(ms, () => {
      ticking = undefined;
      showRunning();
      if (running.size > 0 && options.live) tick(tickMs);
    });
  }

  function showRunning(): void {
    const calls = [...running.values()];
    if (!options.live) return;
    if (calls.length > 0) endLine();
    isLive = calls.length > 0;
    const linesEach = Math.max(1, Math.floor(maxLiveLines / Math.max(1, calls.length)));
    options.live(
      calls.flatMap((call) => {
        const took = paint.dim(`${Math.floor(Math.max(0, clock.now() - call.startedAt) / 1_000)} s`);
        const lines = call.printed.flatMap(printableLines).slice(-linesEach);
        const agents = callAgents(shown.agents, call.callId, screen(), maxAgentLines);
        return [
          `${callText(call, look())} ${took}`,
          ...lines.map((each) => belowCall(paint.dim(each), look())),
          ...agents,
        ];
      }),
    );
  }

  function screen(): AgentScreen {
    return { paint, columns: width(), now: clock.now() };
  }

  /** A child of a shown call is part of its live lines. Other children have their own lines. */
  function printAgent({ now: agent, before }: NonNullable<FeedState["changedAgent"]>): void {
    if (options.toolProgress === "off") return;
    const isInCall = options.live !== undefined && (running.has(agent.callId) || agent.depth > 1);
    if (isInCall) return isLive ? showRunning() : undefined;
    if (agent.state !== before && agent.state !== "waiting") note(agentLine(agent, screen()));
  }

  const look = (): CallLook => ({
    paint,
    columns: width(),
    emoji: options.emoji,
    isWhole: options.toolProgress === "verbose",
    ...(options.showsAll !== undefined && { showsAll: options.showsAll }),
  });

  function printResult(call: CallItem, result: CallResult): void {
    running.delete(call.callId);
    if (running.size === 0) stopTicking();
    if (isLive) showRunning();
    endLine();
    // Without live lines, each child was printed when it ended.
    const agents = options.live ? callAgents(shown.agents, call.callId, screen()) : [];
    options.write([...endedCallLines(call, result, look()), ...agents].map((each) => `${each}\n`).join(""));
  }

  function stopTicking(): void {
    ticking?.[Symbol.dispose]();
    ticking = undefined;
  }

  function printConsulted({
    provider,
    model,
    durationMs,
    text,
    error,
  }: Extract<FeedItem, { type: "model.consulted" }>): void {
    const by = `◇ ${escapeInvisible(`${provider}/${model}`)}`;
    const took = elapsedText(durationMs);
    if (error)
      return note(paint.warn(`${by} did not answer (${took}): ${escapeInvisible(oneLine(error.message, 300))}`));
    const words =
      text === undefined
        ? ""
        : options.showReasoning
          ? `\n${withoutControls(text)}`
          : escapeInvisible(oneLine(text, 120));
    note(paint.dim(`${by} (${took})${words === "" ? "" : `: ${words}`}`));
  }

  const reactionText = ({ retry, how }: Extract<FeedItem, { type: "model.failed" }>) =>
    retry && options.live ? startsAgainText : escapeInvisible(how);

  function printItem(item: FeedItem): void {
    switch (item.type) {
      case "answer":
        return say("answer", item.delta);
      case "reasoning":
        return options.showReasoning ? say("reasoning", item.delta) : undefined;
      case "call":
        return printCall(item);
      case "model.failed":
        // Does not print the last failure, because the end of the turn reports it.
        if (item.next === "give_up" || (item.retry && options.live && !hasCutAnswer(shown))) return undefined;
        return note(paint.dim(`↻ ${escapeInvisible(oneLine(item.error.message, 300))}: ${reactionText(item)}`));
      case "model.consulted":
        return printConsulted(item);
      case "context.compacting":
        return note(paint.dim(`◌ compacting the context (${item.tokens} tokens) …`));
      case "context.compacted":
        return note(paint.dim(`◌ context compacted: ${compactionText(item)}`));
      case "notice":
        // The lines of the calls have the reasons, and the end of the turn names the files.
        if (item.unwritten && options.toolProgress !== "off") return undefined;
        return note(item.level === "info" ? paint.dim(noticeText(item.text)) : paint.warn(noticeText(item.text)));
    }
  }

  return {
    note,
    endLine,
    print(state) {
      const isNextAnswer = state.answer !== shown.answer;
      shown = state;
      printWaiting(state);
      if (state.answering && options.isWatched) watchAnswer(stalledMs);
      if (state.retrying || isRetryShown) showRetrying();
      if (isNextAnswer) endAnswer();
      const item = state.changed === undefined ? undefined : state.items[state.changed];
      if (item) printItem(item);
      if (state.changedAgent) printAgent(state.changedAgent);
      if (!state.isOver || state.changedAgent) return;
      state.interrupted?.forEach(printCall);
      stopTicking();
      running.clear();
      if (isLive) showRunning();
      endLine();
      const unwritten = options.toolProgress === "off" ? [] : unwrittenFiles(state.items);
      if (unwritten.length > 0) note(paint.warn(unwrittenText(unwritten)));
    },
  };
}

const slowMs = 200;
/** After this time without text, an answer counts as stalled. */
const stalledMs = 3_000;
const tickMs = 1_000;
const maxLiveLines = 5;
const maxAgentLines = 14;
/** After this pause, an unfinished word is shown. */
const pauseMs = 100;
/** Times after which a silent model is reported; afterwards it is reported every minute. */
const remindersMs = [3_000, 15_000, 60_000];
