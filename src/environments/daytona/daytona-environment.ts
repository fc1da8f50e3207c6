import type { Http } from "../../base/http/http-client.ts";
import { err, ok } from "../../base/result.ts";
import type { EnvironmentFactory } from "../../contracts/environment/environment.ts";
import { keepMachineOn } from "../hosted/keep-machine-on.ts";
import { machineName } from "../hosted/machine-name.ts";
import { createRemoteEnvironment, type RemoteDeps } from "../remote/remote-environment.ts";
import { interrupted } from "../run-failures.ts";
import { createDaytonaApi } from "./daytona-api.ts";
import { createDaytonaLink } from "./daytona-link.ts";
import { createSandbox } from "./sandbox.ts";

export interface DaytonaDeps extends Omit<RemoteDeps, "cwd"> {
  /** The value of DAYTONA_API_KEY; empty: not set. */
  readonly apiKey: string;
  /** Default: Daytona's own address. */
  readonly apiUrl?: string;
  readonly organization?: string;
  readonly http: Http;
  /** The region. Default: the organization's. */
  readonly target?: string;
  readonly image: string;
  /** Cores. */
  readonly cpu: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  /** Closing stops the sandbox instead of deleting it. */
  readonly isPersistent: boolean;
  /** Working folder of commands. */
  readonly cwd?: string;
  /** Folder for temporary files in the sandbox. */
  readonly tempFolder?: string;
  readonly startTimeoutMs?: number;
  /** Reports a notice to the user, as a sentence. */
  readonly say: (message: string) => void;
}

/** Runs commands in Daytona sandboxes, one for each task. */
export function createDaytonaFactory(deps: DaytonaDeps): EnvironmentFactory {
  const {
    apiKey,
    organization,
    http,
    target,
    clock,
    log,
    homeId,
    isPersistent,
    startTimeoutMs = defaultStartMs,
  } = deps;
  return {
    kind: "daytona",
    async open({ taskId, cwd, image }, signal) {
      if (signal.aborted) return err(interrupted);
      if (apiKey === "") return err(noKey);
      const from = image ?? deps.image;
      if (/\s/u.test(from)) return err({ kind: "misconfigured", message: `${JSON.stringify(from)} is not an image` });
      const size = sizeOf(deps);
      const api = createDaytonaApi({ apiKey, http, clock, ...(organization !== undefined && { organization }) });
      const sandbox = createSandbox(
        {
          name: machineName(taskId),
          homeId,
          image: from,
          ...size,
          ...(target !== undefined && { target }),
        },
        { api, apiUrl: deps.apiUrl ?? defaultApiUrl, clock, startTimeoutMs },
      );
      const tempFolder = deps.tempFolder ?? "/tmp";
      const link = createDaytonaLink({ api, sandbox, isPersistent, tempFolder, clock, log });
      const opened = await createRemoteEnvironment(link, { ...deps, cwd: cwd ?? deps.cwd ?? "~" }, signal);
      return opened.ok ? ok(keepMachineOn(opened.value, link)) : opened;
    },
  };
}

function sizeOf({ cpu, memoryMb, diskMb, say }: DaytonaDeps) {
  const gib = (mb: number) => Math.max(1, Math.ceil(mb / 1024));
  const diskGib = Math.min(gib(diskMb), maxDiskGib);
  if (gib(diskMb) > maxDiskGib) {
    say(`A Daytona sandbox has at most ${maxDiskGib} GiB of disk: container_disk (${diskMb} MB) is reduced to that.`);
  }
  return { cpu: Math.max(1, Math.ceil(cpu)), memoryGib: gib(memoryMb), diskGib };
}

const noKey = {
  kind: "misconfigured",
  message: "DAYTONA_API_KEY is not set",
  hint: "Create a key in the Daytona dashboard and set it in the .env file of the home.",
} as const;
const defaultApiUrl = "https://app.daytona.io/api";
const defaultStartMs = 600_000;
const maxDiskGib = 10;
