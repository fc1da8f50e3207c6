import { isObject, parseJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Engine, engineFault, type EngineFault } from "./engine.ts";

export interface FoundContainer {
  readonly id: string;
  /** As the engine calls it: created, running, paused, restarting, removing, exited, dead; podman has more. */
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: number;
  /** Not there: it never ran. */
  readonly finishedAt?: number;
}

/** Those that have all of the labels, whatever their state. */
export async function findContainers(
  engine: Engine,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Result<readonly FoundContainer[], EngineFault>> {
  const filters = Object.entries(labels).flatMap(([name, value]) => ["--filter", `label=${name}=${value}`]);
  const listed = await engine.call(["ps", "--all", "--quiet", "--no-trunc", ...filters], { signal, timeoutMs });
  if (listed.how !== "exit" || listed.code !== 0)
    return err(engineFault(listed, engine.program, "did not list containers"));
  const ids = listed.stdout.split(/\s+/u).filter((id) => id !== "");
  if (ids.length === 0) return ok([]);
  // One that went away meanwhile makes the exit code 1; the others are told all the same.
  const told = await engine.call(["inspect", "--type", "container", ...ids], { signal, timeoutMs });
  if (told.how !== "exit") return err(engineFault(told, engine.program, "did not tell about its containers"));
  const read = parseJson(told.stdout, { maxDepth: 60, maxChars: 50_000_000 });
  const all = read.ok && Array.isArray(read.value) ? read.value : [];
  return ok(all.flatMap((one) => (isObject(one) ? containerOf(one) : [])));
}

const timeoutMs = 20_000;

function containerOf({ Id, State, Config, Created }: Readonly<Record<string, unknown>>): FoundContainer[] {
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

/** Year 1 stands for never. */
function timeOf(text: unknown): number | undefined {
  const at = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return at > 0 ? at : undefined;
}
