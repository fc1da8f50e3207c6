import { abortable } from "../../base/async/abort.ts";
import { type CliIo, CommandFailed } from "./command.ts";

/** One line that a person types. Nothing typed, or the end of input: an empty text. An interrupt ends the command. */
export async function askLine(io: CliIo, question: string, signal: AbortSignal): Promise<string> {
  io.warn(question);
  const decoder = new TextDecoder();
  const typing = io.stdin[Symbol.asyncIterator]();
  let typed = "";
  try {
    for (;;) {
      const { done, value } = await abortable(typing.next(), signal);
      if (done) return typed.trim();
      typed += decoder.decode(value, { stream: true });
      const end = typed.indexOf("\n");
      if (end >= 0) return typed.slice(0, end).trim();
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    throw new CommandFailed("Interrupted; nothing was changed.", undefined, 130);
  } finally {
    // Not waited for: a terminal answers it only when the next line is typed.
    void typing.return?.();
  }
}
