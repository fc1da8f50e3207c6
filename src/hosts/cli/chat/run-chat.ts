import { systemClock } from "../../../base/clock.ts";
import { plainText } from "../../../base/text/ansi.ts";
import { completions, nameCompletions } from "../../../commands/resolve-command.ts";
import { pathInHome } from "../../../operations/settings/load-settings.ts";
import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import { completedLines, createChatCompleter } from "../completion/chat-completer.ts";
import { readChord } from "../screen/read-chord.ts";
import { createPlainTheme } from "../screen/transcript/plain-theme.ts";
import { createChangingTheme } from "../skins/changing-theme.ts";
import { wrap } from "../table.ts";
import { openTypedLines } from "../typed-lines.ts";
import { withoutControls } from "../without-controls.ts";
import { chatQuestions } from "./chat-questions.ts";
import type { ChatRequest } from "./chat-request.ts";
import { createConversationView } from "./conversation-view.ts";
import { farewellText } from "./farewell.ts";
import { openChat } from "./open-chat.ts";
import { earlierPanel } from "./opening/earlier-exchanges.ts";
import { followServers } from "./opening/follow-servers.ts";
import { offerHooks } from "./opening/offer-hooks.ts";
import type { AskYesNo } from "./opening/offer-plugins.ts";
import { importOffer, openingLines } from "./opening/opening-lines.ts";
import { preloadedSkills } from "./opening/preloaded-skills.ts";
import { readImages } from "./prompt-content.ts";
import { sessionRunner } from "./slash-context.ts";
import { type LineEditor, openLineEditor } from "./typing/line-editor.ts";
import { controlChord, createVoiceMode, type VoiceMode } from "./voice-mode.ts";

/** A line-based conversation at the terminal, until the user leaves. */
export async function runChat(request: ChatRequest, context: CliContext): Promise<Reply> {
  // The colours of the terminal. A skin replaces them later.
  const theme = createChangingTheme(createPlainTheme(context.paint));
  const ctx: CliContext = { ...context, paint: theme };
  const { io, paint, signal } = ctx;
  const { keys } = io;
  // No colours on a dumb terminal, which would show the escape sequences.
  const isDumb = ctx.env["TERM"] === "dumb";
  const startedAt = systemClock.elapsed();
  if (!keys) throw new CommandFailed("Standard input is not a terminal.", 'Give a prompt: hermes -z "say hi"', 2);
  const editing: { editor?: LineEditor; voice?: VoiceMode } = {};
  const editor = () => {
    if (!editing.editor) throw new Error("no question is possible before the session is open");
    return editing.editor;
  };
  const print = (text: string) => (editing.editor ? editing.editor.print(text) : void io.write(text));
  const questions = chatQuestions(
    editor,
    paint,
    (line) => view.heard(line),
    (rule, question, stop) =>
      sessionRunner(opened, view.session, ctx, stop)("policy.tryRule", { rule: [rule], question }),
    { columns: () => io.columns, rows: () => io.rows, hasMenus: !isDumb },
  );
  const terminal = {
    keys: (onBytes: (bytes: Uint8Array) => void, ended: () => void) =>
      keys((bytes) => {
        if (editing.voice?.press(controlChord(bytes) ?? "other") !== true) onBytes(bytes);
      }, ended),
    write: (text: string) => void io.write(isDumb ? plainText(text) : text),
    columns: () => io.columns,
    rows: () => io.rows,
    clock: systemClock,
    prompt: `${paint.accent("❯")} `,
  };
  /** Questions before the session is open use their own input line. */
  const askBefore: AskYesNo = async (text, prompt) => {
    const stop = new AbortController();
    const end = () => stop.abort();
    using own = openLineEditor({
      ...terminal,
      history: [],
      complete: () => [],
      heard: { input() {}, remember() {}, interrupt: end, end },
    });
    own.setBusy(true);
    for (let above = `${text}\n`; ; above = "") {
      const answer = await own
        .ask({ text: above, prompt }, AbortSignal.any([stop.signal, signal]))
        .catch(() => undefined);
      if (answer === undefined) return undefined;
      if (/^\s*(?:|y|yes|n|no)\s*$/iu.test(answer)) return /^\s*y/iu.test(answer);
    }
  };
  const images = await readImages(request, ctx);
  const offer = importOffer(await ctx.config(), paint);
  await using opened = await openChat(request, ctx, {
    source: "cli",
    asker: questions.asker,
    approvals: questions.approvals,
    secrets: questions.secrets,
    askYesNo: askBefore,
    say: (sentence) => print(`${paint.dim(`hermes: ${sentence}`)}\n`),
    tell: (line) => print(`${wrap(line, io.columns)}\n`),
  });
  const { config, runtime } = opened;
  const useSkin = async (name: string) => {
    const [{ loadSkin }, { createTheme }, { terminalFacts }] = await Promise.all([
      import("../skins/load-skin.ts"),
      import("../skins/create-theme.ts"),
      import("../screen/terminal/terminal-facts.ts"),
    ]);
    const skin = await loadSkin(name, opened, ctx, (sentence) => print(`${paint.warn(sentence)}\n`));
    const { colours, isLight = false } = terminalFacts(ctx.env);
    theme.use(createTheme(skin, { depth: context.paint.isColoured ? colours : "none", isLight }));
  };
  if (config.values.display.skin !== "default") await useSkin(config.values.display.skin);
  const commands = (await runtime.commands()).filter(({ where }) => where !== "chat");
  const typed = await openTypedLines(pathInHome(config.home, "typedLines"));
  const left = Promise.withResolvers<number>();
  const leaving = new AbortController();
  await using ownVoice = createVoiceMode({
    run: (stop) => sessionRunner(opened, view.session, ctx, stop, () => {}),
    recordKey: readChord(config.values.voice.record_key) ?? "ctrl+b",
    submit(text) {
      print(`${paint.accent("❯")} ${withoutControls(text)}\n`);
      view.ask([{ type: "text", text }]);
    },
    note: (text) => print(`${paint.dim(withoutControls(text))}\n`),
    isBusy: () => view.isBusy,
  });
  editing.voice = ownVoice;
  const view = createConversationView({
    opened,
    voice: ownVoice,
    ctx,
    images: [...(await preloadedSkills(request, runtime, signal)), ...images],
    print,
    ...(!isDumb && { live: (lines) => editing.editor?.showLive(lines) }),
    setBusy: (isBusy) => editing.editor?.setBusy(isBusy),
    draft: (text) => editing.editor?.draft(text),
    leave: left.resolve,
    useSkin,
    slash: {
      commands,
      offered: {},
      answersAs: "the terminal",
      fillIn: questions.asker.fillIn,
      ...(config.values.approvals.destructive_slash_confirm && { confirm: questions.confirm }),
    },
  });
  const hasServers = () => runtime.services.isOpen("mcp");
  const runInSession = () => sessionRunner(opened, view.session, ctx, signal);
  const withServers = async (own: readonly string[], line: string) => {
    const more = await runInSession()("servers.completions", { line });
    return more.ok ? [...own, ...more.value.lines] : own;
  };
  const completer = createChatCompleter({
    commands: () => commands,
    names: () => runtime.skills.usable(),
    run: (stop) => sessionRunner(opened, view.session, ctx, stop),
    slash: view.slash,
    hasServers,
    folder: () => view.session.place().cwd,
    clock: systemClock,
  });
  const states = hasServers() ? await runInSession()("servers.states", {}) : undefined;
  const servers = states?.ok ? states.value.servers : [];
  const tools = runtime.registry.loaded();
  print(openingLines(opened.session, { tools, servers, columns: io.columns, paint }));
  print(offer);
  print(await earlierPanel(opened.session, paint, io.columns, config));
  if (opened.session.heldBy !== undefined) print(`${paint.warn(view.heldText())}\n`);
  using _editor = (editing.editor = openLineEditor({
    ...terminal,
    history: typed.lines,
    complete(line) {
      if (/^\/\S+\s|@\S*$/u.test(line)) return completedLines(completer, line, leaving.signal);
      const own = [...completions(line, commands), ...nameCompletions(line, runtime.skills.usable())];
      return /^\/\S/u.test(line) && hasServers() ? withServers(own, line) : own;
    },
    heard: {
      input: (text) => void view.heard(text),
      remember: typed.add,
      interrupt: () => view.interrupted(editor()),
      end: () => left.resolve(0),
    },
  }));
  const stop = () => left.resolve(130);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  view.start();
  if (Object.keys(config.values.hooks).length > 0) {
    void offerHooks(runInSession(), async (question) => questions.confirm(question, leaving.signal), print);
  }
  using _servers =
    hasServers() && config.values.mcp.auto_reload_on_config_change
      ? followServers({
          file: pathInHome(config.home, "config"),
          clock: systemClock,
          isIdle: () => view.session.turn === undefined,
          run: runInSession,
          confirm: async (question) => questions.confirm(question, leaving.signal),
          say: (sentence) => print(`${paint.dim(`hermes: ${sentence}`)}\n`),
        })
      : undefined;
  if (request.isOpening && request.prompt !== undefined) {
    print(`${paint.accent("❯")} ${withoutControls(request.prompt)}\n`);
    void view.heard(request.prompt);
  }
  if (opened.session.model().offline && !ctx.models) void offerLocalServers(print, ctx);
  const exitCode = await left.promise;
  leaving.abort("the chat ends");
  signal.removeEventListener("abort", stop);
  const ended = await view.end();
  editing.editor[Symbol.dispose]();
  delete editing.editor;
  io.warn(await farewellText(view.session, { ...ended, lastedMs: systemClock.elapsed() - startedAt }, ctx));
  return { exitCode };
}

/** Looks for models that run on this machine, and offers them. */
async function offerLocalServers(print: (text: string) => void, { run, paint }: CliContext): Promise<void> {
  for (const offer of (await run("model.localServers", {})).offers) print(`${paint.dim(offer)}\n`);
}
