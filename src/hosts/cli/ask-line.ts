import type { CliIo } from "./command.ts";

/** One line that a person types. Nothing typed, or the end of input: an empty text. */
export async function askLine(io: CliIo, question: string): Promise<string> {
  io.warn(question);
  const decoder = new TextDecoder();
  let typed = "";
  for await (const part of io.stdin) {
    typed += decoder.decode(part, { stream: true });
    const end = typed.indexOf("\n");
    if (end >= 0) return typed.slice(0, end).trim();
  }
  return typed.trim();
}
