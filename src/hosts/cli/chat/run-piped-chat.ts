import { existsSync } from "node:fs";

import { waitFor } from "../../../base/async/bounded-wait.ts";
import { systemClock } from "../../../base/clock.ts";
import { reasonOf } from "../../../base/result.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { withoutUndefined } from "../../../base/without-undefined.ts";
import { builtinCommands } from "../../../commands/builtin-commands.ts";
import { heldQueueText } from "../../../commands/reply-text.ts";
import { isCommandLine, resolveCommand } from "../../../commands/resolve-command.ts";
import { runCommand } from "../../../commands/run-command.ts";
import type { Command, CommandEffect } from "../../../contracts/host/command.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { Turn } from "../../../contracts/session/runtime.ts";
import { type CliContext, type Reply, type CliIo, CommandFailed } from "../command.ts";
import { withoutControls } from "../without-controls.ts";
import { displayOf } from "./chat-display.ts";
import type { ChatRequest } from "./chat-request.ts";
import { paintedOutput } from "./feed/result-lines.ts";
import { exitCodes, sessionInUse, runOneShot } from "./one-shot.ts";
import { openChat } from "./open-chat.ts";
import { preloadedSkills } from "./opening/preloaded-skills.ts";
import { printFeed } from "./print-feed.ts";
import { readImages } from "./prompt-content.ts";
import { slashContext } from "./slash-context.ts";

/**
 * A conversation over a pipe, one prompt after another, until the other side closes it or sends /quit. Nobody can
 * answer questions.
 */
export async function runPipedChat(request: ChatRequest, ctx: CliContext): Promise<Reply> {
  const prompts = pipedPrompts(ctx.io, ctx.signal);
  const first = await prompts.next();
  // A line such as `/rain today` may be a command of a plugin.
  const isPlain = !first.done && !first.value.isCommand && !first.value.text.split("\n").some(isCommandLine);
  const only = first.done ? "" : first.value.isLast && isPlain ? first.value.text : undefined;
  if (only !== undefined) return runOneShot(request, { ...ctx, io: { ...ctx.io, stdin: bytesOf(only) } });
  return first.done ? {} : converse(request, ctx, follow(first.value, prompts));
}

async function converse(request: ChatRequest, ctx: CliContext, prompts: AsyncIterable<PipedPrompt>): Promise<Reply> {
  const { io, paint, signal } = ctx;
  await using opened = await openChat(request, ctx, {
    source: "oneshot",
    say: (sentence) => io.warn(`${paint.dim(`hermes: ${sentence}`)}\n`),
    tell: (line) => io.warn(`${line}\n`),
  });
  const { runtime } = opened;
  let { session } = opened;
  if (session.heldBy !== undefined) throw sessionInUse(session);
  if (session.heldPrompts > 0) io.warn(`${paint.warn(heldQueueText(session.heldPrompts))}\n`);
  let along = [...(await preloadedSkills(request, runtime, signal)), ...(await readImages(request, ctx))];
  let exitCode = 0;
  let display = displayOf(opened.config);
  const slash = {
    display: () => display,
    commands: (await runtime.commands()).filter(({ where }) => where !== "chat"),
    offered: {},
    answersAs: "the pipe",
    fixedSettings: "A pipe cannot change settings. Use: hermes model use PROVIDER/MODEL",
  };

  async function ask(content: readonly ContentPart[]): Promise<void> {
    const turn = session.prompt([...content, ...along]);
    along = [];
    await show(turn);
  }

  async function show(turn: Turn): Promise<void> {
    const stop = () => turn.abort("interrupted");
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    await printFeed(turn, { ...opened, session }, ctx);
    signal.removeEventListener("abort", stop);
    const { reason, why } = await turn.done;
    exitCode = exitCodes[reason];
    if (reason !== "answered") io.warn(`${paint.bad("error:")} ${withoutControls(why ?? reason)}\n`);
  }

  /** Returns true if the conversation continues. */
  async function apply(effect: CommandEffect): Promise<boolean> {
    const before = session;
    if (effect.kind === "prompt") await ask(effect.content);
    if (effect.kind === "display") display = { ...display, ...effect.change };
    if (effect.kind === "new")
      session = await opened.another({
        replaces: session.id,
        ...withoutUndefined({ title: effect.title, tools: effect.tools, cwd: effect.cwd }),
      });
    if (effect.kind === "resume") session = await opened.resume(effect.session);
    if (session !== before) await before[Symbol.asyncDispose]();
    if (session.heldBy !== undefined) throw sessionInUse(session);
    return effect.kind !== "quit";
  }

  for await (const { text, isCommand } of withPluginCommands(prompts, slash.commands)) {
    const refusal = isCommand ? pipeRefusal(text) : undefined;
    if (!isCommand) await ask([{ type: "text", text: text.trim() }]);
    else if (refusal !== undefined) {
      io.warn(`${paint.warn(refusal)}\n`);
      exitCode = 1;
    } else {
      const {
        text: reply,
        output,
        failed,
        effect,
      } = await runCommand(text, true, session, slashContext(opened, session, slash, ctx, signal));
      if (reply !== "") await io.write(`${failed ? paint.warn(reply) : reply}\n`);
      if (output !== undefined) await io.write(`${paintedOutput(output, paint)}\n`);
      if (effect && !(await apply(effect))) break;
      // Turns that /queue and /steer started.
      while (session.turn && !signal.aborted) await show(session.turn);
    }
    if (signal.aborted) break;
  }
  return { exitCode: signal.aborted ? exitCodes.aborted : exitCode };
}

/** Splits a prompt at lines that are commands of plugins, which were not known when the pipe was read. */
async function* withPluginCommands(
  prompts: AsyncIterable<PipedPrompt>,
  commands: readonly Command[],
): AsyncGenerator<Pick<PipedPrompt, "text" | "isCommand">> {
  const own = commands.filter(({ plugin }) => plugin !== undefined);
  const isCommand = (line: string) => isCommandLine(line) && resolveCommand(line, own, false).kind === "found";
  for await (const prompt of prompts) {
    const lines = prompt.isCommand ? [] : prompt.text.split("\n");
    if (!lines.some(isCommand)) {
      yield prompt;
      continue;
    }
    let before: string[] = [];
    for (const line of [...lines, undefined]) {
      if (line !== undefined && !isCommand(line)) {
        before.push(line);
        continue;
      }
      if (before.join("").trim() !== "") yield { text: before.join("\n"), isCommand: false };
      before = [];
      if (line !== undefined) yield { text: line.trim(), isCommand: true };
    }
  }
}

async function* follow(first: PipedPrompt, rest: AsyncIterable<PipedPrompt>): AsyncGenerator<PipedPrompt> {
  yield first;
  yield* rest;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** A prompt or command from a pipe. */
interface PipedPrompt {
  readonly text: string;
  readonly isCommand: boolean;
  /** True: the other side has closed the pipe. */
  readonly isLast: boolean;
}

/**
 * Prompts and commands from a pipe, in order. A file is one prompt, even with many lines; a line that is a slash
 * command stays separate. If the writer keeps the pipe open and pauses after a line, the text so far counts as a
 * prompt, because the writer waits for an answer.
 */
export async function* pipedPrompts(
  io: Pick<CliIo, "stdin">,
  signal: AbortSignal,
  silenceMs = 1_000,
): AsyncGenerator<PipedPrompt> {
  const arriving = io.stdin[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let next = arriving.next();
  const findCommand = commandFinder();
  let pending = "";
  /** Offset of the first unread line. */
  let from = 0;
  for (;;) {
    const isWaiting = pending.trim() !== "" && pending.endsWith("\n");
    const patience = { signal, ms: isWaiting ? silenceMs : Infinity, clock: systemClock };
    const waited = await waitFor(next, patience).catch((thrown: unknown) => {
      throw new CommandFailed(`Standard input cannot be read: ${reasonOf(thrown)}`, "Send text, or a file.");
    });
    if (waited.how === "aborted") throw new CommandFailed("Interrupted.", undefined, 130);
    if (waited.how !== "done") {
      yield { text: pending, isCommand: false, isLast: false };
      [pending, from] = ["", 0];
      continue;
    }
    const { done: hasEnded = false, value } = waited.value;
    if (!hasEnded) next = arriving.next();
    // The last line may lack its end.
    pending += hasEnded ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true });
    if (pending.length > maxChars) throw new CommandFailed("The piped input is too long.", "Send less.");
    for (let match = findCommand(pending, from); match; match = findCommand(pending, 0)) {
      const before = pending.slice(0, match.index);
      if (before.trim() !== "") yield { text: before, isCommand: false, isLast: false };
      yield { text: match.line.trim(), isCommand: true, isLast: false };
      pending = pending.slice(match.index + match.line.length);
    }
    from = pending.lastIndexOf("\n") + 1;
    if (!hasEnded) continue;
    if (pending.trim() !== "") yield { text: pending.slice(0, -1), isCommand: false, isLast: true };
    return;
  }
}

const maxChars = 8_000_000;

/**
 * Finds whole lines that are commands, even misspelt ones. A path such as `/tmp` is not one. Only harmless commands
 * run: piped text must not approve anything (/yolo, /approve), write files or change saved settings.
 */
function commandFinder(): (
  text: string,
  from: number,
) => { readonly index: number; readonly line: string } | undefined {
  const names = builtinCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const words = new Map<string, boolean>(names.map((name) => [name, true]));
  const isCommand = (word: string): boolean => {
    const cached = words.get(word);
    if (cached !== undefined) return cached;
    const isMisspelt = word.length > 2 && nearest(word, names).length > 0 && !existsSync(`/${word}`);
    words.set(word, isMisspelt);
    return isMisspelt;
  };
  const line = /^\/([a-z?][\w-]*)(?=\s)[^\n]*\n/gimu;
  return (text, from) => {
    line.lastIndex = from;
    for (let match = line.exec(text); match; match = line.exec(text))
      if (isCommand((match[1] ?? "").toLowerCase())) return { index: match.index, line: match[0] };
    return undefined;
  };
}

/** The reason why a command from a pipe does not run. Undefined: it runs. */
function pipeRefusal(line: string): string | undefined {
  // Also recognizes prefixes of command names, because a prefix runs a command too.
  const resolved = resolveCommand(line, builtinCommands, true);
  const names = resolved.kind === "found" ? [resolved.command.name] : resolved.kind === "several" ? resolved.names : [];
  const refused = names.find((name) => !harmless.has(name));
  return refused === undefined ? undefined : `/${refused} does not work in a pipe. Nothing was done.`;
}

const harmless: ReadonlySet<string> = new Set(
  "help plan diff btw journey new model provider reasoning fast personality history whoami profile insights bundles tools toolsets plugins context usage compress retry undo todo queue steer stop status config version quit".split(
    " ",
  ),
);
