import { sleep } from "../../../base/async/abort.ts";
import { systemClock } from "../../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../../base/result.ts";
import { oneLine } from "../../../base/text/text.ts";
import { promptText } from "../../../commands/reply-text.ts";
import type { PanelName } from "../../../contracts/host/command.ts";
import type { ChatRequest } from "../chat/chat-request.ts";
import { fittedLines } from "../chat/fitted-lines.ts";
import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import { withoutControls } from "../without-controls.ts";
import type { ClipboardContent, SentDraft } from "./editor/editor-parts.ts";
import type { ScreenSession } from "./open-behind.ts";
import { openScreen, type QueuedLine } from "./open-screen.ts";
import { isPlain } from "./wanted-interface.ts";

/**
 * Runs the full screen until the user exits. The prompt can be edited at once, while the session opens. `isWanted`: the
 * command line or the environment requested the full screen, so the settings are ignored.
 */
export async function runScreen(request: ChatRequest, ctx: CliContext, isWanted: boolean): Promise<Reply> {
  const { io, signal, env } = ctx;
  const { device } = io;
  if (!device)
    throw new CommandFailed("Standard input and output are not a terminal.", "Use the plain chat: hermes --cli", 2);
  const startedAt = systemClock.elapsed();
  const left = Promise.withResolvers<number | "plain">();
  const leaving = new AbortController();
  let behind: ScreenSession | undefined;
  /** Prompts that wait until the session is open. */
  const early: SentDraft[] = [];
  /** A panel whose key was pressed before the session is open. */
  let earlyPanel: PanelName | undefined;

  await using screen = openScreen({
    device,
    io,
    env,
    clock: systemClock,
    signal,
    host: {
      submitted,
      sendHeld: () => void behind?.conversation.heard(""),
      interrupt: () => behind?.conversation.interrupt() ?? false,
      isBusy: () => behind?.conversation.isBusy ?? false,
      open(panel) {
        if (behind) behind.openPanel(panel);
        else earlyPanel = panel;
      },
      leave: left.resolve,
      failed: left.reject,
      readClipboard: orReason(async (kind: "image" | "any") => {
        const read = await ctx.run("clipboard.read", { kind });
        return ok("image" in read ? { kind: "image", ...read.image } : { kind: "text", text: read.text });
      }),
      readImage: orReason(async (path: string) => ok({ kind: "image", ...(await ctx.run("images.read", { path })) })),
      emoji: (tool) => behind?.conversation.session.catalog.find(tool)?.emoji ?? "🔧",
      queue: () =>
        queued().map(({ text, isHeld }) => ({ text: oneLine(withoutControls(text), maxQueuedChars), isHeld })),
      heldPrompts: () => behind?.conversation.session.heldPrompts ?? 0,
      status: (columns) => behind?.status(columns) ?? [],
    },
  });

  function submitted(draft: SentDraft): void {
    if (!behind) return void early.push(draft);
    const { theme } = screen.look;
    screen.transcript.typed(draft.shown);
    // A ! command is shown when it starts.
    if (/^\s*\//u.test(draft.text)) {
      const typed = `${theme.promptSymbol} ${withoutControls(draft.shown)}`;
      screen.transcript.command(theme.dim(fittedLines(typed, io.columns)));
      screen.redraw();
    }
    return void behind.conversation.heard(draft.text, draft.content, draft.shown);
  }

  function queued(): readonly QueuedLine[] {
    if (!behind) return early.map(({ shown }) => ({ text: shown, isHeld: false }));
    const { session, waitingCommands } = behind.conversation;
    return [
      ...waitingCommands.map((text) => ({ text, isHeld: false })),
      ...session.queued.map((content, place) => ({ text: promptText(content), isHeld: session.isHeld(place) })),
    ];
  }

  async function open(): Promise<ScreenSession | undefined> {
    // Waits a moment, so that pending keys are handled first.
    await sleep(quietMs, signal, systemClock).catch(() => {});
    const { openBehind } = await import("./open-behind.ts");
    if (!isWanted && isPlain(await ctx.config())) {
      left.resolve("plain");
      return undefined;
    }
    const submit = (line: string) => submitted({ text: line, shown: line, content: [] });
    behind = await openBehind({ screen, request, ctx, signal: leaving.signal, leave: left.resolve, submit });
    screen.setProgress(undefined);
    if (request.isOpening && request.prompt !== undefined) submit(request.prompt);
    for (const draft of early.splice(0)) submitted(draft);
    if (earlyPanel !== undefined) behind.openPanel(earlyPanel);
    return behind;
  }

  const stop = () => left.resolve(130);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const opening = open();
  opening.catch((thrown: unknown) => left.reject(thrown));
  try {
    const exitCode = await left.promise;
    if (exitCode === "plain") {
      await screen.close();
      return await (await import("../chat/run-chat.ts")).runChat(request, ctx);
    }
    leaving.abort("the chat ends");
    await using opened = await opening;
    if (!opened) return { exitCode };
    const ended = await opened.conversation.end();
    const { farewellText } = await import("../chat/farewell.ts");
    const lastedMs = systemClock.elapsed() - startedAt;
    const farewell = await farewellText(
      opened.conversation.session,
      { ...ended, lastedMs },
      ctx,
      screen.look.translate,
    );
    await screen.close();
    io.warn(farewell);
    return { exitCode };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Loading code blocks the handling of keys, so it starts a moment after the prompt is drawn. */
const quietMs = 10;
const maxQueuedChars = 300;

/** Converts a rejection of the work into an error result. */
function orReason<Input>(work: (input: Input) => Promise<Result<ClipboardContent>>) {
  return async (input: Input): Promise<Result<ClipboardContent>> =>
    work(input).catch((thrown: unknown) => err({ message: reasonOf(thrown) }));
}
