import { isObject, parseJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Engine, engineFault, type EngineFault } from "./engine.ts";

export interface ContainerInfo {
  readonly id: string;
  /** The engine's state: created, running, paused, restarting, removing, exited, dead; podman has more. */
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: number;
  /** When the container exited. Missing: it never ran. */
  readonly finishedAt?: number;
}

/** Returns the containers with all of the labels, in any state. */
export async function findContainers(
  engine: Engine,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Result<readonly ContainerInfo[], EngineFault>> {
  const filters = Object.entries(labels).flatMap(([name, value]) => ["--filter", `label=${name}=${value}`]);
  const listed = await engine.call(["ps", "--all", "--quiet", "--no-trunc", ...filters], { signal, timeoutMs });
  if (listed.how !== "exit" || listed.code !== 0)
    return err(engineFault(listed, engine.program, "did not list containers"));
  const ids = listed.stdout.split(/\s+/u).filter((id) => id !== "");
  if (ids.length === 0) return ok([]);
  // A container that was removed meanwhile makes the exit code 1; the others are still listed.
  const inspected = await engine.call(["inspect", "--type", "container", ...ids], { signal, timeoutMs });
  if (inspected.how !== "exit") return err(engineFault(inspected, engine.program, "did not describe its containers"));
  const read = parseJson(inspected.stdout, { maxDepth: 60, maxChars: 50_000_000 });
  const all = read.ok && Array.isArray(read.value) ? read.value : [];
  return ok(all.flatMap((one) => (isObject(one) ? containerOf(one) : [])));
}

const timeoutMs = 20_000;

function containerOf({ Id, State, Config, Created }: Readonly<Record<string, unknown>>): ContainerInfo[] {
  if (typeof Id !== "string" || !isObject(State) || !isObject(Config)) return [];
  const { Status, FinishedAt } = State;
  const labels = isObject(Config["Labels"]) ? Config["Labels"] : {};
  const finishedAt = timeOf(FinishedAt);
  return [
    {
      id: Id,
      status: typeof Status === "string" ? Status : "",
      labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)])),
      createdAt: timeOf(Created) ?? 0,
      ...(finishedAt !== undefined && { finishedAt }),
    },
  ];
}

/** The engine reports the year 1 for an event that never happened. */
function timeOf(text: unknown): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return time > 0 ? time : undefined;
}
