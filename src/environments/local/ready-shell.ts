import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { ExecOptions } from "../../contracts/environment/environment.ts";
import type { Isolation } from "../../contracts/safety/isolation.ts";
import type { LocalShell, StartedShell, WaitingShell } from "./local-shell.ts";
import type { Pipe, Pipes } from "./pipes.ts";

/**
 * A shell that starts ahead of time, while the model is working. Only the next plain command runs in it, and only if
 * nothing has changed since.
 */
export interface ReadyShell extends AsyncDisposable {
  /** Starts a shell for this sandbox soon, unless one is already waiting. */
  prepare(isolation: Isolation | undefined): void;
  /** Reserves the prepared shell; call its `run` with the command. Undefined: no prepared shell fits. */
  take(command: string, cwd: string, options: ReadyOptions): ReservedShell | undefined;
}

export type ReadyOptions = ExecOptions & { readonly isolation?: Isolation | undefined };

export interface ReservedShell {
  readonly pipe: Pipe;
  /** Runs the command; `take` receives the output. */
  run(take: (chunk: Uint8Array) => boolean): StartedShell;
}

export interface ReadyShellDeps {
  readonly shell: LocalShell;
  readonly pipes: Pipes;
  /** False: this kind of shell cannot be prepared in advance. */
  readonly isAble: boolean;
  readonly clock: Clock;
}

/** Output is passed to the command that currently owns the shell. */
interface Output {
  take: (chunk: Uint8Array) => boolean;
}

interface Waiting {
  readonly shell: WaitingShell;
  readonly pipe: Pipe;
  readonly output: Output;
  readonly idle: Disposable;
}

export function createReadyShell({ shell, pipes, isAble, clock }: ReadyShellDeps): ReadyShell {
  let waiting: Waiting | undefined;
  let soon: NodeJS.Immediate | undefined;
  let starting: Promise<void> | undefined;
  const leaving = new Set<Promise<void>>();
  let isClosed = !isAble;

  async function start(isolation: Isolation | undefined): Promise<void> {
    const pipe = await pipes.take();
    if (!pipe.ok) return;
    const output: Output = { take: () => true };
    const take = (chunk: Uint8Array) => output.take(chunk);
    const prepared = await shell.prepare({ pipe: pipe.value, take, isolation });
    if (!prepared.ok) return;
    const idle = clock.after(idleMs, dismiss);
    const created = { shell: prepared.value, pipe: pipe.value, output, idle };
    waiting = created;
    // A prepared shell that exits is replaced.
    void prepared.value.exited.then(() => waiting === created && dismiss());
    if (isClosed) dismiss();
  }

  function dismiss(): void {
    if (!waiting) return;
    const work = end(waiting).finally(() => leaving.delete(work));
    leaving.add(work);
    waiting = undefined;
  }

  /** Resolves when the shell and all its child processes have ended. */
  async function end({ shell: { dismiss: tell, exited, tree, output, isOver }, pipe, idle }: Waiting): Promise<void> {
    idle[Symbol.dispose]();
    tell();
    const waited = await waitFor(exited, { ms: farewellMs, clock });
    if (waited.how !== "done" || !isOver(tree.leftNow())) await tree.end();
    const farewell = await waitFor(output.ended, { ms: farewellMs, clock });
    if (farewell.how !== "done") output.stop();
    pipe.giveBack(output.isAtEnd);
  }

  return {
    prepare(isolation) {
      if (isClosed || waiting || soon || starting) return;
      // Delayed, so that the current model request is sent first.
      soon = setImmediate(() => {
        soon = undefined;
        // Ignores the error: the next command starts its own shell and reports the error.
        starting = start(isolation)
          .catch(() => {})
          .finally(() => (starting = undefined));
      });
    },
    take(command, cwd, options) {
      // A shell that is still starting is not used, because the command would have to wait for it.
      clearImmediate(soon);
      soon = undefined;
      if (!waiting || !isPlain(command, options)) return undefined;
      if (!waiting.shell.fits(cwd, options.isolation)) {
        dismiss();
        return undefined;
      }
      const { shell: running, pipe, output, idle } = waiting;
      waiting = undefined;
      idle[Symbol.dispose]();
      return {
        pipe,
        run(take) {
          output.take = take;
          running.run(command);
          return running;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearImmediate(soon);
      await starting;
      dismiss();
      await Promise.all(leaving);
    },
  };
}

/** The command is short and has no other input, because a shell reads a pipe byte by byte. */
function isPlain(command: string, { env, stdin, pty, sudoPassword }: ReadyOptions): boolean {
  const isBare = stdin === undefined && pty === undefined && sudoPassword === undefined;
  return isBare && command.length <= maxChars && Object.keys(env ?? {}).length === 0;
}

const maxChars = 2_000;
/** Maximum age of a waiting shell. */
const idleMs = 120_000;
const farewellMs = 500;
