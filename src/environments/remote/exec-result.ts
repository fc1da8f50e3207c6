import type { Waited } from "../../base/async/bounded-wait.ts";
import { oneLine } from "../../base/text/text.ts";
import type { ExecResult } from "../../contracts/environment/environment.ts";
import type { RunnerReport } from "./control.ts";

type Ending = Pick<ExecResult, "ended" | "exitCode" | "signal" | "fault">;

/**
 * How a command ended. `isEnded`: one whose time was up, or that was interrupted, has been ended over there. `lostBy`: why
 * nobody can tell, should it have ended without a word.
 */
export function commandEnding(
  kind: string,
  waited: Waited<unknown>,
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
  // A shell that got as far as saving its state was not killed, whatever its exit code looks like.
  const name = report.status > 128 && !report.isSaved ? signalName(report.status - 128) : undefined;
  return name === undefined ? { ended: "exit", exitCode: report.status } : { ended: "signal", signal: name };
}

/** As a person would name it. */
export function describeLeftProcess({ pid, name: words }: RunnerReport["left"][number], command: string): string {
  const line = words.includes("__hermes_command=") ? `(part of) ${command}` : words;
  return `${oneLine(line, 160) || "a process"} (pid ${pid})`;
}

function lostFault(kind: string, why: string): string {
  return (
    `the ${kind} backend went away while the command ran: ${why}. Whether it finished is not known; it was not run again. ` +
    "Look at what it did before you repeat it. The next command connects again and first ends what is left of this one."
  );
}

function unanswered(kind: string, how: "timeout" | "aborted"): string {
  const why = how === "timeout" ? "its time was up" : "it was interrupted";
  return `${why}, and the ${kind} backend did not answer when it was to be ended. What is left of it is ended with the next connection.`;
}

/** The name of a signal by its number on Linux, such as `SIGKILL`. */
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
