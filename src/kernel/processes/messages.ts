import { plainText } from "../../base/text/ansi.ts";
import { cut, oneLine, plural } from "../../base/text/text.ts";
import type { ProcessEnding, ProcessHandle } from "../../contracts/environment/environment.ts";
import { silentMs } from "./watch-pace.ts";

/** Messages to a session about its background processes. */

export const endChars = 2_000;
/** Output lines that match a watch pattern. */
export const maxLines = 20;
const maxChars = 2_000;

export function endMessage(handle: ProcessHandle, ending: ProcessEnding, output: string): string {
  return quoted([
    `Background process ${handle.id} has ended: ${endingWords(ending)}.`,
    commandLine(handle),
    output === "" ? "It wrote nothing." : `The end of its output:\n${output}`,
  ]);
}

export function hitMessage(handle: ProcessHandle, lines: readonly string[], leftOut: number): string {
  return quoted([
    `Background process ${handle.id} wrote what you watch for.`,
    commandLine(handle),
    cut(lines.join("\n"), maxChars),
    ...(leftOut > 0 ? [`(${plural(leftOut, "more line")} with it left out)`] : []),
  ]);
}

export function stoppedMessage(handle: ProcessHandle): string {
  return quoted([
    `Background process ${handle.id} matches your watch patterns too often: it is no longer watched. ` +
      "You will be notified when it ends; look at it with process poll or log.",
    commandLine(handle),
  ]);
}

export function omittedMessagesNotice(messages: number): string {
  return quoted([
    `Your background processes wrote what you watch for very often: ${plural(messages, "message")} of the last ` +
      `${silentMs / 1000} s were left out. Look at them with process poll or log.`,
  ]);
}

function endingWords({ how, exitCode, signal }: ProcessEnding): string {
  if (how === "lost") return "it ended and its exit was not observed (reason: lost)";
  const code = exitCode === undefined ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
  return `${code} (reason: ${how})`;
}

function commandLine({ command }: ProcessHandle): string {
  return `Command: ${oneLine(plainText(command), 200)}`;
}

function quoted(lines: readonly string[]): string {
  return lines.join("\n");
}
