import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type {
  EnvironmentError,
  ProcessHandle,
  ProcessOwner,
  PtySize,
  SpawnOptions,
} from "../../contracts/environment/environment.ts";
import { lastOutput } from "../../contracts/environment/process-output.ts";
import { runMarker } from "../child-environment.ts";
import { terminalVariables } from "../pty/terminal-variables.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { sendCode } from "./run-remote.ts";
import { environmentError, runScript } from "./run-script.ts";
import { checkStart, inTerminal, type TerminalDeps } from "./run-terminal.ts";
import { terminalScript } from "./terminal-scripts.ts";
import { treeFunctions } from "./tree-script.ts";

export interface TerminalProcessDeps extends TerminalDeps {
  readonly supervisor: Supervisor;
  /** The backend and its machine, such as `ssh:me@host:22`. */
  readonly place: string;
}

/**
 * A background process with a terminal. The supervisor of this machine owns the backend's client and keeps its screen
 * and output; the remote process ends when its terminal closes.
 */
export async function spawnInTerminal(
  command: string,
  cwd: string,
  options: SpawnOptions & { readonly pty: PtySize; readonly owner: ProcessOwner },
  deps: TerminalProcessDeps,
  signal: AbortSignal,
): Promise<Result<ProcessHandle, EnvironmentError>> {
  const { shell, link } = deps;
  const { machine } = shell;
  const marker = randomHex(8);
  const env = { PYTHONUNBUFFERED: "1", ...terminalVariables, ...options.env };
  const start = { cwd, env, saveTo: `${machine.folder}/left-${marker}`, isTerminal: true };
  const ready = await checkStart(command, start, deps, signal);
  if (!ready.ok) return ready;
  if ("missingLevels" in ready.value) return err({ kind: "refused", message: `the folder ${cwd} does not exist` });
  const sent = await sendCode(ready.value, marker, deps, signal);
  if (!sent.ok) return sent;
  const script = terminalScript(machine, { marker, cwd, variables: ready.value.variables, code: sent.value.text });
  const client = inTerminal(deps.terminal(script, options.pty));
  const localMarker = randomHex(8);
  const started = await deps.supervisor.start(
    {
      ...client,
      command,
      cwd,
      place: deps.place,
      backend: link.kind,
      owner: options.owner,
      env: { ...client.env, [runMarker]: localMarker },
      marker: localMarker,
      pty: options.pty,
    },
    signal,
  );
  if (!started.ok) return started;
  const handle = terminalProcess(started.value, deps);
  const opened = await awaitStart(handle, marker, deps, signal);
  if (opened.ok) return ok(handle);
  await handle.remove(new AbortController().signal);
  return opened;
}

/**
 * Waits until the command has started. A busy machine may need a long time; if the client ends first, the start has
 * failed.
 */
async function awaitStart(
  handle: ProcessHandle,
  marker: string,
  { link, shell }: TerminalProcessDeps,
  signal: AbortSignal,
): Promise<Result<void, EnvironmentError>> {
  let isEnded = false;
  for (let round = 0; round < 60 && !isEnded; round++) {
    // Reads the state of the client before the check, because a short command may end right after its start.
    isEnded = (await handle.ending(signal)) !== undefined;
    const checked = await runScript(link, begunScript(shell.machine.folder, marker, handle.id), { signal });
    if (!checked.ok) return err(environmentError(checked.error));
    if (checked.value.exitCode === 0) return ok(undefined);
  }
  const reason = (await lastOutput(handle, 500, signal)).trim();
  const problem = isEnded ? "could not open a terminal" : "did not open a terminal in two minutes";
  return err({
    kind: "unreachable",
    message: `the ${link.kind} backend ${problem}${reason === "" ? "" : `: ${reason}`}`,
    hint: "Try again, or start the process without pty.",
  });
}

/** Lists the processes of the home that run in terminals on this backend. */
export async function listInTerminals(
  deps: TerminalProcessDeps,
  signal: AbortSignal,
): Promise<Result<readonly ProcessHandle[], EnvironmentError>> {
  const listed = await deps.supervisor.list(signal, deps.place);
  return listed.ok ? ok(listed.value.map((handle) => terminalProcess(handle, deps))) : listed;
}

/**
 * Wraps a process so that killing it also kills its processes on the backend, even if its terminal is already closed.
 */
function terminalProcess(handle: ProcessHandle, { link, shell }: TerminalProcessDeps): ProcessHandle {
  const endThere = (signal: AbortSignal) =>
    runScript(link, endNotedScript(shell.machine.folder, handle.id), { signal });
  return {
    id: handle.id,
    command: handle.command,
    cwd: handle.cwd,
    backend: handle.backend,
    pid: handle.pid,
    startedAt: handle.startedAt,
    owner: handle.owner,
    isTerminal: handle.isTerminal,
    ending: (signal) => handle.ending(signal),
    wait: (signal) => handle.wait(signal),
    output: (from, signal) => handle.output(from, signal),
    screen: (signal) => handle.screen(signal),
    resize: (size, signal) => handle.resize(size, signal),
    write: (bytes, signal) => handle.write(bytes, signal),
    closeInput: (signal) => handle.closeInput(signal),
    async kill(signal) {
      // Kills the local client first, so that the process counts as killed and not as exited.
      const killed = await handle.kill(signal);
      await endThere(signal);
      return killed;
    },
    async remove(signal) {
      await handle.remove(signal);
      await endThere(signal);
    },
  };
}

/** Waits two seconds for the start of the command, then records its marker. */
function begunScript(folder: string, marker: string, id: string): string {
  const file = quoteForShell(`${folder}/tty-${marker}`);
  return `
n=0; while [ ! -s ${file} ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.02 || sleep 1; done
[ -s ${file} ] || exit 1
(umask 077; printf '%s\\n' ${marker} >${quoteForShell(`${folder}/id-${id}`)})
exit 0`;
}

function endNotedScript(folder: string, id: string): string {
  const note = quoteForShell(`${folder}/id-${id}`);
  return `
read -r m <${note} || exit 0
D=${quoteForShell(folder)}; g=-1; known=
{ read -r g <"$D/tty-$m"; } 2>/dev/null
${treeFunctions}
end_tree
rm -f "$D/tty-$m" "$D/left-$m" ${note}
exit 0`;
}
