import { sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result, type Failure, valueOr } from "../../base/result.ts";
import type {
  EnvironmentError,
  ProcessEnding,
  ProcessHandle,
  ProcessOwner,
} from "../../contracts/environment/environment.ts";
import type { BackendShell } from "./backend-shell.ts";
import { signalName } from "./exec-result.ts";
import type { Link, LinkFault } from "./link.ts";
import {
  closeInputScript,
  killScript,
  listProcessesScript,
  outputScript,
  processCodes,
  remoteProcessFolder,
  spawnScript,
  statusScript,
  watcherCode,
  writeInputScript,
} from "./process-scripts.ts";
import { environmentError, runScript, type ScriptEnd } from "./run-script.ts";

export interface RemoteProcessDeps {
  readonly link: Link;
  readonly shell: BackendShell;
  readonly clock: Clock;
}

interface Meta {
  readonly id: string;
  readonly marker: string;
  readonly command: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly owner: ProcessOwner;
}

/** Starts a process that runs on the backend independently of this program and the connection. */
export async function spawnRemote(
  command: string,
  cwd: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly owner: ProcessOwner },
  deps: RemoteProcessDeps,
  signal: AbortSignal,
): Promise<Result<ProcessHandle, EnvironmentError>> {
  const { link, shell, clock } = deps;
  const { machine } = shell;
  const id = `proc_${randomHex(6)}`;
  const meta: Meta = { id, marker: randomHex(8), command, cwd, startedAt: clock.now(), owner: options.owner };
  const folder = remoteProcessFolder(machine, id);
  const code = shell.standalone(command, {
    cwd,
    env: { PYTHONUNBUFFERED: "1", ...options.env },
    saveTo: `${folder}/left`,
    scriptAt: `${folder}/state`,
  });
  const watcher = Buffer.from(watcherCode(machine, { id, marker: meta.marker, cwd, code }), "latin1");
  const stdin = Buffer.concat([Buffer.from(`${JSON.stringify(meta)}\n`), watcher]);
  const ran = await runScript(link, spawnScript(machine, id, cwd, watcher.length), { signal, stdin });
  if (!ran.ok) return err(environmentError(ran.error));
  const { exitCode, out, errorText: stderr } = ran.value;
  if (exitCode === processCodes.noFolder) return err({ kind: "refused", message: `the folder ${cwd} does not exist` });
  if (exitCode !== 0) return err({ kind: "unreachable", message: `the process could not be started: ${stderr}` });
  return ok(remoteProcess(meta, Number(out.toString()), deps));
}

/** All processes of this home on the backend, oldest first. */
export async function listRemote(
  deps: RemoteProcessDeps,
  signal: AbortSignal,
): Promise<Result<readonly ProcessHandle[], EnvironmentError>> {
  const ran = await runScript(deps.link, listProcessesScript(deps.shell.machine), { signal });
  if (!ran.ok) return err(environmentError(ran.error));
  const fields = ran.value.out.toString().split("\0");
  const handles: ProcessHandle[] = [];
  for (let index = 0; index + 4 <= fields.length; index += 4) {
    const [id = "", text = "", pid = ""] = fields.slice(index, index + 4);
    const meta = readMeta(text, id);
    if (meta) handles.push(remoteProcess(meta, pid === "" ? undefined : Number(pid), deps));
  }
  return ok(handles.toSorted((a, b) => a.startedAt - b.startedAt));
}

function readMeta(text: string, id: string): Meta | undefined {
  const meta = valueOr(() => JSON.parse(text) as Meta | null, null);
  const isOurs = meta?.id === id && /^proc_[0-9a-f]{12}$/u.test(id) && /^[0-9a-f]{16}$/u.test(meta.marker);
  return isOurs ? meta : undefined;
}

function remoteProcess(meta: Meta, pid: number | undefined, { link, shell, clock }: RemoteProcessDeps): ProcessHandle {
  const { id, marker, startedAt } = meta;
  const { machine } = shell;
  let knownEnding: ProcessEnding | undefined;

  const run = (script: string, signal: AbortSignal, stdin?: Uint8Array) =>
    runScript(link, script, { signal, ...(stdin && { stdin }) });

  function endingIn({ exitCode, out }: ScriptEnd): ProcessEnding | undefined {
    if (exitCode === processCodes.gone) return knownEnding ?? { how: "lost", endedAt: startedAt };
    const [how = "", status = "", ms = ""] = out.toString().trim().split(" ");
    if (how === "running") return undefined;
    knownEnding ??= endingOf(how, Number(status), startedAt + Number(ms), clock.now());
    return knownEnding;
  }

  async function status(
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<Result<ProcessEnding | undefined, LinkFault>> {
    if (knownEnding) return ok(knownEnding);
    const ran = await run(statusScript(machine, id, waitSeconds), signal);
    return ran.ok ? ok(endingIn(ran.value)) : ran;
  }

  async function end(isRemoved: boolean, signal: AbortSignal): Promise<Result<ProcessEnding>> {
    const ran = await run(killScript(machine, id, marker, isRemoved), signal);
    if (!ran.ok) return err(faultOf(ran.error));
    return ok(endingIn(ran.value) ?? { how: "killed", endedAt: clock.now() });
  }

  async function feed(script: string, signal: AbortSignal, bytes?: Uint8Array): Promise<Result<void>> {
    const ran = await run(script, signal, bytes);
    if (!ran.ok) return err(faultOf(ran.error));
    return ran.value.exitCode === 0 ? ok(undefined) : err({ message: "its input is closed" });
  }

  return {
    id,
    command: meta.command,
    cwd: meta.cwd,
    backend: link.kind,
    pid,
    startedAt,
    owner: meta.owner,
    isTerminal: false,
    async ending(signal) {
      const result = await status(0, signal);
      if (!result.ok) throw broken(result.error, signal);
      return result.value;
    },
    async wait(signal) {
      for (;;) {
        signal.throwIfAborted();
        const result = await status(waitSeconds, signal);
        if (result.ok && result.value) return result.value;
        signal.throwIfAborted();
        // Assumes that the process continues to run although the backend cannot be reached now.
        if (!result.ok) await sleep(retryMs, signal, clock);
      }
    },
    async output(from, signal) {
      const start = Math.max(0, Math.floor(from) || 0);
      const ran = await run(outputScript(machine, id, start), signal);
      if (!ran.ok) throw broken(ran.error, signal);
      if (ran.value.exitCode !== 0) return { bytes: new Uint8Array(), next: start, total: start };
      const { out } = ran.value;
      const line = out.indexOf("\n");
      const [first = 0, total = 0] = out.subarray(0, line).toString().split(" ").map(Number);
      const bytes = out.subarray(line + 1);
      return { bytes, next: first + bytes.length, total: Math.max(total, first + bytes.length) };
    },
    screen: () => Promise.resolve(err(noTerminal)),
    resize: () => Promise.resolve(err(noTerminal)),
    write: (bytes, signal) => feed(writeInputScript(machine, id), signal, bytes),
    closeInput: (signal) => feed(closeInputScript(machine, id), signal),
    async kill(signal) {
      return knownEnding ? ok(knownEnding) : end(false, signal);
    },
    async remove(signal) {
      await end(true, signal);
    },
  };
}

const waitSeconds = 25;
const retryMs = 2_000;

const noTerminal: Failure = { message: "it has no terminal; start it with pty: true" };

function endingOf(how: string, status: number, endedAt: number, now: number): ProcessEnding {
  if (how === "lost") return { how: "lost", endedAt: now };
  const signal = status > 128 ? signalName(status - 128) : undefined;
  if (how === "exited" || signal === undefined) return { how: "exited", exitCode: status, endedAt };
  return { how: "killed", signal, endedAt };
}

function faultOf(fault: LinkFault): Failure {
  const { message, hint } = environmentError(fault);
  return { message: hint === undefined ? message : `${message}. ${hint}` };
}

function broken(fault: LinkFault, signal: AbortSignal): unknown {
  return fault.how === "aborted" && signal.aborted ? signal.reason : new Error(faultOf(fault).message);
}
