import type { Clock } from "../../../base/clock.ts";
import type { CallId } from "../../../base/ids.ts";
import type { JsonObject } from "../../../base/json.ts";
import { oneLine } from "../../../base/text.ts";
import type { AgentEvent } from "../../../contracts/event.ts";
import { visible } from "../ask-approval.ts";
import type { Paint } from "../paint.ts";
import { withoutControls } from "../without-controls.ts";
import { createMarkdownPainter } from "./markdown.ts";
import { durationText, mainArgument } from "./tool-line.ts";

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
  const width = Math.min(options.columns, 160);
  const running = new Map<CallId, RunningCall>();
  let lastTool = "";
  let brokenAt = 0;
  /** What the last line is made of: more of the same goes on in it. */
  let line: "new" | "answer" | "reasoning" | CallId = "new";

  const markdown = options.markdown ? createMarkdownPainter(paint) : undefined;

  function endLine(): void {
    const rest = markdown?.end() ?? "";
    if (line !== "new" || rest !== "") options.write(`${rest}\n`);
    line = "new";
  }

  function note(text: string): void {
    endLine();
    options.write(`${text}\n`);
  }

  function say(kind: "answer" | "reasoning", delta: string): void {
    const text = withoutControls(delta);
    if (text === "") return;
    if (line !== kind && line !== "new") endLine();
    const painted = kind === "reasoning" ? paint.dim(text) : (markdown?.push(text) ?? text);
    if (painted === "") return;
    options.write(painted);
    line = painted.endsWith("\n") ? "new" : kind;
  }

  function callText({ name, args }: Pick<RunningCall, "name" | "args">): string {
    const about =
      options.toolProgress === "verbose" ? visible(JSON.stringify(args)) : mainArgument(args, Math.max(20, width - 40));
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
    const result = resultText(told);
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

  function resultText({ summary, failed }: { readonly summary: string; readonly failed: boolean }): string {
    const text = oneLine(visible(summary.replaceAll(/\s+/gu, " ")), failed ? 300 : 60);
    // Data is for the model.
    if (text === "" || (!failed && /^[{[]/u.test(text))) return "";
    return failed ? ` ${paint.bad(text)}` : ` ${paint.dim(text)}`;
  }

  return {
    note,
    endLine,
    show(event) {
      switch (event.type) {
        case "text.delta":
          return say("answer", event.delta);
        case "reasoning.delta":
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

/** A command that ended badly: the call succeeded, and a person would not say so. */
function exitOf(summary: string): { readonly failed: true; readonly summary: string } | undefined {
  const code = /^\{"exit_code":(-?[1-9]\d*)/u.exec(summary)?.[1];
  return code === undefined ? undefined : { failed: true, summary: `exit code ${code}` };
}
