import { open, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";

import { abortable, sleep } from "../../base/abort.ts";
import { waitFor } from "../../base/bounded-wait.ts";
import { describeFault } from "../../base/file-fault.ts";
import { newId } from "../../base/ids.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { EnvironmentError, ProcessHandle } from "../../contracts/environment.ts";
import { createOutputLog, type OutputLog } from "./output-log.ts";
import type { Pipe } from "./pipes.ts";
import type { RunDeps } from "./run-command.ts";

export interface BackgroundProcess extends ProcessHandle {
  /** After this nothing of the process is alive; its output can still be read until it is disposed. */
  readonly gone: Promise<void>;
}

/** Starts a command that nobody waits for. It begins with the state of the shell and changes nothing of it. */
export async function backgroundProcess(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  { shell, pipes, folder, clock, log, limits }: RunDeps,
): Promise<Result<BackgroundProcess, EnvironmentError>> {
  const id = newId("proc");
  const path = join(folder, id);
  const taken = [await pipes.take(), await pipes.take()] as const;
  const [out, into] = taken;
  if (!out.ok || !into.ok)
    return err({ kind: "unreachable", message: out.ok ? "no pipe for input" : out.error.message });
  const unused = () => taken.forEach((pipe) => pipe.ok && pipe.value.giveBack(false));
  let output: OutputLog;
  let input: ReturnType<Pipe["forInput"]>;
  try {
    input = into.value.forInput();
    const maxBytes = limits.spill.headBytes + limits.spill.tailBytes;
    output = createOutputLog(
      await open(path, "wx+", 0o600),
      maxBytes,
      () => begun.ok && begun.value.output.resume(),
      (thrown) => log.warn("process.output.lost", { id, error: reasonOf(thrown) }),
    );
  } catch (thrown) {
    unused();
    return err({ kind: "unreachable", message: describeFault(thrown, path).message });
  }
  const stdin = new Socket({ fd: input.ours, readable: false, writable: true });
  stdin.on("error", () => stdin.destroy());
  const begun = await shell.start(command, {
    cwd,
    env: { PYTHONUNBUFFERED: "1", ...env },
    pipe: out.value,
    stdin: input.childs,
    take: (chunk) => output.add(chunk),
  });
  if (!begun.ok) {
    stdin.destroy();
    into.value.giveBack(false);
    await output.close();
    await rm(path, { force: true });
    return begun;
  }
  const { tree, exited, output: reader, leftState } = begun.value;
  let isGone = false;
  const gone = (async () => {
    await exited;
    const exitedAt = clock.elapsed();
    // What it left gets a moment to finish, and of many that end at once one look at the machine serves all.
    await sleep(drainMs, new AbortController().signal, clock);
    if (tree.alive(exitedAt).length > 0 || tree.isUnsure()) await tree.end();
    const waited = await waitFor(reader.ended, { ms: endOfOutputMs, clock, isOptional: true });
    if (waited.how !== "done") reader.stop();
    await reader.ended;
    stdin.destroy();
    leftState();
    out.value.giveBack(reader.isAtEnd);
    into.value.giveBack(false);
    isGone = true;
  })();
  const kill = async () => {
    if (!isGone) await tree.end();
    await gone;
  };
  const ended = gone.then(() => exited);

  return ok({
    id,
    command,
    startedAt: clock.now(),
    ended,
    gone,
    output: (from) => output.read(from),
    async write(bytes) {
      if (isGone || stdin.destroyed || !stdin.writable) return err({ message: "its input is closed" });
      return new Promise((resolve) => {
        stdin.write(bytes, (fault) => resolve(fault ? err({ message: "its input is closed" }) : ok(undefined)));
      });
    },
    closeInput: () => new Promise((resolve) => (stdin.writable ? stdin.end(() => resolve()) : resolve())),
    kill: (signal) => abortable(kill(), signal),
    async [Symbol.asyncDispose]() {
      await kill();
      await output.close();
      await rm(path, { force: true });
    },
  });
}

const drainMs = 10;
const endOfOutputMs = 1_000;
