/**
 * `mcp-caller.ts HOME WORK ROUNDS`: a runtime whose only server (`hostile`, mode grandchildren) is repeatedly killed or
 * cancelled in the middle of a call. Prints a report as JSON, then leaves a call running until it is killed itself.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { systemClock as clock } from "../../src/base/clock.ts";
import { type CallId, newId, type SessionId } from "../../src/base/ids.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { ToolResult } from "../../src/contracts/tool/tool-result.ts";
import type { WideContext } from "../../src/contracts/tool/tool.ts";
import type * as Library from "../../src/index.ts";

export interface CallerReport {
  readonly calls: number;
  /** A call that was interrupted must have an error as its result. */
  readonly withoutResult: number;
  readonly starts: number;
  /** Calls between the interruptions that failed. */
  readonly failures: readonly string[];
}

const [, , home = "", work = "", rounds = "1"] = process.argv;
const file = join(import.meta.dirname, "..", "..", "dist", "index.js");
// The bundle of the same module.
const { createRuntime } = (await import(file)) as typeof Library;
const runtime = await createRuntime({ home, cwd: work });
const session = await runtime.openSession({ source: "soak" });
const events = (): string[] => readFileSync(join(work, "events"), "utf8").split("\n");
const received = (): number => events().filter((line) => line.startsWith("hang")).length;
const tool = "mcp__hostile__echo";
const starts = (): string[] => events().filter((line) => line.startsWith("start"));

// A session waits only a short time for a server that was never reached.
for (let waitedMs = 0; !runtime.registry.find(tool) && waitedMs < 300_000; waitedMs += 20) await pause(20);

let calls = 0;
let withoutResult = 0;
const failures: string[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const good = await bounded(call("round", new AbortController().signal));
  if (!good?.ok) failures.push(good ? good.error.message : "no result");
  const abort = new AbortController();
  const before = received();
  const hanging = bounded(call("hang", abort.signal));
  await Promise.race([hanging, untilReceived(before)]);
  if (round % 3 === 2) abort.abort();
  else kill(Number(starts().at(-1)?.split(" ")[1]), round % 3 === 0 ? "SIGKILL" : "SIGTERM");
  await hanging;
}
const report: CallerReport = { calls, withoutResult, starts: starts().length, failures };
const last = received();
void call("hang", new AbortController().signal);
await untilReceived(last);
process.stdout.write(`${JSON.stringify(report)}\n`);
// The session stays open until this program is killed.
setInterval(() => session.id, 60_000);

async function call(text: string, signal: AbortSignal): Promise<ToolResult> {
  const registered = runtime.registry.find(tool);
  if (!registered) throw new Error(`The tool is not there: ${JSON.stringify(runtime.diagnostics)}`);
  const prepared = await registered.tool.prepare({ text });
  if (!prepared.ok) throw new Error(prepared.error.message);
  const context: WideContext = {
    sessionId: newId<SessionId>("ses"),
    callId: newId<CallId>("call"),
    origin: "model",
    principal: { id: "local:soak" },
    effects: [],
    cwd: work,
    signal,
    clock,
    log: silentLog,
    progress() {},
    printed() {},
    secrets: {},
  };
  return prepared.value.run(context);
}

async function bounded(running: Promise<ToolResult>): Promise<ToolResult | undefined> {
  calls += 1;
  const result = await Promise.race([running, pause(300_000, undefined, { ref: false })]);
  if (result === undefined) withoutResult += 1;
  return result;
}

async function untilReceived(before: number): Promise<void> {
  for (let waitedMs = 0; received() === before && waitedMs < 300_000; waitedMs += 5) await pause(5);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
