import { durationText } from "../../../base/text/time-text.ts";
import type { CommandReply } from "../../../contracts/host/command.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { RunOperation } from "../../../operations/run-operation.ts";
import { withoutControls } from "../without-controls.ts";
import { forPeople } from "./feed/for-people.ts";

/**
 * `!ls` runs a command of the user; `!!ls` also attaches its output to the next prompt, and `!!` attaches that of the
 * last one.
 */
export interface ShellLine {
  readonly command: string;
  readonly isAttached: boolean;
}

export function shellLine(text: string): ShellLine | undefined {
  const [, marks, command = ""] = /^\s*(!!?)([\s\S]*)$/u.exec(text) ?? [];
  if (marks === undefined || (marks === "!" && command.trim() === "")) return undefined;
  return { command: command.trim(), isAttached: marks === "!!" };
}

/** Runs the user's commands one after another, because they share a shell and the rows for their output. */
export interface ShellQueue {
  /** Lines that wait for the command that runs, in order. */
  readonly waiting: readonly string[];
  readonly isBusy: boolean;
  /** The work starts when the earlier lines have ended, even if they failed. */
  run(line: string, work: (hasWaited: boolean) => Promise<void>): Promise<void>;
}

/** `queued` is called for a line that has to wait. */
export function createShellQueue(queued: (line: string) => void): ShellQueue {
  const waiting: string[] = [];
  let last: Promise<void> | undefined;
  return {
    waiting,
    get isBusy() {
      return last !== undefined;
    },
    async run(line, work) {
      const before = last;
      const ended = Promise.withResolvers<void>();
      last = ended.promise;
      try {
        if (before) {
          waiting.push(line);
          queued(line);
          await before;
          waiting.shift();
        }
        await work(before !== undefined);
      } finally {
        if (last === ended.promise) last = undefined;
        ended.resolve();
      }
    },
  };
}

/** A command that has ended. */
export interface EndedCommand {
  readonly reply: CommandReply;
  /** The output of the command, for the model. */
  readonly attachment?: ContentPart;
}

/** Runs a command through the policy and approvals of the session. */
export async function runShellLine(command: string, run: RunOperation): Promise<EndedCommand> {
  const outcome = await run("shell.run", { command });
  if (!outcome.ok) return { reply: { text: withoutControls(forPeople(outcome.error.message)), failed: true } };
  const { exitCode, output, durationMs, outputPath, attachment } = outcome.value;
  const meaning = meanings[exitCode];
  const facts = [
    ...(exitCode === 0 ? [] : [`exit code ${exitCode}${meaning === undefined ? "" : `: ${meaning}`}`]),
    ...(outputPath === undefined ? [] : [`the whole output is in ${outputPath}`]),
    ...(exitCode === 0 && output.trim() === "" ? ["no output"] : []),
    ...(durationMs < shownMs ? [] : [durationText(durationMs)]),
  ];
  const text = facts.join(" · ");
  return { reply: { text, ...(output.trim() !== "" && { output }), failed: exitCode !== 0 }, attachment };
}

const shownMs = 1_000;

const meanings: Readonly<Record<number, string>> = {
  124: "stopped after 120 s",
  126: "not executable",
  127: "command not found",
  130: "stopped",
};
