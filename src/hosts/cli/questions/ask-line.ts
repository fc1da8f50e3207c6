import { abortable } from "../../../base/async/abort.ts";
import { type CliIo, CommandFailed } from "../command.ts";

/** Reads one line from the user; empty at the end of input. An interrupt ends the command. */
export async function askLine(io: CliIo, question: string, signal: AbortSignal): Promise<string> {
  io.warn(question);
  const decoder = new TextDecoder();
  const typing = io.stdin[Symbol.asyncIterator]();
  let typed = "";
  try {
    for (;;) {
      const { done, value } = await abortable(typing.next(), signal);
      if (done) {
        if (io.stdinIsTerminal) io.warn("\n");
        return typed.trim();
      }
      typed += decoder.decode(value, { stream: true });
      const end = typed.indexOf("\n");
      if (end >= 0) return typed.slice(0, end).trim();
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    io.warn("\n");
    throw new CommandFailed("Interrupted; nothing was changed.", undefined, 130);
  } finally {
    // The read is not awaited, because a terminal completes it only when the user types the next line.
    void typing.return?.();
  }
}
