import { sha256 } from "../../base/digest.ts";
import { err, ok } from "../../base/result.ts";
import type { EnvironmentError, EnvironmentFactory } from "../../contracts/environment/environment.ts";
import { keepMachineOn } from "../hosted/keep-machine-on.ts";
import { machineName } from "../hosted/machine-name.ts";
import { createRemoteEnvironment, type RemoteDeps } from "../remote/remote-environment.ts";
import { interrupted } from "../run-failures.ts";
import { createModalLink, type ModalLinkDeps } from "./modal-link.ts";
import { connectModal, type ModalCredentials } from "./sandbox.ts";
import { createSnapshots } from "./snapshots.ts";

export interface ModalDeps extends Omit<RemoteDeps, "cwd">, ModalCredentials {
  /** `managed` is not supported; `auto` means `direct`. */
  readonly mode: "auto" | "direct" | "managed";
  readonly image: string;
  /** Cores; may be fractional. */
  readonly cpu: number;
  readonly memoryMb: number;
  /** Closing saves the files as a snapshot. */
  readonly isPersistent: boolean;
  /** Snapshot of each task: `modal_snapshots.json` in the home. */
  readonly snapshotFile: string;
  /** Working folder of commands. */
  readonly cwd?: string;
  readonly lifetimeMs?: number;
  /** Reports a notice to the user, as a sentence. Default: only the log. */
  readonly say?: (message: string) => void;
}

/** Runs commands in Modal sandboxes, one for each task. The first one loads the SDK. */
export function createModalFactory(deps: ModalDeps): EnvironmentFactory {
  const { mode, clock, log, homeId, isPersistent, snapshotFile, lifetimeMs = defaultLifetimeMs } = deps;
  const say = (message: string) => {
    log.warn("modal.told", { message });
    deps.say?.(message);
  };
  const credentials = givenOf(deps);
  let connecting: ReturnType<ModalLinkDeps["client"]> | undefined;

  function client(): ReturnType<ModalLinkDeps["client"]> {
    return (connecting ??= connectModal(credentials, log).then((connected) => {
      if (!connected.ok) connecting = undefined;
      return connected;
    }));
  }

  return {
    kind: "modal",
    async open({ taskId, cwd, image }, signal) {
      if (signal.aborted) return err(interrupted);
      const fault = faultOf(mode, credentials);
      if (fault) return err(fault);
      const plan = {
        taskId,
        name: `${machineName(taskId)}-${sha256(homeId).slice(0, 8)}`,
        image: image ?? deps.image,
        cpu: deps.cpu,
        memoryMib: deps.memoryMb,
        lifetimeMs,
        ...(isPersistent && { snapshots: createSnapshots(snapshotFile, clock) }),
      };
      const link = createModalLink({ client, plan, say, clock, log });
      const opened = await createRemoteEnvironment(link, { ...deps, cwd: cwd ?? deps.cwd ?? "~" }, signal);
      return opened.ok ? ok(keepMachineOn(opened.value, link)) : opened;
    },
  };
}

/** Treats an empty value as not set. */
function givenOf({ tokenId = "", tokenSecret = "" }: ModalCredentials): ModalCredentials {
  return { ...(tokenId !== "" && { tokenId }), ...(tokenSecret !== "" && { tokenSecret }) };
}

function faultOf(mode: ModalDeps["mode"], { tokenId, tokenSecret }: ModalCredentials): EnvironmentError | undefined {
  if (mode === "managed") {
    return {
      kind: "misconfigured",
      message: "modal_mode managed is not supported: this program has no gateway to Modal",
      hint: "Set modal_mode to direct, with MODAL_TOKEN_ID and MODAL_TOKEN_SECRET of your own.",
    };
  }
  if ((tokenId === undefined) !== (tokenSecret === undefined)) {
    return {
      kind: "misconfigured",
      message: `${tokenId === undefined ? "MODAL_TOKEN_ID" : "MODAL_TOKEN_SECRET"} is not set, although the other half of the token is`,
      hint: "Set both; `modal token new` creates a pair.",
    };
  }
  return undefined;
}

const defaultLifetimeMs = 3_600_000;
