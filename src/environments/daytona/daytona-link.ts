import { abortable, sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { isObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createHostedLink, type HostedLink } from "../hosted/hosted-link.ts";
import { linkFaultOf } from "../hosted/service-fault.ts";
import type { LinkEnd, LinkStreams } from "../remote/link.ts";
import type { ApiFault, DaytonaApi } from "./daytona-api.ts";
import type { RunningSandbox, Sandbox } from "./sandbox.ts";
import {
  type ScriptRequest,
  maxInlineBytes,
  readReport,
  type RunPosition,
  type RunReport,
  scriptRuns,
} from "./script-runs.ts";

export interface DaytonaLinkDeps {
  readonly api: DaytonaApi;
  readonly sandbox: Sandbox;
  /** The sandbox and its files are kept for the next session. */
  readonly isPersistent: boolean;
  /** Folder for temporary files in the sandbox. */
  readonly tempFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createDaytonaLink(deps: DaytonaLinkDeps): HostedLink {
  const { api, sandbox, isPersistent, clock, log } = deps;
  const runs = scriptRuns(deps.tempFolder);
  const closing = new AbortController();
  const done = new Set<string>();
  let starting: Promise<Result<RunningSandbox, ApiFault>> | undefined;

  /** Shared by all callers; a caller that aborts does not cancel it for the others. */
  async function ready(signal: AbortSignal): Promise<Result<RunningSandbox, ApiFault>> {
    const current = (starting ??= start());
    try {
      const result = await abortable(current, signal);
      if (!result.ok && starting === current) starting = undefined;
      return result;
    } catch {
      return err(interrupted);
    }
  }

  async function start(): Promise<Result<RunningSandbox, ApiFault>> {
    const running = await sandbox.ready(closing.signal);
    if (!running.ok) return running;
    const prepared = await execute(running.value, runs.prepare, true, closing.signal);
    return prepared.ok ? running : prepared;
  }

  /** Runs a command in the sandbox. `commandFor` gets the ids of runs whose records can be deleted. */
  async function execute(
    { toolboxUrl }: RunningSandbox,
    commandFor: (request: ScriptRequest) => string,
    isRepeatable: boolean,
    signal: AbortSignal,
  ): Promise<Result<string, ApiFault>> {
    const forgotten = [...done].slice(0, maxForgotten);
    const command = commandFor({ waitMs, done: forgotten });
    const timeoutMs = waitMs + graceMs;
    const body = { command, timeout: Math.ceil(timeoutMs / 1000) };
    const url = `${toolboxUrl}/process/execute`;
    const ran = await api.send({ method: "POST", url, body, timeoutMs, isRepeatable }, signal);
    if (!ran.ok) return ran;
    for (const id of forgotten) done.delete(id);
    const result = isObject(ran.value) ? ran.value["result"] : undefined;
    return typeof result === "string"
      ? ok(result)
      : err({ kind: "unclear", message: "the response does not come from Daytona" });
  }

  async function upload(
    { toolboxUrl }: RunningSandbox,
    files: readonly (readonly [path: string, bytes: Uint8Array | string])[],
    signal: AbortSignal,
  ): Promise<Result<unknown, ApiFault>> {
    if (files.length === 0) return ok(undefined);
    const body = new FormData();
    for (const [index, [path, bytes]] of files.entries()) {
      body.append(`files[${index}].path`, path);
      body.append(
        `files[${index}].file`,
        new Blob([typeof bytes === "string" ? bytes : Uint8Array.from(bytes)]),
        "part",
      );
    }
    const url = `${toolboxUrl}/files/bulk-upload`;
    return api.send({ method: "POST", url, body, timeoutMs: uploadMs, isRepeatable: true }, signal);
  }

  /** Waits until the service confirms that the script has started or will never start. */
  async function begin(id: string, script: string, { stdin, signal }: LinkStreams): Promise<Began> {
    const isInline = Buffer.byteLength(script) <= maxInlineBytes;
    const hasInput = stdin !== undefined && stdin.length > 0;
    const files = [
      ...(isInline ? [] : [[runs.pathOf(id, "script"), script] as const]),
      ...(hasInput ? [[runs.pathOf(id, "stdin"), stdin] as const] : []),
    ];
    for (let isSecond = false; ; isSecond = true) {
      const running = await ready(signal);
      if (!running.ok) return running;
      const uploaded = await upload(running.value, files, signal);
      const command = (request: ScriptRequest) =>
        runs.begin({ id, hasInput, ...(isInline ? { script } : {}) }, request);
      const result = uploaded.ok ? await execute(running.value, command, false, signal) : uploaded;
      if (result.ok) return ok({ running: running.value, report: reported(result.value, startOf(id)) });
      // The sandbox may have been stopped. Look for it again; a rejected script has not started.
      if (["absent", "refused"].includes(result.error.kind) && !isSecond) starting = undefined;
      else if (result.error.kind === "unclear" && uploaded.ok) return recover(id, running.value, result.error, signal);
      else return result;
    }
  }

  /** The response to the start was lost: ask the sandbox whether the script started. */
  async function recover(id: string, running: RunningSandbox, fault: ApiFault, signal: AbortSignal): Promise<Began> {
    const result = await execute(running, (request) => runs.ask(startOf(id), request), true, signal);
    if (!result.ok) return result.error.kind === "aborted" ? result : err(fault);
    const report = reported(result.value, startOf(id));
    return report.ok && report.value.is === "void" ? err(fault) : ok({ running, report });
  }

  async function run(id: string, script: string, streams: LinkStreams): Promise<LinkEnd> {
    const { signal } = streams;
    const began = await begin(id, script, streams);
    if (!began.ok) return linkFaultOf(began.error);
    const { running } = began.value;
    let { report } = began.value;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      if (!report.ok) return linkFaultOf(report.error);
      const { is, exitCode, output, control, next } = report.value;
      if (control.length > 0) streams.onControl(control);
      if (output.length > 0 && !streams.onOutput(output)) await abortable(streams.resume(), signal);
      if (is === "ended") return { how: "exit", exitCode };
      if (is !== "running") return linkFaultOf(is === "void" ? deleted : cut);
      if (output.length < busyBytes) await sleep(pauseMs, signal, clock);
      const result = await execute(running, (request) => runs.ask(next, request), true, signal);
      report = result.ok ? reported(result.value, next) : result;
    }
  }

  async function forgetAll(running: RunningSandbox, signal: AbortSignal): Promise<void> {
    while (done.size > 0) {
      const forgot = await execute(running, runs.forget, true, signal);
      if (!forgot.ok) return;
    }
  }

  async function close(staysOn: boolean): Promise<void> {
    closing.abort(new Error("the environment was closed"));
    const running = await starting;
    const signal = AbortSignal.timeout(lastMs);
    if (running?.ok && (isPersistent || staysOn)) await forgetAll(running.value, signal);
    if (staysOn) return;
    const closed = isPersistent ? await sandbox.stop(signal) : await sandbox.delete(signal);
    if (!closed.ok) log.warn("daytona.not_closed", { isPersistent, error: closed.error.message });
  }

  return createHostedLink({
    kind: "daytona",
    isUsed: () => starting !== undefined,
    async run(script, streams) {
      const id = randomHex(8);
      try {
        return await run(id, script, streams);
      } finally {
        done.add(id);
      }
    },
    close,
    closeMs,
    clock,
  });
}

type Began = Result<{ readonly running: RunningSandbox; readonly report: Result<RunReport, ApiFault> }, ApiFault>;

function startOf(id: string): RunPosition {
  return { id, piece: 0, controlBytes: 0 };
}

function reported(result: string, position: RunPosition): Result<RunReport, ApiFault> {
  const report = readReport(result, position);
  if (report) return ok(report);
  const output = result.trim().slice(0, 300);
  return err({ kind: "unclear", message: `the sandbox cannot run scripts: ${output || "no error message"}` });
}

const interrupted: ApiFault = { kind: "aborted", message: "interrupted" };
const deleted: ApiFault = {
  kind: "unclear",
  message: "the sandbox lost the command because its temporary files were deleted",
};
const cut: ApiFault = {
  kind: "unclear",
  message: "the sandbox could not store the command's output: its disk is full",
  hint: "Free some space in it, or set a larger container_disk.",
};

const waitMs = 20_000;
const graceMs = 30_000;
const uploadMs = 300_000;
const lastMs = 30_000;
/** Includes the time to start a sandbox. */
const closeMs = 90_000;
const firstPauseMs = 10;
const maxPauseMs = 250;
/** Output that arrives faster than this is fetched without a pause. */
const busyBytes = 256 * 1024;
const maxForgotten = 50;
