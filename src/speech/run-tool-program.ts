import type { Clock } from "../base/clock.ts";
import { removeTree } from "../base/files/remove-tree.ts";
import { makeTempFolder } from "../base/files/temp-folder.ts";
import { runProgram, type Variables } from "../base/process/run-program.ts";
import { err, ok, type Result } from "../base/result.ts";
import { plainText } from "../base/text/ansi.ts";
import { oneLine } from "../base/text/text.ts";
import type { CallFault } from "../contracts/web/call-api.ts";

export interface ToolProgram {
  /** The name in messages. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Variables;
  readonly cwd?: string;
  readonly stdin?: string;
  /** A line of the error output that means a failure if nothing else was written, whatever the exit code is. */
  readonly errorLine?: RegExp;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Runs a program to its end, with everything that it starts. Returns its standard output. Never rejects. */
export async function runToolProgram(run: ToolProgram, signal: AbortSignal): Promise<Result<string, CallFault>> {
  const { name, stdin, cwd, errorLine, ...rest } = run;
  const ended = await runProgram({
    ...rest,
    ...(cwd !== undefined && { cwd }),
    ...(stdin !== undefined && { stdin: Buffer.from(stdin) }),
    signal,
    killsGroup: true,
  });
  switch (ended.how) {
    case "aborted":
      return err({ kind: "aborted", message: `${name}: it was stopped` });
    case "timeout":
      return err({ kind: "timeout", message: `${name} took longer than ${run.timeoutMs / 1_000} s and was stopped.` });
    case "unstarted":
      return err({ kind: "unavailable", message: `${name} cannot be started: ${ended.message}` });
    case "exit": {
      const [fault] = ended.stdout.trim() === "" ? (errorLine?.exec(ended.stderr) ?? []) : [];
      if (fault !== undefined)
        return err({ kind: "refused", message: `${name} failed: ${oneLine(plainText(fault), 300)}` });
      if (ended.code === 0) return ok(ended.stdout);
      const words = plainText(ended.stderr.trim() || ended.stdout.trim());
      const last = oneLine(words.split("\n").slice(-3).join(" "), 300);
      return err({ kind: "refused", message: `${name} failed (exit code ${ended.code})${last && `: ${last}`}` });
    }
  }
}

/** A folder for the files of one call, which is removed afterwards. */
export async function inTempFolder<Value>(parent: string, work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = makeTempFolder(parent, "speech");
  try {
    return await work(folder);
  } finally {
    await removeTree(folder).catch(() => undefined);
  }
}
