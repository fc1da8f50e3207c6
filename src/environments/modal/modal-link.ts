import type { ContainerProcess, ModalClient, Sandbox } from "modal";

import { abortable } from "../../base/async/abort.ts";
import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createHostedLink, type HostedLink } from "../hosted/hosted-link.ts";
import { linkFaultOf } from "../hosted/service-fault.ts";
import type { LinkEnd, LinkStreams } from "../remote/link.ts";
import { createExitMark } from "./exit-mark.ts";
import { type ModalFault, modalFault } from "./modal-fault.ts";
import { findOrCreateSandbox, type ModalPlan } from "./sandbox.ts";
import { followScript } from "./script-process.ts";

export interface ModalLinkDeps {
  /** One client, shared by all links. */
  client(): Promise<Result<ModalClient, ModalFault>>;
  readonly plan: ModalPlan;
  /** Reports a notice to the user, as a sentence. */
  readonly say: (message: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createModalLink({ client, plan, say, clock, log }: ModalLinkDeps): HostedLink {
  const { snapshots, taskId, lifetimeMs } = plan;
  const closing = new AbortController();
  let starting: Promise<Result<Used, ModalFault>> | undefined;
  let isFirst = true;

  async function start(): Promise<Result<Used, ModalFault>> {
    const connected = await client();
    if (!connected.ok) return connected;
    const match = await findOrCreateSandbox(connected.value, plan, closing.signal, clock);
    if (!match.ok) return match;
    const { sandbox, isNew } = match.value;
    if (isNew && !isFirst) say(snapshots ? renewed : emptied);
    isFirst = false;
    // Changes are lost when Modal ends the sandbox, so save a snapshot shortly before.
    const timer = clock.after(lifetimeMs * 0.9, () => void (isNew && keep(sandbox)));
    return ok({ sandbox, timer, usedAt: clock.elapsed() });
  }

  /** Shared by all callers; a caller that aborts does not cancel it for the others. */
  async function ready(signal: AbortSignal): Promise<Result<Used, ModalFault>> {
    for (;;) {
      const current = (starting ??= start());
      const used = await abortable(current, signal);
      if (!used.ok) {
        drop(current);
        return used;
      }
      const isFresh = clock.elapsed() - used.value.usedAt < freshMs;
      if (isFresh || (await abortable(isRunning(used.value.sandbox), signal))) return used;
      drop(current);
    }
  }

  /** The next call looks for the sandbox again. */
  function drop(current: Promise<Result<Used, ModalFault>>): void {
    if (starting !== current) return;
    starting = undefined;
    void current.then((used) => used.ok && letGo(used.value));
  }

  /** Undefined: the files could not be saved. */
  async function keep(sandbox: Sandbox): Promise<string | undefined> {
    if (!snapshots) return undefined;
    try {
      const { imageId } = await sandbox.snapshotFilesystem({ timeoutMs: snapshotMs, ttlMs: null });
      const kept = await snapshots.keep(taskId, imageId, AbortSignal.timeout(snapshotMs));
      if (kept.ok) return imageId;
      log.error("modal.snapshot_not_listed", { taskId, imageId, error: kept.error });
    } catch (thrown) {
      log.error("modal.files_not_kept", { taskId, sandbox: sandbox.sandboxId, error: modalFault(thrown).message });
    }
    return undefined;
  }

  /** Starts a program in the sandbox. Recreates a sandbox that no longer exists, once. */
  async function exec(args: string[], signal: AbortSignal): Promise<Result<ContainerProcess<Uint8Array>, ModalFault>> {
    for (let isSecond = false; ; isSecond = true) {
      const used = await ready(signal);
      if (!used.ok) return used;
      const current = starting;
      try {
        const process = await abortable(used.value.sandbox.exec(args, { mode: "binary" }), signal);
        used.value.usedAt = clock.elapsed();
        return ok(process);
      } catch (thrown) {
        signal.throwIfAborted();
        const fault = modalFault(thrown);
        const isGone = fault.kind === "gone" || !(await abortable(isRunning(used.value.sandbox), signal));
        if (isGone && current) drop(current);
        // If the start was refused, the script has not started; after any other error that is unknown.
        if (fault.kind !== "gone" || isSecond) return err(fault);
      }
    }
  }

  async function run(script: string, streams: LinkStreams): Promise<LinkEnd> {
    const { signal } = streams;
    const id = randomHex(8);
    const mark = createExitMark(id, streams.onControl);
    let text = mark.wrap(script);
    if (Buffer.byteLength(text) > maxArgumentBytes) {
      const sent = await send(id, script, signal);
      if (sent) return sent;
      text = mark.wrap(fromFile(id));
    }
    const started = await exec(["sh", "-c", text], signal);
    if (!started.ok) return linkFaultOf(started.error);
    return followScript(started.value, mark, streams, clock);
  }

  /** Uploads a script that is too long for an argument. */
  async function send(id: string, script: string, signal: AbortSignal): Promise<LinkEnd | undefined> {
    const stdin = Buffer.from(script);
    const ignored = { signal, resume: () => Promise.resolve(), onOutput: () => true, onControl: () => undefined };
    const sent = await run(`umask 077; cat >${fileOf(id)}`, { ...ignored, stdin });
    if (sent.how !== "exit") return sent;
    return sent.exitCode === 0
      ? undefined
      : linkFaultOf({ kind: "unclear", message: "the sandbox has no space for a script" });
  }

  async function close(staysOn: boolean): Promise<void> {
    closing.abort(new Error("the environment was closed"));
    if (!starting) return;
    const waited = await waitFor(starting, { ms: startGraceMs, clock });
    // A sandbox that is created after closing is terminated at once.
    if (waited.how !== "done") void starting.then((late) => (late.ok ? end(late.value, staysOn) : undefined));
    else if (waited.value.ok) await end(waited.value.value, staysOn);
  }

  async function end(used: Used, staysOn: boolean): Promise<void> {
    const { sandbox } = used;
    try {
      const isKept = !snapshots || (await keep(sandbox)) !== undefined;
      // Unsaved files exist only in the sandbox; Modal ends it after its timeout.
      if (!staysOn && isKept) await sandbox.terminate();
    } catch (thrown) {
      log.warn("modal.not_closed", { sandbox: sandbox.sandboxId, error: modalFault(thrown).message });
    } finally {
      letGo(used);
    }
  }

  return createHostedLink({ kind: "modal", isUsed: () => starting !== undefined, run, close, closeMs, clock });
}

interface Used {
  readonly sandbox: Sandbox;
  readonly timer: Disposable;
  usedAt: number;
}

function letGo({ sandbox, timer }: Used): void {
  timer[Symbol.dispose]();
  sandbox.detach();
}

/** Whether background processes may be running. Also true when that cannot be determined. */
async function isRunning(sandbox: Sandbox): Promise<boolean> {
  try {
    return (await sandbox.poll()) === null;
  } catch (thrown) {
    return modalFault(thrown).kind !== "gone";
  }
}

function fileOf(id: string): string {
  return `"\${TMPDIR:-/tmp}/hermes-script-${id}"`;
}

function fromFile(id: string): string {
  return `s=$(cat ${fileOf(id)}); rm -f ${fileOf(id)}; eval "$s"`;
}

const renewed = "Modal had ended the sandbox. The new one has the files of the last snapshot; later changes are lost.";
const emptied = "Modal had ended the sandbox. The new one does not have its files.";
/** Modal's limit for all arguments together. */
const maxArgumentBytes = 60_000;
/** After a longer pause the sandbox may no longer exist, so it is checked first. */
const freshMs = 60_000;
const snapshotMs = 55_000;
const startGraceMs = 20_000;
const closeMs = 120_000;
