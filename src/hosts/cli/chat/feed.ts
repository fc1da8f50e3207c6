import type { Clock } from "../../../base/clock.ts";
import type { CallId } from "../../../base/ids.ts";
import type { JsonObject } from "../../../base/json.ts";
import { textWidth } from "../../../base/text/text-width.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { AgentEvent } from "../../../contracts/session/event.ts";
import { visible } from "../ask-approval.ts";
import type { Paint } from "../paint.ts";
import { wrap } from "../table.ts";
import { withoutControls } from "../without-controls.ts";
import { createMarkdownPainter } from "./markdown.ts";
import { durationText, mainArgument } from "./tool-line.ts";
import { createWordWrap } from "./word-wrap.ts";

export interface FeedOptions {
  readonly paint: Paint;
  readonly columns: number;
  readonly clock: Clock;
  /** What is written stays: nothing is drawn again. */
  write(text: string): void;
  emoji(tool: string): string;
  /** Grows when something else came between: a line that was begun does not go on then. */
  breaks?(): number;
  readonly showReasoning: boolean;
  /** Answers are painted: headings, bold words, code. Left out: they stay as they are. */
  readonly markdown?: boolean;
  /** A person sees it at a terminal: answers are broken between words, and a model that takes its time is told of. */
  readonly isWatched?: boolean;
  /** `off`: no lines for tools; `all`: one for each call; `new`: when another tool is called; `verbose`: with all arguments. */
  readonly toolProgress: "off" | "new" | "all" | "verbose";
}

/** A turn as lines of text, while it happens. */
export interface Feed {
  show(event: AgentEvent): void;
  /** A sentence of the program on lines of its own. */
  note(text: string): void;
  /** What follows begins on a new line. */
  endLine(): void;
}

interface RunningCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly soon: Disposable;
}

export function createFeed(options: FeedOptions): Feed {
  const { paint, clock } = options;
  const width = () => Math.min(options.columns, 160);
  const running = new Map<CallId, RunningCall>();
  let lastTool = "";
  let brokenAt = 0;
  /** What the last line is made of: more of the same goes on in it. */
  let line: "new" | "answer" | "reasoning" | CallId = "new";

  /** Until the model says something. */
  let silence: Disposable | undefined;
  let isThinking = false;

  /** Of one answer: code that is open in it is none in the next. */
  const newAnswer = () => ({
    markdown: options.markdown ? createMarkdownPainter(paint) : undefined,
    words: options.isWatched ? createWordWrap(() => options.columns) : undefined,
  });
  let answer = newAnswer();
  let heldWord: Disposable | undefined;
  const broken = (text: string) => answer.words?.push(text) ?? text;

  function endLine(): void {
    heldWord?.[Symbol.dispose]();
    const rest = `${broken(answer.markdown?.end() ?? "")}${answer.words?.end() ?? ""}`;
    if (line !== "new" || rest !== "") options.write(`${rest}\n`);
    line = "new";
  }

  function endAnswer(): void {
    // The line of a call goes on.
    if (line === "new" || line === "answer") endLine();
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
    const painted = kind === "reasoning" ? paint.dim(text) : broken(answer.markdown?.push(text) ?? text);
    put(kind, painted);
    const { words } = answer;
    if (words && kind === "answer") heldWord = clock.after(pauseMs, () => put(kind, words.rest()));
  }

  function put(kind: "answer" | "reasoning", painted: string): void {
    heldWord?.[Symbol.dispose]();
    if (painted === "") return;
    options.write(painted);
    line = painted.endsWith("\n") ? "new" : kind;
  }

  /** A model that takes its time is no reason to think that nothing happens. */
  function awaitWord(model: string, sinceMs = 0): void {
    const at = patienceMs.find((ms) => ms > sinceMs) ?? sinceMs + 60_000;
    silence?.[Symbol.dispose]();
    if (!options.isWatched) return;
    silence = clock.after(at - sinceMs, () => {
      const took = sinceMs === 0 ? "" : `, ${durationText(at)} by now; Ctrl-C stops it`;
      note(paint.dim(`◌ ${isThinking ? `${model} is thinking` : `waiting for ${model}`}${took} …`));
      awaitWord(model, at);
    });
  }

  function heard(): void {
    silence?.[Symbol.dispose]();
    silence = undefined;
    isThinking = false;
  }

  function callText({ name, args }: Pick<RunningCall, "name" | "args">): string {
    const room = Math.max(8, width() - name.length - 20);
    const about = options.toolProgress === "verbose" ? visible(JSON.stringify(args)) : mainArgument(args, room);
    return `${paint.dim("┊")} ${options.emoji(name)} ${paint.bold(visible(oneLine(name, 80)))}${about === "" ? "" : ` ${about}`}`;
  }

  function isShown(tool: string): boolean {
    const isAnother = tool !== lastTool;
    lastTool = tool;
    return options.toolProgress === "new" ? isAnother : options.toolProgress !== "off";
  }

  function started(id: CallId, name: string, args: JsonObject): void {
    // A call that takes its time is shown before it ends.
    const soon = clock.after(slowMs, () => {
      endLine();
      options.write(callText({ name, args }));
      line = id;
      brokenAt = options.breaks?.() ?? 0;
    });
    running.set(id, { name, args, soon });
  }

  function finished(event: Extract<AgentEvent, { type: "tool.finished" }>): void {
    const call = running.get(event.callId);
    if (!call) return;
    running.delete(event.callId);
    call.soon[Symbol.dispose]();
    const told = { failed: event.failed, summary: event.summary, ...exitOf(event.summary) };
    const mark = told.failed ? paint.bad("✗") : paint.good("✓");
    const end = `${mark} ${paint.dim(durationText(event.durationMs))}`;
    const result = resultText(told, textWidth(`${callText(call)} ${end} `));
    if (line !== event.callId || brokenAt !== (options.breaks?.() ?? 0)) {
      endLine();
      options.write(callText(call));
    }
    options.write(` ${end}${result}\n`);
    line = "new";
  }

  function consulted({
    provider,
    model,
    durationMs,
    text,
    error,
  }: Extract<AgentEvent, { type: "model.consulted" }>): void {
    const by = `◇ ${visible(`${provider}/${model}`)}`;
    const took = durationText(durationMs);
    if (error) return note(paint.warn(`${by} did not answer (${took}): ${visible(oneLine(error.message, 300))}`));
    const said =
      text === undefined ? "" : options.showReasoning ? `\n${withoutControls(text)}` : visible(oneLine(text, 120));
    note(paint.dim(`${by} (${took})${said === "" ? "" : `: ${said}`}`));
  }

  /** Behind the call where there is room; why it failed is told in any case, on lines below it. */
  function resultText(told: { readonly summary: string; readonly failed: boolean }, taken: number): string {
    const room = width() - taken;
    const said = visible((told.failed ? forPeople(told.summary) : told.summary).replaceAll(/\s+/gu, " "));
    const text = oneLine(said, told.failed ? 300 : Math.min(60, room));
    // Data is for the model.
    if (text.length < 2 || (!told.failed && /^[{[]/u.test(text))) return "";
    if (!told.failed) return ` ${paint.dim(text)}`;
    if (textWidth(text) <= room) return ` ${paint.bad(text)}`;
    const lines = wrap(text, width() - 4).split("\n");
    return lines.map((each) => `\n${paint.dim("┊")}   ${paint.bad(each)}`).join("");
  }

  return {
    note,
    endLine,
    show(event) {
      if (ends.has(event.type)) heard();
      if (endsAnswer(event)) endAnswer();
      switch (event.type) {
        case "model.called":
          return awaitWord(visible(`${event.provider}/${event.model}`));
        case "text.delta":
          return say("answer", event.delta);
        case "reasoning.delta":
          isThinking = !options.showReasoning;
          if (!isThinking) heard();
          return options.showReasoning ? say("reasoning", event.delta) : undefined;
        case "tool.started":
          return isShown(event.name) ? started(event.callId, event.name, event.args) : undefined;
        case "tool.finished":
          return finished(event);
        case "model.failed":
          // How the turn ended says it.
          if (event.next === "give_up") return undefined;
          return note(paint.dim(`↻ ${visible(oneLine(event.error.message, 300))}: ${visible(event.how)}`));
        case "model.consulted":
          return consulted(event);
        case "context.compacting":
          return note(paint.dim(`◌ shortening the context (${event.tokens} tokens) …`));
        case "context.compacted":
          return note(paint.dim(`◌ context shortened: ${event.tokensBefore} → ${event.tokensAfter} tokens`));
        case "notice":
          return note(event.level === "info" ? paint.dim(visible(event.text)) : paint.warn(visible(event.text)));
        case "turn.finished":
          for (const { soon } of running.values()) soon[Symbol.dispose]();
          running.clear();
          return endLine();
        default:
          return undefined;
      }
    },
  };
}

const slowMs = 400;
/** A word that has not ended is shown after that. */
const pauseMs = 100;
/** When it is told that a model has said nothing yet; then every minute. */
const patienceMs = [3_000, 15_000, 60_000];
const ends: ReadonlySet<AgentEvent["type"]> = new Set([
  "text.delta",
  "tool.started",
  "model.answered",
  "model.failed",
  "turn.finished",
]);

/** An answer that was cut off goes on in the next one. */
function endsAnswer(event: AgentEvent): boolean {
  if (event.type === "message.added") return event.message.role === "user";
  return event.type === "tool.started" || event.type === "model.failed" || event.type === "turn.finished";
}

/** Without what is said to the model alone. */
function forPeople(summary: string): string {
  return summary
    .replace(/ (?:Do not try it again|STOP: )\b.*$/su, "")
    .replace(/^Denied: \S+ was not run: /u, "denied: ");
}

/** A command that ended badly: the call succeeded, and a person would not say so. */
function exitOf(summary: string): { readonly failed: true; readonly summary: string } | undefined {
  const code = /^\{"exit_code":(-?[1-9]\d*)/u.exec(summary)?.[1];
  return code === undefined ? undefined : { failed: true, summary: `exit code ${code}` };
}
