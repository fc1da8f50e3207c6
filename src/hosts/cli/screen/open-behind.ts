import { basename } from "node:path";

import { systemClock } from "../../../base/clock.ts";
import { reasonOf } from "../../../base/result.ts";
import { promptText } from "../../../commands/reply-text.ts";
import type { CommandReply, PanelName } from "../../../contracts/host/command.ts";
import { pathInHome } from "../../../operations/settings/load-settings.ts";
import { type ChatConversation, createChatConversation, type ShownEffect } from "../chat/chat-conversation.ts";
import { displayOf } from "../chat/chat-display.ts";
import type { ChatRequest } from "../chat/chat-request.ts";
import { paintedOutput } from "../chat/feed/result-lines.ts";
import { statusLine } from "../chat/feed/status-line.ts";
import { fittedLines } from "../chat/fitted-lines.ts";
import { openChat, type OpenedChat } from "../chat/open-chat.ts";
import { earlierPanel } from "../chat/opening/earlier-exchanges.ts";
import { followServers } from "../chat/opening/follow-servers.ts";
import { offerHooks } from "../chat/opening/offer-hooks.ts";
import { importOffer } from "../chat/opening/opening-lines.ts";
import { preloadedSkills } from "../chat/opening/preloaded-skills.ts";
import { readImages } from "../chat/prompt-content.ts";
import { sessionRunner, type SlashParts } from "../chat/slash-context.ts";
import { createVoiceMode } from "../chat/voice-mode.ts";
import type { CliContext } from "../command.ts";
import { createChatCompleter } from "../completion/chat-completer.ts";
import { pictureDrawer } from "../draw-pictures.ts";
import { loadSkin } from "../skins/load-skin.ts";
import { wrap } from "../table.ts";
import { openTypedLines } from "../typed-lines.ts";
import { withoutControls } from "../without-controls.ts";
import { createKeymap } from "./keymap.ts";
import type { OpenedScreen } from "./open-screen.ts";
import { createNotifier } from "./panels/notifier.ts";
import { openPanel } from "./panels/open-panel.ts";
import type { PanelHost } from "./panels/panel-host.ts";
import type { ScreenPluginUi } from "./panels/plugin-ui.ts";
import { screenQuestions } from "./panels/screen-questions.ts";
import { readChord } from "./read-chord.ts";
import { openingBlock } from "./transcript/opening-block.ts";
import { openingFacts } from "./transcript/opening-facts.ts";
import { createSessionStatus } from "./transcript/session-status.ts";
import { statusBar } from "./transcript/status-bar.ts";
import { createWindowTitle } from "./transcript/window-title.ts";

/** The session that the screen shows. */
export interface ScreenSession extends AsyncDisposable {
  readonly opened: OpenedChat;
  readonly conversation: ChatConversation;
  /** Opens a panel. `about`: the initial search text. */
  openPanel(name: PanelName, about?: string): void;
  /** The line at the bottom. */
  status(columns: number): readonly string[];
}

export interface BehindParts {
  readonly screen: OpenedScreen;
  readonly request: ChatRequest;
  readonly ctx: CliContext;
  /** Aborts when the chat ends. */
  readonly signal: AbortSignal;
  leave(exitCode: number): void;
  /** Runs a line as if the person had typed it. */
  submit(line: string): void;
}

/** Loads settings, session, plugins and servers in the background, while the user can already type. */
export async function openBehind(parts: BehindParts): Promise<ScreenSession> {
  const { screen, request, ctx, signal, leave } = parts;
  const { look, note, panels } = screen;
  const { theme, texts, translate } = look;
  const { io } = ctx;
  /** Shows a text of the program in the language of the screen. */
  const say = (text: string) => note(wrap(translate(text), io.columns));
  await using opening = new AsyncDisposableStack();
  const config = await ctx.config();
  look.change(displayOf(config));
  await look.useLanguage(config.values.display.language);
  const keymap = createKeymap(config.values.keys);
  screen.controls.use(keymap);
  for (const problem of keymap.problems) say(`${theme.warn("warning:")} ${withoutControls(problem)}`);
  screen.editor.useVi(config.values.display.vi_keys);
  screen.editor.useHistory(await openTypedLines(pathInHome(config.home, "typedLines")));
  const images = await readImages(request, ctx);
  const offer = importOffer(config, theme);
  if (offer !== "") say(offer.trimEnd());
  const run = (stop: AbortSignal) => sessionRunner(opened, conversation.session, ctx, stop);
  const questions = screenQuestions({
    panels,
    theme: () => theme,
    texts,
    clock: systemClock,
    note(text) {
      // Without a turn, the answer was about the ! command.
      if (!conversation.session.turn) screen.transcript.shellEnded();
      note(text);
    },
    willShowCall: screen.transcript.willShowCall,
    draft: { isEmpty: () => screen.editor.isEmpty, press: (key) => void screen.editor.press(key) },
    tryRule: (rule, question, stop) => run(stop)("policy.tryRule", { rule: [rule], question }),
    async stopConfirming(stop) {
      const saved = await run(stop)("config.set", { key: "approvals.destructive_slash_confirm", value: "false" });
      if (!saved.ok) note(theme.warn(withoutControls(translate(saved.error.message))));
    },
  });
  const useSkin = async (name: string) => {
    await look.useSkin(await loadSkin(name, opened, ctx, (sentence) => say(theme.warn(sentence))));
    screen.redraw();
  };
  const opened = opening.use(
    await openChat(request, ctx, {
      source: "cli",
      approvals: questions.approvals,
      asker: questions.asker,
      secrets: questions.secrets,
      askYesNo: async (text, prompt) => questions.confirm(`${text}\n${prompt}`, signal).catch(() => undefined),
      say: (sentence) => say(theme.dim(`hermes: ${sentence}`)),
      tell: say,
    }),
  );
  await useSkin(look.display.skin);
  const { runtime } = opened;
  const commands = (await runtime.commands())
    .filter(({ where }) => where !== "chat")
    .map((command) => ({ ...command, summary: texts.commands[command.name] ?? command.summary }));

  function reply({ text, output, failed }: CommandReply): void {
    const bold = translate(withoutControls(text)).replaceAll(/\*\*(?<word>[^*\n]+)\*\*/gu, (_, word: string) =>
      theme.bold(word),
    );
    const shown = fittedLines(bold, io.columns);
    if (text !== "") note(failed ? theme.warn(shown) : shown);
    if (output !== undefined) note(fittedLines(paintedOutput(output, theme), io.columns));
    screen.transcript.commandEnded();
  }

  function apply(effect: ShownEffect): void {
    switch (effect.kind) {
      case "clear":
      case "redraw":
        return screen.terminal.redraw(true);
      case "copy":
        // Uses OSC 52, which terminals accept even over ssh.
        return screen.terminal.send(`\x1b]52;c;${Buffer.from(effect.text).toString("base64")}\x07`);
      case "display": {
        look.change(effect.change);
        if (effect.change.skin !== undefined) void useSkin(effect.change.skin);
        if (effect.change.voice !== undefined) voice.use(effect.change.voice);
        return screen.redraw();
      }
      case "open":
        return openPanelNamed(effect.panel, effect.about);
    }
  }

  const slash: SlashParts = {
    commands,
    offered: {},
    answersAs: "the terminal",
    fillIn: questions.asker.fillIn,
    display: () => look.display,
    hasPanels: true,
    ...(config.values.approvals.destructive_slash_confirm && { confirm: questions.confirmCommand }),
  };
  const panelHost: PanelHost = {
    panels,
    theme: () => theme,
    texts,
    clock: systemClock,
    run: (name, input) => run(signal)(name, input),
    sessionId: () => conversation.session.id,
    apply: (effect) => conversation.apply(effect),
    submit: parts.submit,
    insert(text) {
      screen.editor.insert(text);
      screen.redraw();
    },
    commands: () => commands,
    keys: () => [
      ...screen.controls.keymap.actions.map(({ name, chords, summary }) => ({
        action: name,
        chords,
        summary: texts.keys[name] ?? summary,
      })),
      ...(pluginUi?.keys ?? []),
    ],
    pluginPanels: () => pluginUi?.panels ?? [],
    openPluginPanel: (part) => pluginUi?.open(part),
  };

  const openPanels = new Set<PanelName>();
  function openPanelNamed(name: PanelName, about = ""): void {
    if (openPanels.has(name)) {
      // The key of the panel in front closes it.
      if ([...openPanels].at(-1) === name && panels.current?.isQuestion !== true)
        panels.current?.press({ chord: "escape" });
      return;
    }
    openPanels.add(name);
    openPanel(name, about, panelHost)
      .catch((thrown: unknown) => note(theme.bad(withoutControls(reasonOf(thrown)))))
      .finally(() => openPanels.delete(name));
  }

  const notifier = createNotifier({
    texts,
    clock: systemClock,
    env: ctx.env,
    settings: () => config.values.display,
    send: screen.terminal.send,
  });
  const voice = createVoiceMode({
    run: (stop) => sessionRunner(opened, conversation.session, ctx, stop, () => {}),
    recordKey: readChord(config.values.voice.record_key) ?? "ctrl+b",
    submit: (text) => conversation.ask([{ type: "text", text }]),
    note: (text) => say(theme.dim(withoutControls(text))),
    isBusy: () => conversation.isBusy,
  });
  opening.use(voice);
  screen.watch({
    ...notifier,
    otherKey: (chord) => void pluginUi?.press(chord),
    takes: ({ chord }) => panels.current === undefined && chord !== "focus" && chord !== "blur" && voice.press(chord),
  });
  let pluginUi: ScreenPluginUi | undefined;
  /** Loads in parallel with everything else, because plugins start processes. */
  async function openPlugins(): Promise<void> {
    const { openPluginUi } = await import("./panels/plugin-ui.ts");
    const { fillIn } = questions.asker;
    const isTaken = (chord: string) => screen.controls.keymap.actions.some(({ chords }) => chords.includes(chord));
    pluginUi = await openPluginUi({ host: panelHost, fillIn, note, redraw: screen.redraw, isTaken, signal });
    screen.redraw();
  }

  const drawPictures = pictureDrawer(ctx, config.values.display.pictures);
  const conversation = createChatConversation({
    opened,
    ctx,
    images: [...(await preloadedSkills(request, runtime, signal)), ...images],
    slash,
    busyMode: () => look.display.busy_input_mode,
    display: {
      show(event) {
        screen.transcript.show(event);
        status.show(event);
        if (event.type === "turn.finished" && look.display.footer) {
          const { session } = conversation;
          const facts = { model: session.model(), context: session.context(), usage: event.outcome.usage };
          note(theme.dim(statusLine({ ...facts, durationMs: status.facts()?.turnMs ?? 0 })));
        }
        notifier.show(event);
        voice.show(event);
        screen.redraw();
        if (event.type !== "tool.finished" || !event.pictures || look.display.focus) return undefined;
        return drawPictures?.(event.pictures).then((pictures) => pictures.forEach(screen.insert));
      },
      note,
      reply,
      willInterrupt: screen.transcript.willInterrupt,
      translate,
      sent(content, how, isOrder) {
        if (isOrder && how !== "steered") screen.transcript.order(promptText(content));
        else if (!isOrder && how !== "queued") screen.transcript.prompt(promptText(content), how === "steered");
        if (how === "steered") note(theme.dim(texts.screen.steered));
        screen.redraw();
      },
      setBusy(isBusy) {
        // A command may have changed the session.
        if (!isBusy) status.refresh();
        screen.redraw();
      },
      draft(text) {
        if (screen.editor.isEmpty) screen.editor.set(text);
        screen.redraw();
      },
      commandQueued: screen.redraw,
      commandStarted(line) {
        const typed = `${theme.promptSymbol} ${withoutControls(line)}`;
        screen.transcript.shellStarted(theme.dim(fittedLines(typed, io.columns)));
        screen.redraw();
      },
      commandEnded: screen.transcript.shellEnded,
      printing: screen.setPrinting,
      apply,
      leave,
    },
  });
  const windowTitle = opening.use(createWindowTitle(screen.terminal.send, ctx.env));
  const status = createSessionStatus({
    clock: systemClock,
    session: () => conversation.session,
    async read() {
      const read = await run(signal)("session.status", {});
      return read.ok ? read.value : undefined;
    },
    state: () => screen.transcript.state,
    segments: () => pluginUi?.segments() ?? [],
    changed() {
      const { title, cwd = "" } = status.facts() ?? {};
      windowTitle.set(`Hermes: ${title ?? basename(cwd)}`);
      screen.redraw();
    },
  });
  status.refresh();
  const servers = runtime.services.isOpen("mcp") ? await run(signal)("servers.states", {}) : undefined;
  const first = openingFacts({
    session: opened.session,
    config,
    tools: runtime.registry.loaded(),
    servers: servers?.ok ? servers.value.servers : [],
    skills: runtime.skills.usable().length,
  });
  screen.transcript.block((columns) => openingBlock(first, { theme, texts: texts.transcript, columns }));
  screen.editor.useCompleter(
    createChatCompleter({
      commands: () => commands,
      names: () => runtime.skills.usable(),
      run,
      slash: conversation.slash,
      hasServers: () => runtime.services.isOpen("mcp"),
      folder: () => conversation.session.place().cwd,
      clock: systemClock,
    }),
  );
  const earlier = await earlierPanel(opened.session, theme, io.columns, opened.config, translate);
  if (earlier !== "") note(earlier.trimEnd());
  if (opened.session.heldBy !== undefined) note(theme.warn(conversation.heldText()));
  conversation.start();
  const confirm = async (question: string) => questions.confirm(translate(question), signal).catch(() => false);
  if (Object.keys(config.values.hooks).length > 0) void offerHooks(run(signal), confirm, say);
  if (runtime.services.isOpen("mcp") && config.values.mcp.auto_reload_on_config_change)
    opening.use(
      followServers({
        file: pathInHome(config.home, "config"),
        clock: systemClock,
        isIdle: () => conversation.session.turn === undefined,
        run: () => run(signal),
        confirm,
        say: (sentence) => say(theme.dim(`hermes: ${sentence}`)),
      }),
    );
  if (opened.session.model().offline && !ctx.models) void offerLocalServers(say, ctx);
  openPlugins().catch((thrown: unknown) => note(theme.warn(withoutControls(reasonOf(thrown)))));
  opening.defer(() => pluginUi?.[Symbol.dispose]());
  const resources = opening.move();
  function statusLines(columns: number): readonly string[] {
    const facts = look.display.status_line ? status.facts() : undefined;
    return facts ? [statusBar(facts, { theme, texts: texts.transcript, columns })] : [];
  }

  return {
    opened,
    conversation,
    openPanel: openPanelNamed,
    status: statusLines,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Looks for models that run on this machine, and offers them. */
async function offerLocalServers(note: (text: string) => void, { run, paint }: CliContext): Promise<void> {
  for (const offer of (await run("model.localServers", {})).offers) note(paint.dim(offer));
}
