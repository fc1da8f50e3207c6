import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { eventually } from "../../../test/support/eventually.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import {
  callResult,
  memoryEntry,
  memoryFault,
  type MemoryServer,
  memoryServer,
  memoryTool,
} from "../../../test/support/memory-mcp.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { silentLog } from "../../base/log/log.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import { openMcpFleet } from "./mcp-fleet.ts";
import { openServerCache } from "./server-cache.ts";

const never = new AbortController().signal;

function fleetOf(folder: string, servers: Readonly<Record<string, MemoryServer>>, entries: readonly McpServerEntry[]) {
  const clock = fakeClock();
  const messages: string[] = [];
  const fleet = openMcpFleet(
    { entries, problems: [] },
    {
      connector: (entry) => (signal) => servers[entry.name]!.connect(signal),
      startFault: async () => undefined,
      cache: openServerCache({ folder, canWrite: () => true, clock, log: silentLog }),
      findOrders: async (text) => (text.includes("Ignore all") ? "it gives orders" : undefined),
      pause: async () => undefined,
      logTail: () => [],
      say: (sentence) => void messages.push(sentence),
      clock,
      log: silentLog,
    },
  );
  const callOf = (server: string, tool = "go", signal = never) =>
    fleet.use(server, (connection) => connection.call(tool, {}, { signal, timeoutMs: 1000 }), { signal });
  const stateOf = (server: string) => fleet.find(server)?.state;
  return { fleet, clock, messages, callOf, stateOf };
}

test("the tools of a server are listed once; the next program uses the stored list and connects at the first call", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"), memoryTool("stop"));
  {
    const { fleet, stateOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
    await using _fleet = fleet;
    assert.equal(stateOf("a"), "new");
    fleet.start("unknown");
    await fleet.settled(Infinity, never);
    assert.equal(stateOf("a"), "connected");
  }
  assert.equal(server.open, 0);
  const { fleet, callOf, stateOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  fleet.start("unknown");
  assert.equal(stateOf("a"), "known");
  assert.deepEqual(fleet.find("a")?.tools, ["mcp__a__go", "mcp__a__stop"]);
  assert.equal(fleet.listing("a")?.tools[0]?.description, "Does go.");
  assert.equal(server.connects, 1);
  assert.deepEqual(await callOf("a"), callResult("go was called"));
  assert.equal(server.connects, 2);
});

test("a chat connects to every server, and to a lazy one only if its tools are not stored or a call needs it", async () => {
  await using home = await tempHome();
  const servers = { eager: memoryServer(memoryTool("go")), lazy: memoryServer(memoryTool("go")) };
  const entries = [memoryEntry("eager"), memoryEntry("lazy", { isLazy: true })];
  const connects = () => [servers.eager.connects, servers.lazy.connects];
  {
    const { fleet } = fleetOf(home.path, servers, entries);
    await using _fleet = fleet;
    fleet.start("all");
    await fleet.settled(Infinity, never);
    assert.deepEqual(connects(), [1, 1]);
  }
  const { fleet, callOf } = fleetOf(home.path, servers, entries);
  await using _fleet = fleet;
  fleet.start("all");
  await fleet.settled(Infinity, never);
  assert.deepEqual(connects(), [2, 1]);
  assert.deepEqual(await callOf("lazy"), callResult("go was called"));
  assert.deepEqual(connects(), [2, 2]);
});

test("changing the settings of a server invalidates its stored list", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"), memoryTool("stop"));
  const { fleet } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  await fleet.connect("a", never);
  const tools = { include: ["g*"], exclude: [], resources: true, prompts: true };
  assert.deepEqual(await fleet.reload({ entries: [memoryEntry("a", { tools })], problems: [] }), {
    added: [],
    removed: [],
    changed: ["a"],
  });
  assert.equal(fleet.find("a")?.state, "new");
  await fleet.connect("a", never);
  assert.deepEqual(fleet.find("a")?.tools, ["mcp__a__go"]);
  await fleet.reload({ entries: [], problems: [{ name: "b", message: "b is off" }] });
  assert.deepEqual(
    fleet.list().map(({ name, state, why }) => ({ name, state, why })),
    [{ name: "b", state: "broken", why: "b is off" }],
  );
  assert.equal(server.open, 0);
});

test("a dead server is retried forever at growing intervals, and its tools appear when it responds", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"));
  server.refusal = memoryFault("transport").error;
  const { fleet, clock, stateOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  fleet.start("all");
  await fleet.settled(Infinity, never);
  assert.equal(stateOf("a"), "retrying");
  for (let round = 0; round < 20; round++) {
    clock.advance(80_000);
    await eventually(() => server.connects === round + 2 && stateOf("a") === "retrying");
  }
  server.refusal = undefined;
  clock.advance(80_000);
  await eventually(() => stateOf("a") === "connected");
  assert.deepEqual(fleet.find("a")?.tools, ["mcp__a__go"]);
  server.drop("it crashed");
  await eventually(() => stateOf("a") === "retrying");
  clock.advance(80_000);
  await eventually(() => stateOf("a") === "connected");
});

test("a server that needs a sign-in is not retried automatically", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"));
  server.refusal = memoryFault("auth").error;
  const { fleet, clock, stateOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  fleet.start("all");
  await fleet.settled(Infinity, never);
  clock.advance(1_000_000);
  await setImmediate();
  assert.equal(stateOf("a"), "signed_out");
  assert.equal(server.connects, 1);
  server.refusal = undefined;
  assert.ok((await fleet.connect("a", never)).ok);
  assert.equal(stateOf("a"), "connected");
});

test("a call whose request did not reach the server is repeated on a new connection; a call that was sent is not", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"));
  const { fleet, callOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  const faults = [memoryFault("session"), memoryFault("transport", true)];
  server.call = async () => faults.shift() ?? callResult("done");
  assert.deepEqual(await callOf("a"), memoryFault("transport", true));
  assert.equal(server.connects, 2);
  assert.deepEqual(await callOf("a"), callResult("done"));
});

test("the circuit breaker counts only transport failures, and lets a call through after a while", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"));
  const { fleet, clock, callOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  server.call = async () => memoryFault("server", true);
  for (let round = 0; round < 10; round++) assert.deepEqual(await callOf("a"), memoryFault("server", true));
  server.call = async () => memoryFault("timeout", true);
  for (let round = 0; round < 3; round++) assert.deepEqual(await callOf("a"), memoryFault("timeout", true));
  server.call = async () => callResult("well again");
  const refused = await callOf("a");
  assert.match(refused.ok ? "" : refused.error.message, /failed several times.* in 60 s/u);
  clock.advance(60_000);
  assert.deepEqual(await callOf("a"), callResult("well again"));
});

test("a server gets one call at a time unless it allows several; running calls are tracked", async () => {
  await using home = await tempHome();
  const [serial, parallel] = [memoryServer(memoryTool("go")), memoryServer(memoryTool("go"))];
  const entries = [memoryEntry("serial"), memoryEntry("parallel", { isParallel: true })];
  const { fleet, callOf } = fleetOf(home.path, { serial, parallel }, entries);
  await using _fleet = fleet;
  const maxRunning = { serial: 0, parallel: 0 };
  for (const [name, server] of [
    ["serial", serial],
    ["parallel", parallel],
  ] as const) {
    let running = 0;
    server.call = async () => {
      maxRunning[name] = Math.max(maxRunning[name], ++running);
      await setImmediate();
      running -= 1;
      return callResult("done");
    };
    await Promise.all(Array.from({ length: 4 }, () => callOf(name)));
  }
  assert.deepEqual(maxRunning, { serial: 1, parallel: 4 });
});

test("a cancelled call does not wait in the queue", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"));
  const { fleet, callOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  const release = Promise.withResolvers<void>();
  server.call = async () => release.promise.then(() => callResult("late"));
  const first = callOf("a");
  const stop = new AbortController();
  const second = callOf("a", "go", stop.signal);
  stop.abort();
  const cancelled = await second;
  assert.equal(cancelled.ok ? "" : cancelled.error.kind, "aborted");
  release.resolve();
  assert.deepEqual(await first, callResult("late"));
});

test("a call during a reconnect waits only a limited time", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"));
  const { fleet, clock, callOf, stateOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  await callOf("a");
  server.drop("gone");
  await eventually(() => stateOf("a") === "known");
  const { connect } = server;
  const hanging = Promise.withResolvers<void>();
  server.connect = async (signal) => hanging.promise.then(() => connect(signal));
  const waiting = callOf("a");
  await setImmediate();
  clock.advance(15_000);
  const refused = await waiting;
  assert.deepEqual(refused.ok ? "" : [refused.error.kind, refused.error.isSent], ["timeout", false]);
  hanging.resolve();
});

test("a health check closes a connection only after two missed replies without any other traffic", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"));
  const { fleet, clock, callOf, stateOf } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  fleet.start("all");
  await fleet.settled(Infinity, never);
  clock.advance(180_000);
  await eventually(() => server.pings === 1);
  await setImmediate();
  server.ping = async () => memoryFault("server", true);
  clock.advance(180_000);
  await eventually(() => server.pings === 2);
  await setImmediate();
  // The server answers calls but not pings.
  const late = Promise.withResolvers<void>();
  server.ping = async () => late.promise.then(() => memoryFault("timeout", true));
  clock.advance(180_000);
  await eventually(() => server.pings === 3);
  await callOf("a");
  late.resolve();
  await setImmediate();
  assert.equal(stateOf("a"), "connected");
  assert.equal(server.connects, 1);
  server.ping = async () => memoryFault("timeout", true);
  clock.advance(400_000);
  await eventually(() => stateOf("a") === "retrying");
  assert.equal(server.open, 0);
});

test("a server that is idle or has run too long is stopped, and restarted for the next call", async () => {
  await using home = await tempHome();
  const [idle, old] = [memoryServer(memoryTool("go")), memoryServer(memoryTool("go"))];
  const entries = [memoryEntry("idle", { idleMs: 60_000 }), memoryEntry("old", { maxLifetimeMs: 600_000 })];
  const { fleet, clock, callOf, stateOf } = fleetOf(home.path, { idle, old }, entries);
  await using _fleet = fleet;
  fleet.start("all");
  await fleet.settled(Infinity, never);
  clock.advance(50_000);
  await callOf("idle");
  clock.advance(50_000);
  assert.equal(stateOf("idle"), "connected");
  clock.advance(60_000);
  assert.equal(stateOf("idle"), "known");
  const release = Promise.withResolvers<void>();
  old.call = async () => release.promise.then(() => callResult("done"));
  const running = callOf("old");
  await setImmediate();
  clock.advance(600_000);
  assert.equal(stateOf("old"), "connected");
  release.resolve();
  await running;
  assert.equal(stateOf("old"), "known");
  assert.deepEqual([idle.open, old.open], [0, 0]);
  assert.ok((await callOf("idle")).ok);
});

test("new tools are available immediately, changed tools wait for the user's approval, and narrower tools do not", async () => {
  await using home = await tempHome();
  const server = memoryServer(memoryTool("go"), memoryTool("stop"));
  const { fleet, clock, messages } = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _fleet = fleet;
  await fleet.connect("a", never);
  const changes: string[] = [];
  using _watch = fleet.onChange((name) => void changes.push(name));
  const narrower = { type: "object", properties: { text: { type: "string", maxLength: 9 } } };
  server.tools = [
    memoryTool("go", { description: "Does something else." }),
    memoryTool("stop", { inputSchema: narrower }),
    memoryTool("more"),
  ];
  server.listChanged();
  clock.advance(1_000);
  await eventually(() => changes.length > 0);
  assert.deepEqual(fleet.find("a")?.tools, ["mcp__a__stop", "mcp__a__more"]);
  const [waiting] = fleet.find("a")?.waiting ?? [];
  assert.deepEqual([waiting?.tool, waiting?.reason], ["go", "changed"]);
  assert.match(waiting?.detail ?? "", /^- {2}"description": "Does go\."/mu);
  assert.deepEqual(messages, ["MCP server a: 1 tool must be accepted before use. To see why: hermes mcp trust a"]);
  assert.ok(!(await fleet.accept("a", ["stop"])).ok);
  assert.ok((await fleet.accept("a")).ok);
  assert.deepEqual(fleet.find("a")?.tools, ["mcp__a__go", "mcp__a__stop", "mcp__a__more"]);
  const next = fleetOf(home.path, { a: server }, [memoryEntry("a")]);
  await using _next = next.fleet;
  await next.fleet.connect("a", never);
  assert.deepEqual(next.fleet.find("a")?.waiting, []);
});

test("tools that share a name are all disabled, within a server and across servers", async () => {
  await using home = await tempHome();
  const first = memoryServer(memoryTool("x.y"), memoryTool("x_y"), memoryTool("z"));
  const [second, third] = [memoryServer(memoryTool("go")), memoryServer(memoryTool("go"), memoryTool("stop"))];
  const entries = [memoryEntry("a"), memoryEntry("b-c"), memoryEntry("b_c")];
  const { fleet } = fleetOf(home.path, { a: first, "b-c": second, b_c: third }, entries);
  await using _fleet = fleet;
  for (const { name } of entries) await fleet.connect(name, never);
  assert.deepEqual(
    fleet.list().map(({ name, tools, waiting }) => ({
      name,
      tools,
      waiting: waiting.map(({ tool, reason }) => `${tool} ${reason}`),
    })),
    [
      { name: "a", tools: ["mcp__a__z"], waiting: ["x.y collision", "x_y collision"] },
      { name: "b-c", tools: [], waiting: ["go collision"] },
      { name: "b_c", tools: ["mcp__b_c__stop"], waiting: ["go collision"] },
    ],
  );
});

test("a slow server delays neither other servers nor the prompt", async () => {
  await using home = await tempHome();
  const servers = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`s${index}`, memoryServer(memoryTool("go"))]),
  );
  for (let index = 0; index < 10; index++) servers[`s${index}`]!.connect = () => new Promise(() => {});
  const { fleet, clock, stateOf } = fleetOf(
    home.path,
    servers,
    Object.keys(servers).map((name) => memoryEntry(name)),
  );
  fleet.start("all");
  const prompt = fleet.settled(1_500, never);
  await setImmediate();
  clock.advance(1_500);
  await prompt;
  clock.advance(3_000);
  await eventually(() => stateOf("s10") === "connected" && stateOf("s11") === "connected");
  assert.equal(stateOf("s0"), "connecting");
});

test("using an unknown or disabled server is a fault with a clear reason", async () => {
  await using home = await tempHome();
  const { fleet, callOf } = fleetOf(home.path, { a: memoryServer() }, [
    memoryEntry("a", { isEnabled: false }),
    memoryEntry("list"),
  ]);
  await using _fleet = fleet;
  const faults = [await callOf("a"), await callOf("lisst")].map((each) => (each.ok ? "" : each.error.message));
  assert.match(faults[0] ?? "", /disabled by its settings/u);
  assert.match(faults[1] ?? "", /There is no MCP server lisst.*list/u);
});
