import { systemClock } from "../../../base/clock.ts";
import { oneLine } from "../../../base/text/text.ts";
import { promptText } from "../../../commands/reply-text.ts";
import type { CommandReply } from "../../../contracts/host/command.ts";
import type { Skin } from "../../../contracts/host/skin.ts";
import type { ChatConversation } from "../chat/chat-conversation.ts";
import { defaultDisplay, displayOf } from "../chat/chat-display.ts";
import type { ChatRequest } from "../chat/chat-request.ts";
import { fittedLines } from "../chat/fitted-lines.ts";
import type { OpenedChat } from "../chat/open-chat.ts";
import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import { createChangingTheme } from "../skins/changing-theme.ts";
import { createTheme } from "../skins/create-theme.ts";
import { fit, wrap } from "../table.ts";
import { withoutControls } from "../without-controls.ts";
import { createPanelStack } from "./panels/panel-stack.ts";
import type { KeyPress } from "./parts.ts";
import { createScreenView } from "./screen-view.ts";
import { createSimpleEditor } from "./simple-editor.ts";
import { openTerminal, type Terminal } from "./terminal/open-terminal.ts";
import { terminalFacts } from "./terminal/terminal-facts.ts";
import { english } from "./texts/english.ts";
import { createPlainTheme } from "./transcript/plain-theme.ts";
import { createScreenTranscript } from "./transcript/screen-transcript.ts";

const twiceWithinMs = 2_000;

/** The full screen, until the person leaves. The prompt can be edited at once; the session opens behind it. */
export async function runScreen(request: ChatRequest, ctx: CliContext): Promise<Reply> {
  const { io, paint, signal } = ctx;
  const { device } = io;
  if (!device) throw new CommandFailed("There is no terminal to draw on.", "Use the plain chat: hermes --cli", 2);
  const texts = english;
  const clock = systemClock;
  const startedAt = clock.elapsed();
  const theme = createChangingTheme(createPlainTheme(paint));
  const left = Promise.withResolvers<number>();
  const closing = new AbortController();
  let conversation: ChatConversation | undefined;
  let display = defaultDisplay;
  let skin: Skin | undefined;
  /** Prompts that wait until the session is open. */
  let early: string[] = [];
  let hint: string | undefined;
  let interruptedAt = -Infinity;

  const transcript = createScreenTranscript({
    theme: () => theme,
    display: () => display,
    clock,
    texts: texts.transcript,
    emoji: (tool) => conversation?.session.catalog.find(tool)?.emoji ?? "🔧",
  });
  const editor = createSimpleEditor(() => theme, submit);
  const panels = createPanelStack({
    theme: () => theme,
    texts,
    clock,
    redraw: () => view.redraw(),
    early: (key) => editor.press(key),
  });

  const view = createScreenView({
    clock,
    terminal: () => terminal,
    transcript,
    editor,
    panel: () => panels.current,
    theme: () => theme,
    queue: () => waitingPrompts().map((text) => theme.dim(`⋯ ${oneLine(withoutControls(text), 200)}`)),
    status: (columns) => [theme.paintAs("status", fit(hint ?? statusText(), columns))],
  });
  const facts = terminalFacts(ctx.env);
  const terminal: Terminal = openTerminal({
    device,
    facts,
    clock,
    space: () => ({ columns: io.columns, rows: io.rows }),
    listener: {
      pressed(keys) {
        for (const key of keys) press(key);
        view.drawNow();
      },
      changed() {
        // The terminal may report its background late.
        if (skin && terminal.isLight !== undefined && terminal.isLight !== theme.isLight) paintSkin(skin);
        view.drawNow();
      },
      drained: () => view.drawNow(),
      ended: () => left.resolve(129),
      warned: (text) => note(theme.dim(withoutControls(text).trimEnd())),
    },
  });
  view.drawNow();

  function note(text: string): void {
    transcript.note(text);
    view.redraw();
  }

  function waitingPrompts(): readonly string[] {
    return conversation ? conversation.session.queued.map(promptText) : early;
  }

  function statusText(): string {
    if (!conversation) return texts.screen.loading;
    const { provider, model } = conversation.session.model();
    return `${provider}/${model}`;
  }

  function submit(text: string): void {
    hint = undefined;
    interruptedAt = -Infinity;
    if (!conversation) return void early.push(text);
    if (!text.startsWith("/")) transcript.prompt(text);
    else note(`${theme.paintAs("prompt", theme.promptSymbol)} ${withoutControls(text)}`);
    void conversation.heard(text);
  }

  function press(key: KeyPress): void {
    if (panels.current?.press(key)) return;
    if (key.chord !== "ctrl+c") hint = undefined;
    if (!panels.current && editor.press(key)) return;
    actions[key.chord]?.();
  }

  const actions: Readonly<Record<string, () => void>> = {
    "ctrl+c": () => cancel(true),
    "ctrl+q": () => cancel(false),
    "ctrl+d": () => left.resolve(0),
    "ctrl+l": () => terminal.redraw(true),
    "ctrl+z": () => terminal.suspend(),
    escape: () => void conversation?.interrupt(),
  };

  /** Ctrl-C: cancels what is in front; a second time within a moment leaves. */
  function cancel(canLeave: boolean): void {
    const isTwice = clock.elapsed() - interruptedAt < twiceWithinMs;
    interruptedAt = clock.elapsed();
    if (panels.current && !panels.current.isQuestion) return void panels.current.press({ chord: "escape" });
    if (!panels.current && !editor.isEmpty) {
      interruptedAt = -Infinity;
      return editor.clear();
    }
    if (isTwice && canLeave) return left.resolve(130);
    if (conversation?.interrupt()) hint = texts.screen.stopping;
    else if (canLeave) hint = texts.screen.leaveHint;
  }

  function reply({ text, output, failed }: CommandReply): void {
    const bold = withoutControls(text).replaceAll(/\*\*(?<word>[^*\n]+)\*\*/gu, (_, word: string) => paint.bold(word));
    const shown = fittedLines(bold, io.columns);
    if (text !== "") note(failed ? theme.warn(shown) : shown);
    if (output !== undefined) note(withoutControls(output));
  }

  async function useSkin(name: string, opened: OpenedChat): Promise<void> {
    const { loadSkin } = await import("../skins/load-skin.ts");
    skin = await loadSkin(name, opened, ctx, (sentence) => note(theme.warn(sentence)));
    paintSkin(skin);
    view.redraw();
  }

  function paintSkin(shown: Skin): void {
    const depth = paint.isColoured ? facts.colours : "none";
    theme.use(createTheme(shown, { depth, isLight: terminal.isLight ?? false }));
  }

  async function open(): Promise<OpenedChat> {
    const [{ openChat }, { createChatConversation }, config] = await Promise.all([
      import("../chat/open-chat.ts"),
      import("../chat/chat-conversation.ts"),
      ctx.config(),
    ]);
    display = displayOf(config);
    const { screenQuestions } = await import("./panels/screen-questions.ts");
    const { sessionRunner } = await import("../chat/slash-context.ts");
    const run = (stop: AbortSignal) => sessionRunner(opened, conversation?.session ?? opened.session, ctx, stop);
    const questions = screenQuestions({
      panels,
      theme: () => theme,
      texts,
      clock,
      note,
      draft: { isEmpty: () => editor.isEmpty, press: (key) => void editor.press(key) },
      tryRule: (rule, question, stop) => run(stop)("policy.tryRule", { rule: [rule], question }),
      async stopConfirming(stop) {
        const key = "approvals.destructive_slash_confirm";
        const saved = await run(stop)("config.set", { key, value: "false" });
        if (!saved.ok) note(theme.warn(withoutControls(saved.error.message)));
      },
    });
    const { readImages } = await import("../chat/prompt-content.ts");
    const { preloadedSkills } = await import("../chat/preloaded-skills.ts");
    const images = await readImages(request, ctx);
    const opened = await openChat(request, ctx, {
      source: "cli",
      approvals: questions.approvals,
      asker: questions.asker,
      secrets: questions.secrets,
      say: (sentence) => note(theme.dim(`hermes: ${sentence}`)),
      tell: (line) => note(wrap(line, io.columns)),
    });
    const { runtime } = opened;
    await useSkin(display.skin, opened);
    const commands = (await runtime.commands()).filter(({ where }) => where !== "chat");
    conversation = createChatConversation({
      opened,
      ctx,
      images: [...(await preloadedSkills(request, runtime, signal)), ...images],
      slash: {
        commands,
        offered: {},
        answersAs: "the terminal",
        fillIn: questions.asker.fillIn,
        display: () => display,
        hasPanels: true,
        ...(config.values.approvals.destructive_slash_confirm && { confirm: questions.confirmCommand }),
      },
      busyMode: () => display.busy_input_mode,
      display: {
        show(event) {
          transcript.show(event);
          view.redraw();
        },
        note,
        reply,
        setBusy: () => view.redraw(),
        draft(text) {
          if (editor.isEmpty) editor.set(text);
          view.redraw();
        },
        apply(effect) {
          if (effect.kind === "clear" || effect.kind === "redraw") terminal.redraw(true);
          else if (effect.kind === "copy")
            terminal.send(`\x1b]52;c;${Buffer.from(effect.text).toString("base64")}\x07`);
          else if (effect.kind === "display") {
            display = { ...display, ...effect.change };
            if (effect.change.skin !== undefined) void useSkin(effect.change.skin, opened);
          }
        },
        leave: left.resolve,
      },
    });
    const { earlierPanel } = await import("../chat/earlier-exchanges.ts");
    const earlier = await earlierPanel(opened.session, paint, io.columns);
    if (earlier !== "") note(earlier.trimEnd());
    conversation.start();
    if (request.isOpening && request.prompt !== undefined) submit(request.prompt);
    const waiting = early;
    early = [];
    for (const text of waiting) submit(text);
    view.redraw();
    return opened;
  }

  const stop = () => left.resolve(130);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const opening = open();
  opening.catch((thrown: unknown) => left.reject(thrown));
  try {
    const exitCode = await left.promise;
    closing.abort();
    const opened = await opening;
    const ended = await conversation?.end();
    const { session } = conversation ?? opened;
    const { farewellText } = await import("../chat/farewell.ts");
    const farewell = await farewellText(session, { ...ended, lastedMs: clock.elapsed() - startedAt }, ctx);
    view.end();
    await terminal.close();
    io.warn(farewell);
    await opened[Symbol.asyncDispose]();
    return { exitCode };
  } finally {
    signal.removeEventListener("abort", stop);
    await terminal.close();
  }
}
