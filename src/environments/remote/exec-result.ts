import type { Logger } from "../../base/log.ts";
import { reasonOf } from "../../base/result.ts";
import { oneLine } from "../../base/text.ts";
import type { ExecOptions, ExecResult } from "../../contracts/environment.ts";
import type { Told } from "./control.ts";
import type { LinkEnd } from "./link.ts";
import { signalName } from "./signal-names.ts";

export function endingOf({ status = 0, isSaved }: Told): Pick<ExecResult, "ended" | "exitCode" | "signal"> {
  // A shell that got as far as saving its state was not killed, whatever its exit code looks like.
  const name = status > 128 && !isSaved ? signalName(status - 128) : undefined;
  return name === undefined ? { ended: "exit", exitCode: status } : { ended: "signal", signal: name };
}

/** As a person would name it. */
export function nameOf({ pid, name: words }: Told["left"][number], command: string): string {
  const line = words.includes("__hermes_command=") ? `(part of) ${command}` : words;
  return `${oneLine(line, 160) || "a process"} (pid ${pid})`;
}

export function lostFault(kind: string, end: LinkEnd): string {
  const why = end.how === "broken" ? end.message : "the shell that watched over it was ended";
  return (
    `the ${kind} backend went away while the command ran: ${why}. Whether it finished is not known; it was not run again. ` +
    "Look at what it did before you repeat it. The next command connects again and first ends what is left of this one."
  );
}

export function unanswered(kind: string, how: "timeout" | "aborted"): string {
  const why = how === "timeout" ? "its time was up" : "it was interrupted";
  return `${why}, and the ${kind} backend did not answer when it was to be ended. What is left of it is ended with the next connection.`;
}

export function neverRun(waitedMs: number): Omit<ExecResult, "cwd" | "carried" | "backend"> {
  const nothing = new Uint8Array();
  return { ended: "aborted", head: nothing, tail: nothing, totalBytes: 0, leftRunning: [], waitedMs, durationMs: 0 };
}

/** Hands out copies: the buffer is used again. A listener that throws is not called again. */
export function showing(onOutput: ExecOptions["onOutput"], log: Logger): (chunk: Uint8Array) => void {
  let listener = onOutput;
  return (chunk) => {
    try {
      listener?.(Uint8Array.from(chunk));
    } catch (thrown) {
      listener = undefined;
      log.error("exec.listener.failed", { error: reasonOf(thrown) });
    }
  };
}
