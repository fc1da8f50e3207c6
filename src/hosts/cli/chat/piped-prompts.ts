import { waitFor } from "../../../base/bounded-wait.ts";
import { systemClock } from "../../../base/clock.ts";
import { reasonOf } from "../../../base/result.ts";
import { builtinCommands } from "../../../commands/builtin-commands.ts";
import { resolveCommand } from "../../../commands/resolve-command.ts";
import { type CliIo, CommandFailed } from "../command.ts";

/** Something that was said over a pipe. */
export interface PipedPrompt {
  readonly text: string;
  readonly isCommand: boolean;
  /** The other side has ended. */
  readonly isLast: boolean;
}

/**
 * What is said over a pipe, in order. A file is one prompt, however many lines it has; a line that is a slash command is
 * one of its own. Whoever keeps the pipe open and falls silent after a line waits for an answer.
 */
export async function* pipedPrompts(
  io: Pick<CliIo, "stdin">,
  signal: AbortSignal,
  silenceMs = 1_000,
): AsyncGenerator<PipedPrompt> {
  const arriving = io.stdin[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let next = arriving.next();
  let pending = "";
  for (;;) {
    const isWaiting = pending.trim() !== "" && pending.endsWith("\n");
    const patience = { signal, ms: isWaiting ? silenceMs : Infinity, clock: systemClock };
    const waited = await waitFor(next, patience).catch((thrown: unknown) => {
      throw new CommandFailed(`Standard input cannot be read: ${reasonOf(thrown)}`, "Send text, or a file.");
    });
    if (waited.how === "aborted") throw new CommandFailed("Interrupted.", undefined, 130);
    if (waited.how !== "done") {
      yield { text: pending, isCommand: false, isLast: false };
      pending = "";
      continue;
    }
    const { done: hasEnded = false, value } = waited.value;
    if (!hasEnded) next = arriving.next();
    // The last line may lack its end.
    pending += hasEnded ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true });
    if (pending.length > maxChars) throw new CommandFailed("Too much was piped in at once.", "Send less.");
    for (let found = firstCommand(pending); found; found = firstCommand(pending)) {
      if (found.before.trim() !== "") yield { text: found.before, isCommand: false, isLast: false };
      yield { text: found.command, isCommand: true, isLast: false };
      pending = found.after;
    }
    if (!hasEnded) continue;
    if (pending.trim() !== "") yield { text: pending.slice(0, -1), isCommand: false, isLast: true };
    return;
  }
}

const maxChars = 8_000_000;

/** The first whole line that is a command. */
function firstCommand(text: string) {
  for (const { 0: line, index } of text.matchAll(/^\/.*\n/gmu)) {
    if (isOwnCommand(line))
      return { before: text.slice(0, index), command: line.trim(), after: text.slice(index + line.length) };
  }
  return undefined;
}

/** Only names that are known: a list of paths is no list of commands. */
function isOwnCommand(line: string): boolean {
  return resolveCommand(line, builtinCommands, false).kind === "found";
}
