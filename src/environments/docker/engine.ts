import type { Clock } from "../../base/clock.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { findProgram } from "../../base/process/find-program.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { runProgram, type ProgramOutput } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** The docker or podman command and its features on this machine. */
export interface Engine {
  readonly program: string;
  readonly env: Variables;
  /** Features of the engine. A feature that the engine rejects is removed from the set. */
  readonly abilities: Set<EngineFeature>;
  /** Rootless podman: files of the host belong to the container's root. */
  readonly isRootless: boolean;
  call(args: readonly string[], limits: CallLimits): Promise<ProgramOutput>;
}

export interface CallLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onLine?: (line: string) => void;
}

/** Features that some engines and machines lack. */
export type EngineFeature = "cpus" | "memory" | "pids" | "disk" | "init";

export interface EngineFault {
  /** `unreachable` may be temporary; `misconfigured` is not. */
  readonly kind: "unreachable" | "misconfigured" | "aborted";
  readonly message: string;
  readonly hint?: string;
}

export interface ContainerEngineDeps {
  /** A path or a name. Empty: docker, else podman. */
  readonly binary: string;
  readonly env: Variables;
  readonly clock: Clock;
}

/** Asks the engine for its version and features; this also checks that it is running. */
export async function findEngine(deps: ContainerEngineDeps, signal: AbortSignal): Promise<Result<Engine, EngineFault>> {
  const { binary, env, clock } = deps;
  const program = findProgram(binary === "" ? ["docker", "podman"] : [binary], env);
  if (program === undefined) return err(notFound(binary));
  const call = (args: readonly string[], limits: CallLimits) => runProgram({ program, args, env, clock, ...limits });
  const answer = await call(["info", "--format", "{{json .}}"], { signal, timeoutMs: checkMs });
  if (answer.how !== "exit" || answer.code !== 0) return err(engineFault(answer, program, "did not answer"));
  const info = parseJson(answer.stdout, { maxDepth: 40, maxChars: 4_000_000 });
  const facts = factsOf(info.ok && isObject(info.value) ? info.value : {});
  if (facts.fault !== undefined) return err(faultFromText(facts.fault, program, "did not answer"));
  return ok({ program, env, call, abilities: new Set(facts.abilities), isRootless: facts.isRootless });
}

const checkMs = 5_000;

/** Classifies a failed call by what the user can do about it. `what` completes "docker …". */
export function engineFault(answer: ProgramOutput, program: string, what: string): EngineFault {
  switch (answer.how) {
    case "aborted":
      return { kind: "aborted", message: "interrupted" };
    case "timeout":
      return {
        kind: "unreachable",
        message: `${program} ${what} in time`,
        hint: "Check whether its service is overloaded or hangs, restart it, then try again.",
      };
    case "unstarted":
      return { kind: "misconfigured", message: `${program} could not be started: ${answer.message}` };
    case "exit":
      return faultFromText(answer.stderr || answer.stdout, program, what);
  }
}

/** Maps the engine's error text to a fault. */
export function faultFromText(words: string, program: string, what: string): EngineFault {
  const reason = reasonLine(words);
  if (/permission denied.*(?:sock|connect)|(?:sock|connect).*permission denied/isu.test(words)) {
    return {
      kind: "misconfigured",
      message: `this user is not allowed to use ${program}: ${reason}`,
      hint: "Add the user to the group docker and log in again, or use podman without root (terminal.docker_binary: podman).",
    };
  }
  if (isEngineUnavailable(words)) {
    return {
      kind: "unreachable",
      message: `the service of ${program} is not running: ${reason}`,
      hint: "Start it (systemctl start docker, or Docker Desktop), then try again.",
    };
  }
  return { kind: "unreachable", message: `${program} ${what}: ${reason}` };
}

export function isEngineUnavailable(words: string): boolean {
  return /cannot connect to|error during connect|is the docker daemon running|connection refused|connection reset|unexpected EOF|dial unix/iu.test(
    words,
  );
}

/** Returns the line with the reason. Docker prints usage advice after it. */
export function reasonLine(words: string): string {
  const lines = words
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:Usage:|(?:Run|See) '.*--help)/u.test(line));
  const telling = lines.findLast((line) => /error|denied|cannot|fail|refused/iu.test(line)) ?? lines.at(-1);
  return (telling ?? "no error message").replace(/^\w+: (?=Error)/u, "").slice(0, 500);
}

function notFound(binary: string): EngineFault {
  return {
    kind: "misconfigured",
    message: binary === "" ? "neither docker nor podman was found on PATH" : `${binary} is not an executable program`,
    hint: "Install docker or podman, or name the program in terminal.docker_binary (HERMES_DOCKER_BINARY).",
  };
}

interface Facts {
  readonly abilities: readonly EngineFeature[];
  readonly isRootless: boolean;
  readonly fault?: string;
}

/** Docker and podman report the same facts under different names. */
function factsOf(info: Readonly<Record<string, unknown>>): Facts {
  const { host, store } = info;
  if (isObject(host)) {
    const controllers = Array.isArray(host["cgroupControllers"]) ? host["cgroupControllers"] : [];
    const limits: readonly (readonly [EngineFeature, string])[] = [
      ["cpus", "cpu"],
      ["memory", "memory"],
      ["pids", "pids"],
    ];
    return {
      abilities: [
        ...limits.filter(([, controller]) => controllers.includes(controller)).map(([ability]) => ability),
        ...(isObject(store) && store["graphDriverName"] === "overlay" && isQuotaDisk(store["graphStatus"]) ? disk : []),
        "init",
      ],
      isRootless: isObject(host["security"]) && host["security"]["rootless"] === true,
    };
  }
  const faults = info["ServerErrors"];
  if (Array.isArray(faults) && faults.length > 0) return { abilities: [], isRootless: false, fault: faults.join("\n") };
  return {
    abilities: [
      ...(info["CpuCfsQuota"] === true ? (["cpus"] as const) : []),
      ...(info["MemoryLimit"] === true ? (["memory"] as const) : []),
      ...(info["PidsLimit"] === true ? (["pids"] as const) : []),
      ...(info["Driver"] === "overlay2" && isQuotaDisk(info["DriverStatus"]) ? disk : []),
      "init",
    ],
    isRootless: false,
  };
}

const disk: readonly EngineFeature[] = ["disk"];

/** Only XFS can limit the disk space of a container. Whether the mount allows it is known after the first attempt. */
function isQuotaDisk(status: unknown): boolean {
  return /"Backing Filesystem"\s*[,:]\s*"xfs"/iu.test(JSON.stringify(status ?? ""));
}
