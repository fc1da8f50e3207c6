import type { WaitOutcome } from "../../base/async/bounded-wait.ts";
import { oneLine } from "../../base/text/text.ts";
import type { ExecResult } from "../../contracts/environment/environment.ts";
import type { RunnerReport } from "./control.ts";

type Ending = Pick<ExecResult, "ended" | "exitCode" | "signal" | "fault">;

/**
 * How a command ended. `isEnded`: it timed out or was interrupted, and was killed on the backend. `lostBy`: the reason
 * if it ended without a report.
 */
export function commandEnding(
  kind: string,
  waited: WaitOutcome<unknown>,
  {
    isEnded,
    told: report,
    lostBy,
  }: { readonly isEnded: boolean; readonly told: RunnerReport | undefined; readonly lostBy: string },
): Ending {
  if (waited.how !== "done") {
    return isEnded ? { ended: waited.how } : { ended: "lost", fault: unanswered(kind, waited.how) };
  }
  if (report?.status === undefined) return { ended: "lost", fault: lostFault(kind, lostBy) };
  // A shell that saved its state was not killed, whatever its exit code suggests.
  const name = report.status > 128 && !report.isSaved ? signalName(report.status - 128) : undefined;
  return name === undefined ? { ended: "exit", exitCode: report.status } : { ended: "signal", signal: name };
}

/** A process name for users. */
export function describeLeftProcess({ pid, name: words }: RunnerReport["left"][number], command: string): string {
  const line = words.includes("__hermes_command=") ? `(part of) ${command}` : words;
  return `${oneLine(line, 160) || "a process"} (pid ${pid})`;
}

function lostFault(kind: string, why: string): string {
  return (
    `the ${kind} backend disconnected while the command ran: ${why}. It may or may not have finished; Hermes did not run it again. ` +
    "Check its effects before you repeat it. The next command reconnects and first kills the remaining processes of this one."
  );
}

function unanswered(kind: string, how: "timeout" | "aborted"): string {
  const why = how === "timeout" ? "the command timed out" : "the command was interrupted";
  return `${why}, but the ${kind} backend did not respond to the kill. The next connection kills the remaining processes.`;
}

/** The name of a signal by its Linux number, such as `SIGKILL`. */
export function signalName(number: number): string | undefined {
  return names[number - 1];
}

const names: readonly (string | undefined)[] = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGKILL",
  "SIGUSR1",
  "SIGSEGV",
  "SIGUSR2",
  "SIGPIPE",
  "SIGALRM",
  "SIGTERM",
  "SIGSTKFLT",
  "SIGCHLD",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGXCPU",
  "SIGXFSZ",
  "SIGVTALRM",
  "SIGPROF",
  "SIGWINCH",
  "SIGIO",
  "SIGPWR",
  "SIGSYS",
];
