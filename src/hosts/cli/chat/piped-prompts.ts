import { waitFor } from "../../../base/async/bounded-wait.ts";
import { systemClock } from "../../../base/clock.ts";
import { reasonOf } from "../../../base/result.ts";
import { builtinCommands } from "../../../commands/builtin-commands.ts";
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
  const commands = commandLines();
  let pending = "";
  /** Where lines begin that were not looked at yet. */
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
    commands.lastIndex = from;
    for (let found = commands.exec(pending); found; found = commands.exec(pending)) {
      const before = pending.slice(0, found.index);
      if (before.trim() !== "") yield { text: before, isCommand: false, isLast: false };
      yield { text: found[0].trim(), isCommand: true, isLast: false };
      pending = pending.slice(found.index + found[0].length);
      commands.lastIndex = 0;
    }
    from = pending.lastIndexOf("\n") + 1;
    if (!hasEnded) continue;
    if (pending.trim() !== "") yield { text: pending.slice(0, -1), isCommand: false, isLast: true };
    return;
  }
}

const maxChars = 8_000_000;

/**
 * Whole lines that are commands. Only these: a list of paths is no list of commands, and a text from somewhere else may
 * not allow anything (/yolo, /approve), write files or change what is kept.
 */
function commandLines(): RegExp {
  const names = builtinCommands.flatMap(({ name, aliases = [] }) => (harmless.has(name) ? [name, ...aliases] : []));
  return new RegExp(`^/(?:${names.map(RegExp.escape).join("|")})(?=\\s)[^\\n]*\\n`, "gimu");
}

const harmless: ReadonlySet<string> = new Set(
  "help new model provider tools toolsets context usage compress retry undo todo queue steer stop status config version quit".split(
    " ",
  ),
);
