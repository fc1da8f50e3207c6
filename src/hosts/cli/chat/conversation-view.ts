import { type AbortLink, linkAbort } from "../../../base/async/abort.ts";
import { systemClock } from "../../../base/clock.ts";
import { reasonOf } from "../../../base/result.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import { promptText } from "../../../commands/reply-text.ts";
import { isCommandLine } from "../../../commands/resolve-command.ts";
import { runCommand } from "../../../commands/run-command.ts";
import type { CommandEffect } from "../../../contracts/host/command.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { AgentEvent } from "../../../contracts/session/event.ts";
import type { Session } from "../../../contracts/session/runtime.ts";
import type { CliContext } from "../command.ts";
import { withoutControls } from "../without-controls.ts";
import { earlierPanel } from "./earlier-exchanges.ts";
import { createFeed } from "./feed/feed.ts";
import { paintedOutput } from "./feed/result-lines.ts";
import { statusLine } from "./feed/status-line.ts";
import { fittedLines } from "./fitted-lines.ts";
import type { OpenedChat } from "./open-chat.ts";
import { slashContext, type SlashParts } from "./slash-context.ts";
import type { LineEditor } from "./typing/line-editor.ts";

export interface ConversationViewParts {
  readonly opened: OpenedChat;
  readonly ctx: CliContext;
  /** Images for the first prompt. */
  readonly images: readonly ContentPart[];
  print(text: string): void;
  /** Shows lines below the printed text that change in place. */
  readonly live?: (lines: readonly string[]) => void;
  setBusy(isBusy: boolean): void;
  /** Puts a text into an empty input line. */
  draft(text: string): void;
  leave(exitCode: number): void;
  readonly slash: SlashParts;
}

/** The conversation as a terminal shows it, and its controls. */
export interface ConversationView {
  readonly session: Session;
  heldText(): string;
  /** Starts to show events. */
  start(): void;
  heard(text: string): Promise<void>;
  /** Ctrl-C. */
  interrupted(editor: Pick<LineEditor, "isEmpty" | "clear">): void;
  /** Stops the running turn, and shows its end. */
  end(): Promise<void>;
}

const twiceWithinMs = 2_000;

export function createConversationView(parts: ConversationViewParts): ConversationView {
  const { opened, ctx, print, leave } = parts;
  const { paint, signal, io } = ctx;
  const { display } = opened.config.values;
  let session = opened.session;
  let startedAt = 0;
  let { images } = parts;
  let interruptedAt = -Infinity;
  /** Prompts that wait for their turn. */
  const queued = new Set<readonly ContentPart[]>();
  /** The running slash command. */
  let running: AbortLink | undefined;
  /** The chosen model also applies to new sessions, because the settings were read before. */
  let defaultModel: string | undefined;
  const feed = createFeed({
    paint,
    get columns() {
      return io.columns;
    },
    clock: systemClock,
    write: print,
    ...(parts.live && { live: parts.live }),
    showsAll: "/output",
    emoji: (name) => session.catalog.find(name)?.emoji ?? "🔧",
    showReasoning: display.show_reasoning,
    markdown: display.markdown && parts.live !== undefined,
    isWatched: io.stdoutIsTerminal,
    toolProgress: display.tool_progress,
  });

  async function follow(shown: Session): Promise<void> {
    for await (const event of shown.events(0)) if (shown === session) show(event);
  }

  function show(event: AgentEvent): void {
    if (event.type === "turn.started") {
      startedAt = systemClock.elapsed();
      parts.setBusy(true);
      // A queued prompt was typed long before the current screen, so it is shown again.
      if (queued.delete(event.prompt))
        feed.note(`${paint.accent("❯")} ${oneLine(withoutControls(promptText(event.prompt)), 300)}`);
    }
    feed.show(event);
    if (event.type !== "turn.finished") return;
    const { reason, why, usage } = event.outcome;
    if (reason === "aborted") feed.note(paint.warn("stopped"));
    else if (reason !== "answered") feed.note(paint.bad(withoutControls(why ?? reason)));
    else if (why !== undefined) feed.note(paint.warn(withoutControls(why)));
    const status = { model: session.model(), context: session.context(), usage };
    if (display.status_line)
      feed.note(paint.dim(statusLine({ ...status, durationMs: systemClock.elapsed() - startedAt })));
    if (display.bell_on_complete) print("\x07");
    settle();
  }

  /** Returns the input line to the user when nothing runs. */
  function settle(): void {
    for (const content of session.queued) queued.add(content);
    if (!session.turn && session.queued.length === 0) parts.setBusy(false);
  }

  function ask(content: readonly ContentPart[]): void {
    const { turn } = session;
    if (!turn) return void session.prompt(content);
    if (display.busy_input_mode === "steer") {
      session.steer(content);
      return feed.note(paint.dim("queued: the agent sees it after the current tool call"));
    }
    if (display.busy_input_mode === "interrupt") {
      turn.abort("interrupted by a new prompt");
      return void session.prompt(content);
    }
    session.queue(content);
    return feed.note(paint.dim(`queued after the running turn (${plural(session.queued.length, "prompt")})`));
  }

  async function runLine(line: string): Promise<void> {
    using link = linkAbort(signal);
    // A command that asks runs the commands that are typed at its question.
    const outer = running;
    running = link;
    const { text, output, failed, effect } = await runCommand(
      line,
      true,
      session,
      slashContext(opened, session, parts.slash, ctx, link.signal),
    ).finally(() => void (running = outer));
    const bold = withoutControls(text).replaceAll(/\*\*(?<word>[^*\n]+)\*\*/gu, (_, word: string) => paint.bold(word));
    const shown = fittedLines(bold, io.columns);
    if (text !== "") feed.note(failed ? paint.warn(shown) : shown);
    if (output !== undefined) feed.note(paintedOutput(output, paint));
    if (effect) await apply(effect);
  }

  async function apply(effect: CommandEffect): Promise<void> {
    switch (effect.kind) {
      case "none":
        return undefined;
      case "quit":
        return leave(0);
      case "prompt":
        return ask(effect.content);
      case "new":
        return changeTo(
          await opened.another({
            replaces: session.id,
            ...(effect.title !== undefined && { title: effect.title }),
            ...(defaultModel !== undefined && { model: defaultModel }),
          }),
        );
      case "default-model":
        defaultModel = effect.model;
        return undefined;
      case "draft":
        return parts.draft(effect.text);
      case "resume":
        return changeTo(await opened.resume(effect.session));
      case "attach":
        images = [...images, ...effect.content];
        return undefined;
      case "copy":
        // OSC 52: the terminal takes it, also over ssh.
        return print(`\x1b]52;c;${Buffer.from(effect.text).toString("base64")}\x07`);
      case "clear":
        return print("\x1b[2J\x1b[H");
      case "display":
      case "redraw":
      case "open":
        return undefined;
    }
  }

  async function changeTo(next: Session): Promise<void> {
    // Closing also shows the end of its turns.
    await session[Symbol.asyncDispose]();
    session = next;
    void follow(next);
    feed.note(paint.dim(`session ${next.id} · ${withoutControls(next.place().cwd)}`));
    const earlier = await earlierPanel(next, paint, io.columns);
    if (earlier !== "") print(earlier);
    if (next.heldBy !== undefined) feed.note(paint.warn(heldText()));
  }

  function heldText(): string {
    return `This session is in use by ${session.heldBy}: read-only here.`;
  }

  return {
    get session() {
      return session;
    },
    heldText,
    start() {
      void follow(session);
      settle();
    },
    async heard(text) {
      if (text.trim() === "") return;
      interruptedAt = -Infinity;
      parts.setBusy(true);
      try {
        if (isCommandLine(text)) await runLine(text);
        else if (/^(?:exit|quit)$/iu.test(text.trim())) leave(0);
        else if (session.heldBy !== undefined) feed.note(paint.warn(heldText()));
        else {
          ask([{ type: "text", text }, ...images]);
          images = [];
        }
      } catch (thrown) {
        if (!signal.aborted) feed.note(paint.bad(withoutControls(reasonOf(thrown))));
      } finally {
        settle();
      }
    },
    interrupted(editor) {
      const now = systemClock.elapsed();
      const isTwice = now - interruptedAt < twiceWithinMs;
      interruptedAt = now;
      if (isTwice) return leave(130);
      const { turn } = session;
      running?.abort(new Error("interrupted"));
      if (running) return feed.note(paint.dim("stopping … press Ctrl-C again to exit"));
      if (turn) {
        turn.abort("interrupted");
        const waiting = session.queued.length;
        const rest = waiting === 0 ? "" : `; ${plural(waiting, "prompt")} queued (/queue clear)`;
        return feed.note(paint.dim(`stopping … press Ctrl-C again to exit${rest}`));
      }
      if (editor.isEmpty) return feed.note(paint.dim("press Ctrl-C again, Ctrl-D or type /quit to exit"));
      return editor.clear();
    },
    async end() {
      const { turn } = session;
      session.clearQueue();
      turn?.abort("left");
      await turn?.done;
      feed.endLine();
    },
  };
}
