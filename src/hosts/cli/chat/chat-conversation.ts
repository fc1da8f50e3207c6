import { type AbortLink, linkAbort } from "../../../base/async/abort.ts";
import { systemClock } from "../../../base/clock.ts";
import type { SessionId } from "../../../base/ids.ts";
import { reasonOf } from "../../../base/result.ts";
import { oneLine } from "../../../base/text/text.ts";
import { withoutUndefined } from "../../../base/without-undefined.ts";
import { promptText } from "../../../commands/reply-text.ts";
import { isCommandLine, resolveCommand } from "../../../commands/resolve-command.ts";
import { runCommand } from "../../../commands/run-command.ts";
import type { SlashContext } from "../../../commands/slash-command.ts";
import type { CommandEffect, CommandReply } from "../../../contracts/host/command.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { AgentEvent } from "../../../contracts/session/event.ts";
import type { Session } from "../../../contracts/session/runtime.ts";
import type { CliContext } from "../command.ts";
import { withoutControls } from "../without-controls.ts";
import { fittedLines } from "./fitted-lines.ts";
import { createSessionFollower } from "./follow-session.ts";
import type { OpenedChat } from "./open-chat.ts";
import { earlierPanel } from "./opening/earlier-exchanges.ts";
import { promptReferences } from "./prompt-references.ts";
import { sessionRunner, slashContext, type SlashParts } from "./slash-context.ts";
import { terminalProgram } from "./terminal-programs.ts";
import { createShellQueue, runShellLine, type ShellLine, shellLine } from "./typed-shell.ts";

/** Effects that depend on the display of a chat. */
export type ShownEffect = Extract<CommandEffect, { readonly kind: "copy" | "display" | "clear" | "redraw" | "open" }>;

/** A display of a conversation. */
export interface ConversationDisplay {
  /** A promise holds back later events until it settles, for example until a picture is drawn. It never rejects. */
  show(event: AgentEvent): Promise<void> | undefined;
  /** Shows a message of the program, already coloured. */
  note(text: string): void;
  reply(reply: CommandReply): void;
  /**
   * Shows a prompt that was sent. It starts a turn, is queued, or goes to the running turn. `isOrder`: a slash command
   * wrote the prompt.
   */
  sent(content: readonly ContentPart[], how: "started" | "queued" | "steered", isOrder: boolean): void;
  /** Called before the reply of a command whose prompt interrupts the running turn. */
  willInterrupt?(): void;
  /** Called when a turn or command starts or ends. */
  setBusy(isBusy: boolean): void;
  /** Puts a text into an empty input line. */
  draft(text: string): void;
  /** Shows that a ! command waits until the previous one has ended. */
  commandQueued(line: string): void;
  /** Shows that a ! command starts. */
  commandStarted(line: string, hasWaited: boolean): void;
  /** Called before the reply of a ! command. */
  commandEnded?(): void;
  /** Shows the last lines of a running command; empty when it has ended. */
  printing?(lines: readonly string[]): void;
  apply(effect: ShownEffect): void;
  /** Translates a text of the program. */
  translate?(text: string): string;
  leave(exitCode: number): void;
}

export interface ConversationParts {
  readonly opened: OpenedChat;
  readonly ctx: CliContext;
  /** Images for the first prompt. */
  readonly images: readonly ContentPart[];
  readonly slash: SlashParts;
  busyMode(): "interrupt" | "queue" | "steer";
  readonly display: ConversationDisplay;
}

/** One conversation of a chat, which may change to other sessions. */
export interface ChatConversation {
  readonly session: Session;
  heldText(): string;
  /** Starts to show events. */
  start(): void;
  /**
   * Handles a typed line: a slash command, a ! command or a prompt. `content`: images in it. `typed`: the text without
   * pasted parts; only it can contain references. An empty line sends held prompts if no turn runs.
   */
  heard(text: string, content?: readonly ContentPart[], typed?: string): Promise<void>;
  /** Stops the running command or turn. False: nothing runs. */
  interrupt(): boolean;
  readonly isBusy: boolean;
  /** Typed ! commands that wait for the one that runs. */
  readonly waitingCommands: readonly string[];
  /** Content for the next prompt. */
  attach(content: readonly ContentPart[]): void;
  readonly attached: readonly ContentPart[];
  ask(content: readonly ContentPart[]): void;
  /** The context of a slash command now. */
  slash(signal: AbortSignal): SlashContext;
  apply(effect: CommandEffect): Promise<void>;
  /**
   * Stops the running turn, and shows its end. Returns the session that `/quit --delete` deleted, and the queued prompts
   * that were not sent.
   */
  end(): Promise<{ readonly deleted?: SessionId; readonly unsent: readonly string[] }>;
}

export function createChatConversation(parts: ConversationParts): ChatConversation {
  const { opened, ctx, display } = parts;
  const { paint, signal, io } = ctx;
  let session = opened.session;
  let { images } = parts;
  /** The output of the user's last ! command. */
  let lastOutput: ContentPart | undefined;
  /** The prompt whose references are currently being read. */
  let sending: Promise<void> = Promise.resolve();
  /** The running change to another session. Lines that are typed meanwhile go to the new session. */
  let changing: Promise<void> = Promise.resolve();
  /** The running command that new prompts wait for. */
  let holding: Promise<void> = Promise.resolve();
  const shellQueue = createShellQueue((line) => display.commandQueued(line));
  let isEnded = false;
  /** The session is deleted at the end. */
  let deletes = false;
  /** The running slash command. */
  let running: AbortLink | undefined;
  /** The model that the user chose. It also applies to new sessions of this chat, whose settings were read before. */
  let defaultModel: string | undefined;

  const { follow, untilShown } = createSessionFollower({
    current: () => session,
    show: (event) => display.show(event),
    turnStarted: () => display.setBusy(true),
    turnShown: settle,
  });

  /** Returns the input line to the user when nothing runs. */
  function settle(): void {
    if (!session.turn && !startsQueued() && !shellQueue.isBusy) display.setBusy(false);
  }

  /** True: a queued prompt starts on its own. */
  const startsQueued = () => session.queued.length > session.heldPrompts;

  function ask(content: readonly ContentPart[], isOrder = false): void {
    const { turn } = session;
    const mode = parts.busyMode();
    if (turn && mode === "steer") {
      session.steer(content);
      return display.sent(content, "steered", isOrder);
    }
    if (turn && mode === "queue") {
      session.queue(content);
      return display.sent(content, "queued", isOrder);
    }
    display.sent(content, "started", isOrder);
    turn?.abort("interrupted by a new prompt");
    return void session.prompt(content);
  }

  async function runLine(line: string): Promise<void> {
    using link = linkAbort(signal);
    // While a command asks a question, slash commands that are typed at the question run at once.
    const outer = running;
    running = link;
    const reply = await runCommand(
      line,
      true,
      session,
      slashContext(opened, session, parts.slash, ctx, link.signal),
    ).finally(() => void (running = outer));
    const isPrompt = reply.effect?.kind === "prompt";
    if (isPrompt && session.turn && parts.busyMode() === "interrupt") display.willInterrupt?.();
    display.reply(reply);
    if (reply.effect) await apply(reply.effect);
  }

  async function runHolding(line: string): Promise<void> {
    const own = runLine(line);
    const resolved = resolveCommand(line, parts.slash.commands, true);
    if (resolved.kind === "found" && (resolved.command.holdsPrompts || resolved.command.whileBusy === "refuse"))
      holding = own.catch(() => {});
    return own;
  }

  /** The work that Ctrl-C and Esc would stop. */
  async function stoppable<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    using link = linkAbort(signal);
    const outer = running;
    running = link;
    try {
      return await work(link.signal);
    } finally {
      running = outer;
    }
  }

  async function runTyped({ command, isAttached }: ShellLine): Promise<void> {
    if (command === "") {
      const text = lastOutput ? "Attached to your next prompt." : "No command has run yet: !COMMAND runs one.";
      if (lastOutput) images = [...images, lastOutput];
      display.commandEnded?.();
      return display.reply({ text, failed: lastOutput === undefined });
    }
    const program = terminalProgram(command);
    if (program !== undefined) {
      display.commandEnded?.();
      return display.reply({
        text: `${program} needs a terminal of its own: run it in another window, or press Ctrl-Z and run it in your shell.`,
        failed: true,
      });
    }
    const text = `running ${oneLine(withoutControls(command), 60)} … (Esc stops it)`;
    using quiet = systemClock.after(quietMs, () => display.printing?.([display.translate?.(text) ?? text]));
    const print = (lines: readonly string[]) => {
      quiet[Symbol.dispose]();
      display.printing?.(lines);
    };
    const { reply, attachment } = await stoppable((stop) =>
      runShellLine(
        command,
        sessionRunner(opened, session, ctx, stop, ({ message }) => print(message.split("\n"))),
      ),
    ).finally(() => {
      print([]);
      display.commandEnded?.();
    });
    lastOutput = attachment ?? lastOutput;
    display.reply({ ...reply, text: "" });
    if (reply.text !== "") display.reply({ text: reply.text, failed: reply.failed ?? false });
    if (!attachment || !isAttached) return undefined;
    images = [...images, attachment];
    return notes([paint.dim("Attached to your next prompt.")]);
  }

  function notes(lines: readonly string[]): void {
    for (const line of lines) display.note(fittedLines(display.translate?.(line) ?? line, io.columns));
  }

  async function send(text: string, content: readonly ContentPart[], typed: string): Promise<void> {
    const references = typed.includes("@")
      ? await stoppable((stop) => promptReferences(typed, sessionRunner(opened, session, ctx, stop), paint))
      : undefined;
    if (references?.refused !== undefined) {
      notes(references.warnings);
      notes([paint.warn(withoutControls(references.refused))]);
      return display.draft(text);
    }
    const prompt = [{ type: "text" as const, text }, ...content, ...(references?.content ?? []), ...images];
    images = [];
    ask(prompt);
    if (references) notes([...references.attached, ...references.warnings]);
    return undefined;
  }

  async function apply(effect: CommandEffect): Promise<void> {
    switch (effect.kind) {
      case "none":
        return undefined;
      case "quit":
        deletes = effect.deletes === true;
        return display.leave(0);
      case "prompt":
        return ask(effect.content, effect.isOrder);
      case "new":
        if (effect.clears) display.apply({ kind: "clear" });
        return changeTo(() =>
          opened.another({
            replaces: session.id,
            ...withoutUndefined({ title: effect.title, tools: effect.tools, cwd: effect.cwd }),
            ...(defaultModel !== undefined && { model: defaultModel }),
          }),
        );
      case "default-model":
        defaultModel = effect.model;
        return undefined;
      case "draft":
        return display.draft(effect.text);
      case "resume":
        return changeTo(async () => {
          // A session that was read-only here is closed before it is opened again.
          if (effect.session === session.id) await session[Symbol.asyncDispose]();
          return opened.resume(effect.session);
        });
      case "attach":
        images = [...images, ...effect.content];
        return undefined;
      default:
        return display.apply(effect);
    }
  }

  async function changeTo(open: () => Promise<Session>): Promise<void> {
    const own = open().then(showNext);
    changing = own.catch(() => {});
    return own;
  }

  async function showNext(next: Session): Promise<void> {
    // Closing the session also shows the end of its turns.
    await session[Symbol.asyncDispose]();
    await untilShown();
    session = next;
    void follow(next);
    notes([paint.dim(`session ${next.id} · ${withoutControls(next.place().cwd)}`)]);
    const earlier = await earlierPanel(next, paint, io.columns, opened.config, display.translate);
    if (earlier !== "") display.note(earlier.replace(/\n$/u, ""));
    if (next.heldBy !== undefined) display.note(paint.warn(heldText()));
    settle();
  }

  function heldText(): string {
    const text = `This session is in use by ${session.heldBy}: read-only here. Close it there and type /resume ${session.id} here, or type /new.`;
    return fittedLines(display.translate?.(text) ?? text, io.columns);
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
    async heard(text, content = [], typed = text) {
      if (text.trim() === "") return void (session.turn ?? session.sendHeld());
      display.setBusy(true);
      await changing;
      const shell = shellLine(text);
      const isLeaving = /^(?:exit|quit)$/iu.test(text.trim());
      if (!isLeaving && !isCommandLine(text)) await holding;
      try {
        if (isCommandLine(text)) await runHolding(text);
        else if (isLeaving) display.leave(0);
        else if (session.heldBy !== undefined) {
          display.note(paint.warn(heldText()));
          display.draft(text);
        } else if (shell)
          await shellQueue.run(typed, async (hasWaited) => {
            if (isEnded || signal.aborted) return;
            display.setBusy(true);
            display.commandStarted(typed, hasWaited);
            await runTyped(shell);
          });
        else {
          // Prompts keep their order while references are read.
          const own = sending.then(() => send(text, content, typed));
          sending = own.catch(() => {});
          await own;
        }
      } catch (thrown) {
        if (!signal.aborted) display.note(paint.bad(withoutControls(reasonOf(thrown))));
      } finally {
        settle();
      }
    },
    interrupt() {
      const { turn } = session;
      if (!running && !turn) return false;
      if (running) running.abort(new Error("interrupted"));
      else session.stop("interrupted");
      return true;
    },
    get isBusy() {
      return running !== undefined || shellQueue.isBusy || session.turn !== undefined || startsQueued();
    },
    waitingCommands: shellQueue.waiting,
    attach(content) {
      images = [...images, ...content];
    },
    get attached() {
      return images;
    },
    ask,
    slash: (stop) => slashContext(opened, session, parts.slash, ctx, stop),
    apply,
    async end() {
      isEnded = true;
      const { turn } = session;
      const unsent = session.queued.map(promptText);
      session.stop("left");
      await turn?.done;
      await untilShown();
      if (!deletes || session.heldBy !== undefined) return { unsent };
      const { id } = session;
      await session[Symbol.asyncDispose]();
      const done = await sessionRunner(
        opened,
        session,
        ctx,
        new AbortController().signal,
      )("sessions.delete", {
        sessions: [id],
      });
      const why = done.ok ? done.value.failed[0]?.why : done.error.message;
      if (why !== undefined) ctx.io.warn(`${paint.warn(withoutControls(why))}\n`);
      return why === undefined ? { deleted: id, unsent } : { unsent };
    },
  };
}

/** A command that prints nothing for this long shows that it runs. */
const quietMs = 1_000;
