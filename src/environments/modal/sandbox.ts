import type { ModalClient, Sandbox } from "modal";

import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type ModalFault, modalFault } from "./modal-fault.ts";
import type { Snapshots } from "./snapshots.ts";

export interface ModalPlan {
  readonly taskId: string;
  /** Unique among running sandboxes. */
  readonly name: string;
  readonly image: string;
  readonly cpu: number;
  readonly memoryMib: number;
  /** Modal ends the sandbox after this time. */
  readonly lifetimeMs: number;
  /** The snapshot to restore when the sandbox is created. Missing: always the plain image. */
  readonly snapshots?: Snapshots;
}

export interface ModalCredentials {
  /** Default: the credentials in the user's `.modal.toml`. */
  readonly tokenId?: string;
  readonly tokenSecret?: string;
}

/**
 * Loads the SDK. The SDK keeps one connection to Modal open until the program ends, so all sandboxes share one client.
 */
export async function connectModal(
  { tokenId, tokenSecret }: ModalCredentials,
  log: Logger,
): Promise<Result<ModalClient, ModalFault>> {
  const tell = (level: "warn" | "error") => (message: string) => log[level]("modal.sdk", { message });
  try {
    const { ModalClient } = await import("modal");
    const client = new ModalClient({
      ...(tokenId === undefined ? {} : { tokenId }),
      ...(tokenSecret === undefined ? {} : { tokenSecret }),
      maxThrottleWaitSecs: throttleSeconds,
      // The SDK's logs would appear in the user's terminal, including commands.
      logger: { debug() {}, info() {}, warn: tell("warn"), error: tell("error") },
    });
    return ok(client);
  } catch (thrown) {
    return err(modalFault(thrown));
  }
}

export interface ModalSandbox {
  readonly sandbox: Sandbox;
  readonly isNew: boolean;
}

/** Returns the running sandbox of the task, else a new one with the saved files. */
export async function findOrCreateSandbox(
  client: ModalClient,
  plan: ModalPlan,
  signal: AbortSignal,
  clock: Clock,
): Promise<Result<ModalSandbox, ModalFault>> {
  const running = await find(client, plan.name);
  if (!running.ok) return running;
  if (running.value) return ok(running.value);
  const kept = (await plan.snapshots?.find(plan.taskId)) ?? ok(undefined);
  if (!kept.ok) return err({ kind: "settings", message: kept.error });
  const created = await make(client, plan, kept.value, signal, clock);
  if (created.ok || kept.value === undefined || !["gone", "settings"].includes(created.error.kind)) return created;
  return err(await unrestored(plan, kept.value, created.error, signal));
}

async function find(client: ModalClient, name: string): Promise<Result<ModalSandbox | undefined, ModalFault>> {
  try {
    return ok({ sandbox: await client.sandboxes.fromName(appName, name), isNew: false });
  } catch (thrown) {
    const fault = modalFault(thrown);
    return fault.kind === "gone" ? ok(undefined) : err(fault);
  }
}

async function make(
  client: ModalClient,
  { name, image, cpu, memoryMib, lifetimeMs }: ModalPlan,
  snapshotId: string | undefined,
  signal: AbortSignal,
  clock: Clock,
): Promise<Result<ModalSandbox, ModalFault>> {
  try {
    const app = await client.apps.fromName(appName, { createIfMissing: true });
    const from = snapshotId === undefined ? client.images.fromRegistry(image) : await client.images.fromId(snapshotId);
    const command = ["sleep", "infinity"];
    const options = { name, command, cpu, memoryMiB: memoryMib, timeoutMs: lifetimeMs };
    return ok({ sandbox: await client.sandboxes.create(app, from, options), isNew: true });
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== "AlreadyExistsError") return err(modalFault(thrown));
    return waitForOther(client, name, signal, clock);
  }
}

/** Another program creates it at the same moment: it will appear soon. */
async function waitForOther(
  client: ModalClient,
  name: string,
  signal: AbortSignal,
  clock: Clock,
): Promise<Result<ModalSandbox, ModalFault>> {
  for (let look = 0; look < maxLooks; look++) {
    const match = await find(client, name);
    if (!match.ok) return match;
    if (match.value) return ok(match.value);
    if (!(await trySleep(lookMs, signal, clock))) return err({ kind: "aborted", message: "interrupted" });
  }
  return err({
    kind: "unclear",
    message: `the name ${name} is in use, but there is no such sandbox`,
    hint: "Look for it in the dashboard of Modal, or try again later.",
  });
}

/**
 * If the saved files cannot be restored, this call fails, so that they are not dropped silently; the next call starts
 * from the plain image.
 */
async function unrestored(
  { taskId, image, snapshots }: ModalPlan,
  snapshotId: string,
  { kind, message, hint }: ModalFault,
  signal: AbortSignal,
): Promise<ModalFault> {
  if (kind === "settings" && message.includes("credentials")) return { kind, message, ...(hint ? { hint } : {}) };
  const aside = await snapshots?.setAside(taskId, signal);
  const where = aside?.ok ? `It stays listed as ${aside.value} in modal_snapshots.json. ` : "";
  return {
    kind: "settings",
    message: `the saved files of this task (snapshot ${snapshotId}) could not be restored: ${message}`,
    hint: `${where}Try again to start without them, from the image ${image}.`,
  };
}

const appName = "hermes-agent";
const maxLooks = 50;
const lookMs = 200;
const throttleSeconds = 30;
