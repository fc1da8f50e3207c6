/**
 * Measures MCP as a client: calls over stdio and HTTP compared with the official client; start time, memory and bytes
 * of the first request with 50 servers of 40 tools each. `mcp-serve` measures it as a server.
 */
import { type ChildProcess, spawn as spawnProgram } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { spawn } from "@lydell/node-pty";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";

import { type CallId, newId } from "../src/base/ids.ts";
import { isObject, type JsonObject, type JsonValue } from "../src/base/json.ts";
import { defineTool } from "../src/contracts/tool/define-tool.ts";
import { json } from "../src/contracts/tool/tool-result.ts";
import type * as Library from "../src/index.ts";
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import type { ScriptedTurn } from "../test/support/wire-servers/turn.ts";
import { kernelWith } from "./support/kernel.ts";
import { bareServer, bareTransport, connectOfficial } from "./support/mcp-client.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";
import { hermes, makeScene, run, type Scene } from "./support/programs.ts";

const quick = process.argv.includes("--quick");
const servers = quick ? 2 : 50;
const toolsEach = 40;
/** The connections on which calls are compared. The quick run of `mcp-serve` uses stdio. */
const ways: readonly ("stdio" | "http")[] = quick ? ["http"] : ["stdio", "http"];
const crowdServer = join(import.meta.dirname, "support", "crowd-server.py");

let turns: () => ScriptedTurn = () => ({ text: "Hello." });
await using model = await startModelServer({ protocol: "openai-chat", turns: () => turns() });

const parts = { calls: measureCalls, start: measureStart };
const chosen = process.argv.find((word) => word.startsWith("--only="))?.slice("--only=".length);
const measures = Object.entries(parts).flatMap(([part, run]) => (chosen === undefined || chosen === part ? [run] : []));
// A quick run is not a measurement, so its parts run at the same time.
if (quick) await Promise.all(measures.map((measure) => measure()));
else for (const measure of measures) await measure();

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

async function measureCalls(): Promise<void> {
  using bareHttp = await startBareHttp();
  const entries = { stdio: { command: process.execPath, args: [bareServer] }, http: { url: bareHttp.url } };
  using scene = makeScene(model.url, mcpSettings(Object.fromEntries(ways.map((way) => [way, entries[way]]))));
  const file = join(import.meta.dirname, "..", "dist", "index.js");
  // The bundle of the same module.
  const { createRuntime } = (await import(file)) as typeof Library;
  await using runtime = await createRuntime({ home: scene.home, env: scene.env, cwd: scene.folder });
  // Opening a session connects the servers.
  await using _session = await runtime.openSession({ source: "bench" });
  const noop = defineTool({
    name: "noop",
    toolset: "bench",
    description: "Does nothing",
    input: z.object({}),
    traits: { readOnly: true },
    run: async () => json("done"),
  });
  const tools = await Promise.all(
    ways.map(async (way) => {
      const name = `mcp__${way}__noop`;
      await until(() => runtime.registry.find(name) !== undefined, `the tool ${name} does not exist`);
      // The lookup above has checked that the tool exists.
      return runtime.registry.find(name)!.tool;
    }),
  );
  const { dispatcher, scope } = await kernelWith([noop, ...tools]);
  const callOf = (name: string) => async () => {
    const result = await dispatcher.dispatch({ id: newId<CallId>("call"), name, args: {} }, scope);
    if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  };
  const transports = {
    stdio: bareTransport,
    http: () => new StreamableHTTPClientTransport(new URL(bareHttp.url)),
  };
  for (const way of ways) {
    const bare = await connectOfficial(transports[way]());
    const contenders = {
      ours: callOf(`mcp__${way}__noop`),
      builtin: callOf("noop"),
      bare: () => bare.callTool({ name: "noop", arguments: {} }),
    };
    await interleaved(contenders, quick ? 20 : 500);
    const times = await interleaved(contenders, quick ? 20 : 3_000);
    const ms = median(times.ours) - median(times.builtin);
    const ratio = ms / median(times.bare);
    report("mcp", `a call over ${way} minus a built-in call, compared with the official client`, {
      ms: rounded(ms),
      builtinMs: rounded(median(times.builtin)),
      bareMs: rounded(median(times.bare)),
      ratio: rounded(ratio, 2),
      limit: 1.2,
      holds: ratio <= 1.2,
    });
    await bare.close();
  }
}

async function startBareHttp(): Promise<{ readonly url: string } & Disposable> {
  const child: ChildProcess = spawnProgram(process.execPath, [bareServer, "http"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve) => child.stdout?.once("data", (data) => resolve(String(data))));
  const { port }: { readonly port: number } = JSON.parse(line);
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.dispose]: () => void child.kill() };
}

// ── the start ───────────────────────────────────────────────────────────────────────────────────────────────────────

async function measureStart(): Promise<void> {
  const starts = join(process.env["TMPDIR"] ?? "/tmp", `hermes-bench-starts-${process.pid}`);
  const names = Array.from({ length: servers }, (_, index) => `crowd${index}`);
  const crowd = Object.fromEntries(
    names.map((name) => [
      name,
      { command: "/usr/bin/env", args: ["python3", "-SE", crowdServer, name, `${toolsEach}`, starts] },
    ]),
  );
  using plain = makeScene(model.url);
  using crowded = makeScene(model.url, mcpSettings(crowd));
  const listed = (): number =>
    existsSync(starts) ? new Set(readFileSync(starts, "utf8").match(/^listed .+$/gmu)).size : 0;
  try {
    // The first start connects to all servers and stores their definitions. In a quick run that is the chat.
    if (!quick) {
      await run(hermes("-z", "say hello"), crowded);
      await until(
        () => listed() === servers,
        `only ${listed()} of ${servers} servers received a request for their tools`,
      );
      rmSync(starts, { force: true });
    }
    const megabytes = await chatWhile(crowded, async ({ pid }) => {
      await until(
        () => listed() === servers,
        `only ${listed()} of ${servers} servers received a request for their tools`,
      );
      await pause(quick ? 200 : 3_000);
      return residentBytes(pid) / 1e6;
    });
    report("mcp", `our process with ${servers * toolsEach} tools of ${servers} servers connected`, {
      mb: rounded(megabytes, 1),
      limitMb: 150,
      holds: megabytes <= 150,
    });

    const prompts = { plain: () => promptOf(plain), crowded: () => promptOf(crowded) };
    // A chat that exits normally saves its compiled code for the next start.
    if (!quick) for (const scene of [plain, crowded]) await chatWhile(scene, (chat) => chat.leave());
    // The chat above has shown a prompt, which is enough for a quick run.
    const shown = await interleaved(prompts, quick ? 0 : 31);
    compare(`time to the first prompt, ${servers} servers compared with none`, shown, 10);

    rmSync(starts, { force: true });
    const prompt = hermes("-z", "say hello");
    const oneShot = { plain: () => run(prompt, plain), crowded: () => run(prompt, crowded) };
    if (!quick) await interleaved(oneShot, 1);
    compare(`one-shot turn, ${servers} servers compared with none`, await interleaved(oneShot, quick ? 0 : 31), 20);
    const started = existsSync(starts) ? readFileSync(starts, "utf8").split("\n").length - 1 : 0;
    report("mcp", "servers that one-shot turns started but did not need", { started, limit: 0, holds: started === 0 });

    const body = await callOne(crowded, starts);
    const [system] = Array.isArray(body["messages"]) ? body["messages"] : [];
    const bytes = bytesOf(system) + bytesOf(body["tools"]);
    report("mcp", `system prompt and tools of the first request with ${servers * toolsEach} tools`, {
      bytes,
      limit: 12_288,
      holds: bytes <= 12_288,
    });
  } finally {
    rmSync(starts, { force: true });
  }
}

/** A one-shot turn that calls a tool of one server starts only that server. Returns its first request. */
async function callOne(scene: Scene, starts: string): Promise<JsonObject> {
  const before = model.requests.length;
  turns = () =>
    model.requests.length - before > 1
      ? { text: "Done." }
      : { calls: [{ name: "mcp__crowd1__read_account", args: { id: "7" } }] };
  await run(hermes("-z", "read the account"), scene);
  turns = () => ({ text: "Hello." });
  const started = existsSync(starts) ? [...readFileSync(starts, "utf8").matchAll(/^started (\S+)/gmu)] : [];
  const answered = JSON.stringify(model.requests.at(-1)?.json["messages"]).includes("read_account of crowd1");
  report("mcp", "servers that a one-shot turn with one call started", {
    started: started.length,
    limit: 1,
    answered,
    holds: answered && started.length === 1 && started[0]?.[1] === "crowd1",
  });
  return model.requests[before]?.json ?? {};
}

function compare(
  what: string,
  times: { readonly plain: readonly number[]; readonly crowded: readonly number[] },
  limitMs: number,
): void {
  const more = median(times.crowded) - median(times.plain);
  report("mcp", what, {
    ms: rounded(median(times.crowded), 1),
    plainMs: rounded(median(times.plain), 1),
    moreMs: rounded(more, 1),
    limitMs,
    holds: more <= limitMs,
  });
}

/** Starts the chat, waits for its first prompt, and kills it. */
async function promptOf(scene: Scene): Promise<void> {
  await chatWhile(scene, async () => {});
}

/** Runs the chat at a terminal until the prompt, does the work, and ends the chat. */
async function chatWhile<T>(
  scene: Scene,
  work: (chat: { readonly pid: number; leave(): Promise<void> }) => Promise<T>,
): Promise<T> {
  const [node = "", ...args] = hermes();
  const child = spawn(node, args, {
    cwd: scene.folder,
    env: { ...scene.env, TERM: "xterm", HERMES_TUI: "0" },
    cols: 120,
    rows: 40,
  });
  let isRunning = true;
  const exited = new Promise<void>((resolve) => child.onExit(() => resolve())).then(() => void (isRunning = false));
  const leave = async () => {
    child.write("\u0004");
    await exited;
  };
  try {
    await new Promise<void>((resolve, reject) => {
      let shown = "";
      child.onData((data) => {
        shown += data;
        if (shown.includes("❯")) resolve();
      });
      void exited.then(() => reject(new Error(`The chat ended: ${shown}`)));
    });
    return await work({ pid: child.pid, leave });
  } finally {
    // Kills the child at the end of a round. Its servers exit with it.
    if (isRunning) child.kill("SIGKILL");
    await exited;
  }
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/mu.exec(status)?.[1] ?? Number.NaN) * 1024;
}

// ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** JSON is also valid YAML. */
function mcpSettings(entries: object): string {
  return `mcp_servers: ${JSON.stringify(entries)}\n`;
}

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  for (let waitedMs = 0; !isSo(); waitedMs += 10) {
    if (waitedMs > 60_000) throw new Error(otherwise);
    await pause(10);
  }
}

function bytesOf(part: JsonValue | undefined): number {
  return isObject(part) || Array.isArray(part) ? Buffer.byteLength(JSON.stringify(part)) : 0;
}
