import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ApiFault, ApiRequest, DaytonaApi } from "./daytona-api.ts";

/** The sandbox of one task: found by name, created if missing, started if stopped. */
export interface Sandbox {
  ready(signal: AbortSignal): Promise<Result<RunningSandbox, ApiFault>>;
  /** Stops the sandbox and keeps its files. Does not touch a sandbox that was not used here. */
  stop(signal: AbortSignal): Promise<Result<void, ApiFault>>;
  delete(signal: AbortSignal): Promise<Result<void, ApiFault>>;
}

export interface RunningSandbox {
  readonly id: string;
  /** Base URL of the program inside the sandbox. */
  readonly toolboxUrl: string;
}

export interface SandboxPlan {
  readonly name: string;
  /** The owning home. A sandbox of the same name of another home is not touched. */
  readonly homeId: string;
  readonly image: string;
  readonly target?: string;
  readonly cpu: number;
  readonly memoryGib: number;
  readonly diskGib: number;
}

export interface SandboxDeps {
  readonly api: DaytonaApi;
  readonly apiUrl: string;
  readonly clock: Clock;
  /** Timeout for building the image and starting the sandbox. */
  readonly startTimeoutMs: number;
}

export function createSandbox(plan: SandboxPlan, { api, apiUrl, clock, startTimeoutMs }: SandboxDeps): Sandbox {
  const base = `${withoutSlash(apiUrl)}/sandbox`;
  let id: string | undefined;
  /** True: this object created the sandbox and it does not run yet, so it has no files. */
  let isBlank = false;

  function send(method: ApiRequest["method"], path: string, signal: AbortSignal, body?: unknown) {
    const isRepeatable = method !== "POST";
    return api.send({ method, url: base + path, body, timeoutMs: requestMs, isRepeatable }, signal);
  }

  async function get(idOrName: string, signal: AbortSignal): Promise<Result<Described | undefined, ApiFault>> {
    const result = await send("GET", `/${encodeURIComponent(idOrName)}`, signal);
    if (!result.ok) return result.error.kind === "absent" ? ok(undefined) : result;
    const sandbox = described(result.value);
    return sandbox ? ok(sandbox) : err(strange);
  }

  /**
   * Finds the sandbox by its id, or by name while the id is unknown. `free`: none exists; the value is the name for a
   * new one.
   */
  async function find(signal: AbortSignal): Promise<Result<Described | { readonly free: string }, ApiFault>> {
    const current = id === undefined ? ok(undefined) : await get(id, signal);
    if (!current.ok) return current;
    if (current.value) return ok(current.value);
    const names = [plan.name, `${plan.name}-${plan.homeId.slice(0, 8)}`];
    for (const name of names) {
      const result = await get(name, signal);
      if (!result.ok) return result;
      if (!result.value) return ok({ free: name });
      const { owner } = result.value;
      if (owner === undefined || owner === plan.homeId) return ok(result.value);
    }
    return err({ kind: "refused", message: `the sandboxes ${names.join(" and ")} belong to another home` });
  }

  /** Creates a sandbox. Undefined: another program may have created it, so look again. */
  async function findOrMake(
    refusals: ApiFault[],
    signal: AbortSignal,
  ): Promise<Result<Described | undefined, ApiFault>> {
    const match = await find(signal);
    if (!match.ok) return match;
    if (!("free" in match.value)) return ok(match.value);
    // The request is never aborted: a sandbox with an unknown id would run forever.
    const created = await send("POST", "", new AbortController().signal, request(plan, match.value.free));
    const sandbox = created.ok ? described(created.value) : undefined;
    if (sandbox) {
      isBlank = true;
      return ok(sandbox);
    }
    if (created.ok) return err(strange);
    // Another program created the sandbox at the same time, or the response was lost. The sandbox will appear soon.
    return mayLookAgain(created.error, refusals) ? ok(undefined) : created;
  }

  async function toolboxUrl(sandbox: Described, signal: AbortSignal): Promise<Result<string, ApiFault>> {
    if (sandbox.toolboxProxyUrl !== undefined) return ok(`${withoutSlash(sandbox.toolboxProxyUrl)}/${sandbox.id}`);
    const response = await send("GET", `/${sandbox.id}/toolbox-proxy-url`, signal);
    if (!response.ok) return response;
    const url = isObject(response.value) ? response.value["url"] : undefined;
    return typeof url === "string" ? ok(`${withoutSlash(url)}/${sandbox.id}`) : err(strange);
  }

  /** Moves the sandbox one step towards running; undefined: wait and look again. */
  async function step(
    sandbox: Described,
    refusals: ApiFault[],
    signal: AbortSignal,
  ): Promise<Result<RunningSandbox, ApiFault> | undefined> {
    switch (sandbox.state) {
      case "started": {
        isBlank = false;
        const url = await toolboxUrl(sandbox, signal);
        return url.ok ? ok({ id: sandbox.id, toolboxUrl: url.value }) : url;
      }
      case "error":
      case "build_failed":
        return err(failed(sandbox, plan));
      case "stopped":
      case "archived": {
        const started = await send("POST", `/${sandbox.id}/start`, signal);
        // Another program may have started the sandbox already.
        return started.ok || mayLookAgain(started.error, refusals) ? undefined : started;
      }
      default:
        return undefined;
    }
  }

  /** A starting sandbox refuses to stop: retry. */
  async function stop(signal: AbortSignal): Promise<Result<void, ApiFault>> {
    if (id === undefined) return ok(undefined);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const stopped = await send("POST", `/${id}/stop`, signal);
      if (stopped.ok) return ok(undefined);
      const now = await get(id, signal);
      if (now.ok && (now.value === undefined || isOff(now.value.state))) return ok(undefined);
      if (stopped.error.kind !== "refused" || !(await trySleep(pauseMs, signal, clock))) return stopped;
    }
  }

  async function remove(signal: AbortSignal): Promise<Result<void, ApiFault>> {
    const deleted = id === undefined ? ok(undefined) : await send("DELETE", `/${id}`, signal);
    return deleted.ok || deleted.error.kind === "absent" ? ok(undefined) : deleted;
  }

  return {
    async ready(signal) {
      const until = clock.elapsed() + startTimeoutMs;
      const refusals: ApiFault[] = [];
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
        const result = await findOrMake(refusals, signal);
        if (!result.ok) return result;
        const sandbox = result.value;
        // A sandbox that is being deleted cannot be used: creates a new one when it is deleted.
        id = sandbox?.state.startsWith("destroy") ? undefined : sandbox?.id;
        const answer = sandbox && (await step(sandbox, refusals, signal));
        if (answer) return answer;
        if (clock.elapsed() >= until) return err(late(sandbox, startTimeoutMs));
        if (!(await trySleep(pauseMs, signal, clock))) return err({ kind: "aborted", message: "interrupted" });
      }
    },
    stop: (signal) => (isBlank ? remove(signal) : stop(signal)),
    delete: remove,
  };
}

function request(plan: SandboxPlan, name: string) {
  return {
    name,
    buildInfo: { dockerfileContent: `FROM ${plan.image}\n` },
    labels: { "hermes-agent": "1", "hermes-home": plan.homeId, "hermes-task": plan.name },
    cpu: plan.cpu,
    memory: plan.memoryGib,
    disk: plan.diskGib,
    autoStopInterval: 0,
    ...(plan.target === undefined ? {} : { target: plan.target }),
  };
}

/** Remembers the reason of refusals, so that the final error message can show it. */
function mayLookAgain(fault: ApiFault, refusals: ApiFault[]): boolean {
  return !["settings", "aborted"].includes(fault.kind) && refusals.push(fault) <= maxRefusals;
}

interface Described {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
  readonly toolboxProxyUrl: string | undefined;
  readonly owner: string | undefined;
}

function described(value: unknown): Described | undefined {
  if (!isObject(value) || typeof value["id"] !== "string") return undefined;
  const labels = isObject(value["labels"]) ? value["labels"] : {};
  return {
    id: value["id"],
    state: textOf(value["state"]) ?? "unknown",
    reason: textOf(value["errorReason"]) ?? "no reason given",
    toolboxProxyUrl: textOf(value["toolboxProxyUrl"]),
    owner: textOf(labels["hermes-home"]),
  };
}

function isOff(state: string): boolean {
  return ["stopping", "stopped", "archiving", "archived"].includes(state) || state.startsWith("destroy");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/u, "");
}

const strange: ApiFault = {
  kind: "settings",
  message: "the response does not come from Daytona",
  hint: "Check the address of the service.",
};

function failed({ id, state, reason }: Described, { image }: SandboxPlan): ApiFault {
  return state === "build_failed"
    ? {
        kind: "settings",
        message: `the image ${image} could not be built: ${reason}`,
        hint: `Check daytona_image, then delete the sandbox ${id} in the Daytona dashboard and try again.`,
      }
    : {
        kind: "refused",
        message: `the sandbox ${id} is broken: ${reason}`,
        hint: "Recover or delete it in the Daytona dashboard, then try again.",
      };
}

function late(sandbox: Described | undefined, startTimeoutMs: number): ApiFault {
  const { id = "of this task", state = "missing" } = sandbox ?? {};
  return {
    kind: "unclear",
    message: `the sandbox ${id} is still "${state}" after ${Math.round(startTimeoutMs / 1000)} s`,
    hint: "Try again; if it does not change, check it in the Daytona dashboard.",
  };
}

const maxRefusals = 3;
const requestMs = 60_000;
const firstPauseMs = 100;
const maxPauseMs = 2_000;
