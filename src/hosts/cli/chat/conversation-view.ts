import { systemClock } from "../../../base/clock.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import { shortTimeText } from "../../../base/text/time-text.ts";
import { heldQueueText, promptText } from "../../../commands/reply-text.ts";
import type { CommandReply } from "../../../contracts/host/command.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { AgentEvent } from "../../../contracts/session/event.ts";
import type { Session } from "../../../contracts/session/runtime.ts";
import type { CliContext } from "../command.ts";
import { pictureDrawer } from "../draw-pictures.ts";
import { withoutControls } from "../without-controls.ts";
import { type ChatConversation, createChatConversation, type ShownEffect } from "./chat-conversation.ts";
import { displayOf } from "./chat-display.ts";
import { createFeed } from "./feed/feed.ts";
import { paintedOutput } from "./feed/result-lines.ts";
import { sendAgainText } from "./feed/retry-text.ts";
import { statusLine } from "./feed/status-line.ts";
import { fittedLines } from "./fitted-lines.ts";
import type { OpenedChat } from "./open-chat.ts";
import type { SlashParts } from "./slash-context.ts";
import type { LineEditor } from "./typing/line-editor.ts";
import type { VoiceMode } from "./voice-mode.ts";

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
  /** Changes the colours. */
  useSkin(name: string): Promise<void>;
  readonly slash: Omit<SlashParts, "display">;
  /** Push to talk, and spoken answers. */
  readonly voice: Pick<VoiceMode, "use" | "show">;
}

/** The conversation as a terminal shows it, and its controls. */
export interface ConversationView {
  readonly session: Session;
  readonly slash: ChatConversation["slash"];
  /** Sends a prompt, never a command. */
  readonly ask: ChatConversation["ask"];
  readonly isBusy: boolean;
  heldText(): string;
  /** Starts to show events. */
  start(): void;
  heard(text: string): Promise<void>;
  /** Ctrl-C. */
  interrupted(editor: Pick<LineEditor, "isEmpty" | "clear">): void;
  /** Stops the running turn, and shows its end. */
  end(): ReturnType<ChatConversation["end"]>;
}

const twiceWithinMs = 2_000;
const maxPrintedLines = 5;

export function createConversationView(parts: ConversationViewParts): ConversationView {
  const { opened, ctx, print, leave } = parts;
  const { paint, io } = ctx;
  const { bell_on_complete: hasBell, pictures } = opened.config.values.display;
  const drawPictures = parts.live && pictureDrawer(ctx, pictures);
  let display = displayOf(opened.config);
  let startedAt = 0;
  let interruptedAt = -Infinity;
  let isTurnShown = false;
  /** Queued prompts. */
  const queued = new Set<readonly ContentPart[]>();
  const feed = createFeed({
    paint,
    get columns() {
      return io.columns;
    },
    clock: systemClock,
    write: print,
    ...(parts.live && { live: parts.live }),
    showsAll: "/output",
    emoji: (name) => conversation.session.catalog.find(name)?.emoji ?? "🔧",
    get showReasoning() {
      return display.show_reasoning && !display.focus;
    },
    markdown: display.markdown && parts.live !== undefined,
    isWatched: io.stdoutIsTerminal,
    get toolProgress() {
      return display.focus ? "off" : display.tool_progress;
    },
  });

  function show(event: AgentEvent): Promise<void> | undefined {
    if (event.type === "turn.started") {
      startedAt = systemClock.elapsed();
      isTurnShown = true;
      if (display.timestamps) feed.note(paint.dim(shortTimeText(systemClock.now(), systemClock.now())));
      // A queued prompt is shown again when it starts, because it was typed long before.
      if (queued.delete(event.prompt))
        feed.note(`${paint.accent("❯")} ${oneLine(withoutControls(promptText(event.prompt)), 300)}`);
    }
    feed.show(event);
    if (event.type === "queue.held" && event.prompts > 0 && !isTurnShown) noteHeld(event.prompts);
    parts.voice.show(event);
    if (event.type === "tool.finished" && event.pictures && !display.focus)
      return drawPictures?.(event.pictures).then((drawn) => drawn.forEach(feed.note));
    if (event.type !== "turn.finished") return undefined;
    isTurnShown = false;
    const { session } = conversation;
    const { reason, why, usage } = event.outcome;
    if (reason === "aborted") feed.note(paint.warn("stopped"));
    else if (reason !== "answered") {
      feed.note(paint.bad(withoutControls(why ?? reason)));
      if (reason === "failed") feed.note(paint.dim(sendAgainText));
    } else if (why !== undefined) feed.note(paint.warn(withoutControls(why)));
    const status = { model: session.model(), context: session.context(), usage };
    if ((display.status_line || display.footer) && !display.focus)
      feed.note(paint.dim(statusLine({ ...status, durationMs: systemClock.elapsed() - startedAt })));
    if (session.heldPrompts > 0) noteHeld(session.heldPrompts);
    if (hasBell) print("\x07");
    for (const content of session.queued) queued.add(content);
    return undefined;
  }

  function noteHeld(count: number): void {
    for (const content of conversation.session.queued) queued.add(content);
    feed.note(paint.warn(fittedLines(heldQueueText(count), io.columns)));
  }

  function reply({ text, output, failed }: CommandReply): void {
    const bold = withoutControls(text).replaceAll(/\*\*(?<word>[^*\n]+)\*\*/gu, (_, word: string) => paint.bold(word));
    const shown = fittedLines(bold, io.columns);
    if (text !== "") feed.note(failed ? paint.warn(shown) : shown);
    if (output !== undefined) feed.note(paintedOutput(output, paint));
  }

  function sent(_content: readonly ContentPart[], how: "started" | "queued" | "steered"): void {
    if (how === "steered") feed.note(paint.dim("queued: the agent sees it after the current tool call"));
    else if (how === "queued") {
      const { length } = conversation.session.queued;
      feed.note(paint.dim(`queued after the running turn (${plural(length, "prompt")})`));
    }
  }

  function apply(effect: ShownEffect): void {
    // Uses OSC 52, which terminals accept even over ssh.
    if (effect.kind === "copy") print(`\x1b]52;c;${Buffer.from(effect.text).toString("base64")}\x07`);
    else if (effect.kind === "clear") print("\x1b[2J\x1b[H");
    else if (effect.kind === "display") {
      display = { ...display, ...effect.change };
      if (effect.change.skin !== undefined) void parts.useSkin(effect.change.skin);
      if (effect.change.voice !== undefined) parts.voice.use(effect.change.voice);
    }
  }

  const printedLine = (line: string) => paint.dim(`  ${oneLine(withoutControls(line), io.columns - 3)}`);

  const conversation = createChatConversation({
    opened,
    ctx,
    images: parts.images,
    slash: { ...parts.slash, display: () => display },
    busyMode: () => display.busy_input_mode,
    display: {
      show,
      note: feed.note,
      reply,
      sent,
      setBusy: parts.setBusy,
      draft: parts.draft,
      commandQueued: () => feed.note(paint.dim("queued after the running command")),
      // Shows the command again, because its line is far above its output.
      commandStarted(line, hasWaited) {
        if (hasWaited) feed.note(paint.dim(fittedLines(`❯ ${withoutControls(line)}`, io.columns)));
      },
      ...(parts.live && { printing: (lines) => parts.live?.(lines.slice(-maxPrintedLines).map(printedLine)) }),
      apply,
      leave,
    },
  });

  return {
    get session() {
      return conversation.session;
    },
    slash: conversation.slash,
    ask: conversation.ask,
    get isBusy() {
      return conversation.isBusy;
    },
    heldText: conversation.heldText,
    start: conversation.start,
    async heard(text) {
      if (text.trim() !== "") interruptedAt = -Infinity;
      await conversation.heard(text);
      for (const content of conversation.session.queued) queued.add(content);
    },
    interrupted(editor) {
      const now = systemClock.elapsed();
      const isTwice = now - interruptedAt < twiceWithinMs;
      interruptedAt = now;
      if (isTwice) return leave(130);
      if (conversation.interrupt()) return feed.note(paint.dim("stopping … press Ctrl-C again to exit"));
      if (editor.isEmpty) return feed.note(paint.dim("press Ctrl-C again, Ctrl-D or type /quit to exit"));
      return editor.clear();
    },
    async end() {
      const ended = await conversation.end();
      feed.endLine();
      return ended;
    },
  };
}
