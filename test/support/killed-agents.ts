import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { isObject } from "../../src/base/json.ts";
import { userName } from "../../src/base/this-user.ts";
import { sourceFlags } from "./child-process.ts";
import { eventually } from "./eventually.ts";
import { processesWith, uniqueSeconds } from "./process-list.ts";
import { runtimeRig } from "./runtime-rig.ts";
import { scriptedModel } from "./scripted-model.ts";
import { tempHome } from "./temp-home.ts";

const program = join(import.meta.dirname, "agent-parent.ts");

/** The records and processes that a killed parent and its running children left behind. */
export interface KilledParent {
  /**
   * Sentences about lost or duplicate records, reports that did not arrive exactly once, and processes that survived.
   */
  readonly faults: readonly string[];
  /** How the children ended. */
  readonly states: readonly string[];
}

/** Starts a parent with ten children, kills it, and lets two other programs look for its children at the same time. */
export async function killParent(afterMs: number): Promise<KilledParent> {
  await using home = await tempHome();
  const seconds = uniqueSeconds();
  const faults: string[] = [];
  const parent = run([home.path, seconds]);
  const lines = readLines(parent);
  const id = (await lines.next()).value ?? "";
  await lines.next();
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const exited = once(parent, "exit");
  parent.kill("SIGKILL");
  await exited;
  // Only one of the programs gets the session; the other one finds the session in use, or everything settled.
  const heirs = [run([home.path, seconds, id]), run([home.path, seconds, id])];
  const outputs = await Promise.all(heirs.map(outputOf));
  const last = await outputOf(run([home.path, seconds, id]));
  if (!last.startsWith("{"))
    return { faults: [`no program can continue the session: ${last} ${outputs.join()}`], states: [] };
  const { deliveries, states } = JSON.parse(last) as { deliveries: readonly string[]; states: readonly string[] };
  await using runtime = await runtimeRig({ folder: home.path, model: scriptedModel([]) });
  const direct = await recordsBelow(runtime.sessions, id, faults);
  for (const agent of direct.filter((each) => deliveries.filter((given) => given === each).length !== 1)) {
    const count = deliveries.filter((given) => given === agent).length;
    faults.push(`the report of ${agent} arrived ${count} times`);
  }
  for (const state of states.filter((each) => each === "running" || each === "waiting"))
    faults.push(`a child is still ${state}`);
  await eventually(() => processesWith(seconds).length === 0).catch(() =>
    faults.push(`a process stayed: ${processesWith(seconds).join()}`),
  );
  return { faults, states };
}

type Sessions = Awaited<ReturnType<typeof runtimeRig>>["sessions"];

/** The agents that a session started, in the order of their records. Each must have one report. */
async function recordsBelow(sessions: Sessions, id: string, faults: string[]): Promise<readonly string[]> {
  const principal = { id: `local:${userName()}` };
  const agents: string[] = [];
  for (const child of await sessions.children(id as never, principal)) {
    const states = (await sessions.entries(child.id)).flatMap((entry) =>
      entry.type === "state" && isObject(entry.value) ? [{ name: entry.name, value: entry.value }] : [],
    );
    const idsOf = (name: string) =>
      states.flatMap((state) => (state.name === name ? [JSON.stringify(state.value["agentId"]).slice(1, -1)] : []));
    for (const agent of idsOf("agent")) {
      const reports = idsOf("agent_report").filter((each) => each === agent).length;
      if (reports !== 1) faults.push(`${agent} has ${reports} reports`);
      agents.push(agent);
    }
    await recordsBelow(sessions, child.id, faults);
  }
  return agents;
}

function run(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...sourceFlags, program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}

async function* readLines(child: ChildProcess): AsyncGenerator<string, undefined> {
  let text = "";
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (part: string) => (errors += part));
  for await (const part of child.stdout ?? []) {
    text += String(part);
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
  throw new Error(`the parent ended: ${errors}`);
}

/** The last line of the output, or of standard error if there is no output. */
async function outputOf(child: ChildProcess): Promise<string> {
  let [output, errors] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (part: string) => (output += part));
  child.stderr?.setEncoding("utf8").on("data", (part: string) => (errors += part));
  await once(child, "close");
  return output.trim().split("\n").at(-1) || errors.slice(-2_000);
}
