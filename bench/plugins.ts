/** The cost of plugins: installed but unused, a warm call, the first call, hooks on every call, memory. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout } from "node:timers/promises";

import { z } from "zod";

import { systemClock } from "../src/base/clock.ts";
import { type CallId, newId, type SessionId } from "../src/base/ids.ts";
import { silentLog } from "../src/base/log/log.ts";
import { defineTool } from "../src/contracts/tool/define-tool.ts";
import { json } from "../src/contracts/tool/tool-result.ts";
import type { Tool, WideContext } from "../src/contracts/tool/tool.ts";
import type * as Library from "../src/index.ts";
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import type { ScriptedCall, ScriptedTurn } from "../test/support/wire-servers/turn.ts";
import { pythonAdder, typescriptAdder, writePlugin } from "./support/bench-plugins.ts";
import { interleaved, median, quantile, report, rounded } from "./support/measure.ts";
import { hermes, makeScene, peakMemory, type Ran, run, type Scene } from "./support/programs.ts";

const quick = process.argv.includes("--quick");
/** `--start`, `--calls`, `--hooks`: only these sections. */
const sections = ["--start", "--calls", "--hooks"].filter((word) => process.argv.includes(word));
const isMeasured = (section: string) => sections.length === 0 || sections.includes(section);
const installed = quick ? 2 : 50;
const file = join(import.meta.dirname, "..", "dist", "index.js");
// The bundle of the same module.
const { createRuntime } = (await import(file)) as typeof Library;

let turns: () => ScriptedTurn = () => ({ text: "Hello." });
await using server = await startModelServer({ protocol: "openai-chat", turns: () => turns(), record: false });

// A quick run is not a measurement, so parts that do not share the model's answers run at the same time.
const started = isMeasured("--start") ? measureStart() : undefined;
if (!quick) await started;
if (isMeasured("--calls")) await measureCalls();
await started;
if (isMeasured("--hooks")) await measureHooks();

// ── installed but unused ────────────────────────────────────────────────────────────────────────────────────────────

async function measureStart(): Promise<void> {
  const names = Array.from({ length: installed }, (_, index) => `crowd${index}`);
  using plain = makeScene(server.url);
  using crowded = makeScene(server.url, `plugins:\n  enabled: [${names.join(", ")}]\n`);
  for (const [index, name] of names.entries()) {
    writePlugin(crowded.home, name, index % 2 === 0 ? typescriptAdder(`add${index}`) : pythonAdder(`add${index}`));
  }
  const prompt = hermes("-z", "say hello");
  const version = hermes("--version");
  // The first run registers every plugin, so it is not measured. It is the only turn of a quick run.
  const peaks = { plain: [] as number[], crowded: [] as number[] };
  if (quick) peaks.crowded.push(await peakMemory(prompt, crowded));
  else await run(prompt, crowded);
  const state = await run(hermes("plugins", "list", "--json"), crowded);
  const active = [...state.output.matchAll(/"state": ?"active"/gu)].length;
  if (active !== installed) throw new Error(`${active} of ${installed} plugins are active: ${state.output}`);

  const turn = await paired(prompt, plain, crowded);
  report("plugins", `one-shot turn, ${installed} plugins compared with none`, {
    ...turn,
    limitMs: 8,
    holds: turn.moreMs <= 8,
  });
  const start = await paired(version, plain, crowded);
  report("plugins", `--version, ${installed} plugins against none`, {
    ...start,
    limitMs: 2,
    holds: start.moreMs <= 2,
  });

  const measured = {
    plain: async () => void peaks.plain.push(await peakMemory(prompt, plain)),
    crowded: async () => void peaks.crowded.push(await peakMemory(prompt, crowded)),
  };
  if (!quick) await interleaved(measured, 11);
  const moreMb = (median(peaks.crowded) - median(peaks.plain)) / 1e6;
  report("plugins", `memory, ${installed} plugins installed and none used`, {
    moreMb: rounded(moreMb, 1),
    limitMb: 3,
    holds: moreMb <= 3,
  });
}

/**
 * Runs a program in both scenes by turns and compares the two runs of each round, so that a slow moment of the machine
 * affects a few rounds and not the median. Processor time includes all children. A quick run compares nothing.
 */
async function paired(command: readonly string[], plain: Scene, crowded: Scene) {
  const ran = { plain: [] as Ran[], crowded: [] as Ran[] };
  const scenes = { plain, crowded } as const;
  for (const scene of quick ? [] : [plain, crowded]) await run(command, scene);
  for (let round = 0; round < (quick ? 0 : 61); round++) {
    // The order alternates, because the second run finds warmer caches.
    const order = round % 2 === 0 ? (["plain", "crowded"] as const) : (["crowded", "plain"] as const);
    for (const name of order) ran[name].push(await run(command, scenes[name]));
  }
  const more = (of: (one: Ran) => number) =>
    ran.crowded.map((one, round) => of(one) - of(ran.plain[round] ?? { output: "", wallMs: NaN, cpuMs: NaN }));
  const wall = more(({ wallMs }) => wallMs);
  const cpu = more(({ cpuMs }) => cpuMs);
  return {
    plainMs: rounded(median(ran.plain.map(({ wallMs }) => wallMs)), 1),
    moreMs: rounded(median(wall), 1),
    quartilesMs: `${rounded(quantile(wall, 0.25), 1)} to ${rounded(quantile(wall, 0.75), 1)}`,
    moreProcessorMs: rounded(median(cpu), 1),
  };
}

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

async function measureCalls(): Promise<void> {
  using scene = makeScene(server.url, "plugins:\n  enabled: [typescript, python]\n");
  writePlugin(scene.home, "typescript", typescriptAdder("add_typescript"));
  writePlugin(scene.home, "python", pythonAdder("add_python"));
  const open = () => createRuntime({ home: scene.home, env: scene.env, cwd: scene.folder });
  // Registers both plugins. A quick run uses this runtime for everything.
  const registering = await open();
  const shared = quick ? registering : undefined;
  if (!quick) await registering[Symbol.asyncDispose]();

  const bare = { typescript: [process.execPath, "-e", "0"], python: [pythonIn(scene), "-c", "0"] };
  const firsts = { typescript: [] as number[], python: [] as number[] };
  const bareTimes = { typescript: [] as number[], python: [] as number[] };
  for (let round = 0; round < (quick ? 1 : 15); round++) {
    for (const language of ["typescript", "python"] as const) {
      const [program = "", ...args] = bare[language];
      bareTimes[language].push(await timeOf(() => execFileSync(program, args, { stdio: "ignore" })));
      const runtime = shared ?? (await open());
      const call = callerOf(toolIn(runtime, `add_${language}`));
      firsts[language].push(await timeOf(call));
      if (!quick) await runtime[Symbol.asyncDispose]();
    }
  }
  for (const language of ["typescript", "python"] as const) {
    const ratio = median(firsts[language]) / median(bareTimes[language]);
    report("plugins", `first call of a ${language} plugin, compared with the bare interpreter`, {
      ms: rounded(median(firsts[language]), 1),
      bareMs: rounded(median(bareTimes[language]), 1),
      ratio: rounded(ratio, 2),
      limit: 2,
      holds: ratio <= 2,
    });
  }

  await using runtime = shared ?? (await open());
  const ours = defineTool({
    name: "add_here",
    toolset: "bench",
    description: "Adds two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    run: async ({ a, b }) => json({ sum: a + b }),
  });
  const callers = {
    here: callerOf(ours),
    typescript: callerOf(toolIn(runtime, "add_typescript")),
    python: callerOf(toolIn(runtime, "add_python")),
  };
  await interleaved(callers, quick ? 10 : 200);
  const times = await interleaved(callers, quick ? 50 : 5000);
  for (const [language, limitMs] of [
    ["typescript", 0.2],
    ["python", 0.25],
  ] as const) {
    const more = median(times[language]) - median(times.here);
    const more99 = quantile(times[language], 0.99) - quantile(times.here, 0.99);
    report("plugins", `a later call into a confined ${language} plugin`, {
      moreMs: rounded(more),
      limitMs,
      p99MoreMs: rounded(more99),
      p99LimitMs: 1.5,
      holds: more <= limitMs && more99 <= 1.5,
    });
  }
  const pssMb = pssOf("main.py") / 1e6;
  report("plugins", "memory of a running Python plugin, with its sandbox (PSS)", {
    mb: rounded(pssMb, 1),
    limitMb: 14,
    holds: pssMb > 0 && pssMb <= 14,
  });
}

// ── hooks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

async function measureHooks(): Promise<void> {
  const calls = quick ? 5 : 200;
  using plain = makeScene(server.url);
  await using ours = await openTurns(plain);
  await measureGuard(calls, plain, ours);
  await measureObservers(calls, ours);
}

/** Compares each call with the same call without a guard, so that one slow moment of the machine has no effect. */
async function measureGuard(calls: number, plain: Scene, ours: Turns): Promise<void> {
  using guarded = makeScene(server.url, "plugins:\n  enabled: [guard]\n");
  const hook = '    ctx.register_hook("pre_tool_call", guard, policy=True)\n';
  writePlugin(guarded.home, "guard", pythonAdder("add_guard", hook));
  const lines = Array.from({ length: calls }, (_, index) => `line ${index}\n`);
  for (const { folder } of [plain, guarded]) writeFileSync(join(folder, "lines.txt"), lines.join(""));
  await using theirs = await openTurns(guarded);
  // All calls differ, because guardrails stop repeated calls.
  const call = (index: number) => ({ name: "read_file", args: { path: "lines.txt", offset: index + 1, limit: 1 } });
  const more: number[] = [];
  for (let round = quick ? 1 : 0; round < (quick ? 2 : 9); round++) {
    const own = await ours.turn(calls, call);
    const guard = await theirs.turn(calls, call);
    // The first round starts the process.
    if (round > 0) more.push(...guard.callMs.map((ms, index) => ms - (own.callMs[index] ?? Number.NaN)));
  }
  // The hook alone, which a busy machine disturbs less than a turn.
  using echo = startEcho(plain);
  const alone = await interleaved({ hook: theirs.askHook, bare: echo.ask }, quick ? 10 : 2000);
  report("plugins", `a Python pre_tool_call that may block, ${calls}-call turn`, {
    moreMsPerCall: rounded(median(more)),
    hookAloneMs: rounded(median(alone.hook)),
    bareSocketMs: rounded(median(alone.bare)),
    limitMs: 0.4,
    holds: median(more) <= 0.4,
  });
}

async function measureObservers(calls: number, ours: Turns): Promise<void> {
  const observed = ["pre_tool_call", "post_tool_call", "pre_api_request", "post_api_request", "on_stream_delta"];
  const observers = Array.from({ length: quick ? 2 : 20 }, (_, index) => `watch${index}`);
  using watched = makeScene(server.url, `plugins:\n  enabled: [${observers.join(", ")}]\n`);
  const lines = observed.map((hook) => `    ctx.register_hook("${hook}", watch)\n`);
  for (const name of observers) writePlugin(watched.home, name, pythonAdder(`add_${name}`, lines.join("")));
  await using theirs = await openTurns(watched);
  const call = (index: number) => ({ name: "search_files", args: { pattern: `nothing${index}` } });
  // A short first round starts the processes.
  for (const { turn } of quick ? [] : [ours, theirs]) await turn(5, call);
  const times = { plain: [] as number[], watched: [] as number[] };
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    times.plain.push(await timeOf(() => ours.turn(calls, call)));
    times.watched.push(await timeOf(() => theirs.turn(calls, call)));
    // The last events arrive within a second and must not disturb the next turn.
    if (!quick) await setTimeout(1_500);
  }
  const ratio = median(times.watched.map((ms, round) => ms / (times.plain[round] ?? Number.NaN)));
  report("plugins", `${observers.length} observers on every event, ${calls}-call turn`, {
    ms: rounded(median(times.watched), 0),
    plainMs: rounded(median(times.plain), 0),
    ratio: rounded(ratio),
    limit: 1.05,
    holds: ratio <= 1.05,
  });
}

interface Turns extends AsyncDisposable {
  /** Runs a turn in a new session. `callMs`: the time from each request of the model to the next one. */
  turn(calls: number, call: (index: number) => ScriptedCall): Promise<{ readonly callMs: readonly number[] }>;
  /** Runs the hooks before a call, without a call. */
  askHook(): Promise<void>;
}

async function openTurns({ home, env, folder }: Scene): Promise<Turns> {
  const runtime = await createRuntime({ home, env, cwd: folder });
  return {
    async turn(calls, call) {
      const requests: number[] = [];
      turns = () => {
        const index = requests.push(performance.now()) - 1;
        return index < calls ? { calls: [call(index)] } : { text: "." };
      };
      const session = await runtime.openSession({ source: "bench" });
      const outcome = await session.prompt([{ type: "text", text: "go" }]).done;
      await session[Symbol.asyncDispose]();
      if (outcome.reason !== "answered") throw new Error(outcome.why ?? outcome.reason);
      return { callMs: requests.slice(1).map((time, index) => time - (requests[index] ?? Number.NaN)) };
    },
    async askHook() {
      const args = { path: "lines.txt", offset: 1, limit: 1 };
      const call = { id: newId<CallId>("call"), name: "read_file", args };
      const event = { call, args, trace: [], sessionId: newId<SessionId>("ses") };
      const outcome = await runtime.hooks.ask("beforeToolCall", event, new AbortController().signal);
      if (outcome && "block" in outcome) throw new Error(outcome.block);
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

// ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function toolIn(runtime: Library.Runtime, name: string): Tool {
  const registered = runtime.registry.find(name);
  if (!registered) throw new Error(`the tool ${name} does not exist: ${JSON.stringify(runtime.diagnostics)}`);
  return registered.tool;
}

function callerOf(tool: Tool): () => Promise<void> {
  const context: WideContext = {
    sessionId: newId<SessionId>("ses"),
    callId: newId<CallId>("call"),
    origin: "model",
    principal: { id: "local:bench" },
    effects: [],
    cwd: "/",
    signal: new AbortController().signal,
    clock: systemClock,
    log: silentLog,
    progress() {},
    printed() {},
    secrets: {},
  };
  return async () => {
    const prepared = await tool.prepare({ a: 1, b: 2 });
    if (!prepared.ok) throw new Error(prepared.error.message);
    const result = await prepared.value.run(context);
    if (!result.ok) throw new Error(result.error.message);
  };
}

async function timeOf(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** A Python process that returns each message at once, on the kind of connection that plugins have. */
function startEcho(scene: Scene): Disposable & { ask(): Promise<undefined> } {
  const code = "import os\nwhile data := os.read(3, 65536): os.write(3, data)";
  const child = spawn(pythonIn(scene), ["-I", "-S", "-c", code], { stdio: ["ignore", "ignore", "inherit", "pipe"] });
  // The types cover only three descriptors.
  const channel = child.stdio[3] as Duplex;
  const message = `${"x".repeat(450)}\n`;
  return {
    async ask() {
      channel.write(message);
      await once(channel, "data");
      return undefined;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** The interpreter that Hermes uses. */
function pythonIn({ env, folder }: Scene): string {
  const options = { env, cwd: folder, encoding: "utf8" } as const;
  return execFileSync("python3", ["-c", "import sys; print(sys.executable)"], options).trim();
}

/** Memory in bytes of this process's descendants whose command line has a word that ends like this. */
function pssOf(word: string): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/u.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // The process has ended.
    }
  }
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent === process.pid || (parent !== undefined && parent > 1 && isOurs(parent));
  };
  return [...parents.keys()].filter(isOurs).reduce((sum, pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (!words.some((each) => each.endsWith(word))) return sum;
      const kilobytes = /^Pss:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
      return sum + Number(kilobytes ?? 0) * 1024;
    } catch {
      return sum;
    }
  }, 0);
}
