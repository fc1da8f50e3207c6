// covers: src/plugins/process, src/base/process, src/base/rpc
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { isObject } from "../../src/base/json.ts";
import { err, ok } from "../../src/base/result.ts";
import type { Result } from "../../src/base/result.ts";
import type { PluginFault } from "../../src/contracts/plugin/client.ts";
import { isRunning } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { type PluginRig, pluginRig } from "../support/plugin-rig.ts";
import { tempHome } from "../support/temp-home.ts";

function failure(outcome: Result<unknown, PluginFault>): PluginFault {
  assert.ok(!outcome.ok);
  return outcome.error;
}

/** The process id, from the small runner's answer to `load`. */
async function pidOf({ client }: PluginRig): Promise<number> {
  const { signal } = new AbortController();
  const loaded = await client.request("load", {} as never, { signal });
  assert.ok(loaded.ok && isObject(loaded.value));
  return Number(loaded.value["pid"]);
}

describe("the process of a plugin starts on demand and survives misuse", () => {
  test("a plugin's process starts at the first request, answers, and ends when the plugin is unloaded", async () => {
    let pid = 0;
    {
      await using rig = await pluginRig(`export const add = ({ a, b }) => a + b;`);
      assert.deepEqual(await rig.call("add", { a: 1, b: 2 }), ok(3));
      pid = await pidOf(rig);
      assert.ok(isRunning(pid));
      assert.deepEqual(rig.reports, []);
    }
    assert.ok(!isRunning(pid));
  });

  test("a plugin's process stops when idle and starts again", async () => {
    await using rig = await pluginRig(`export const add = ({ a, b }) => a + b;`, { idleMs: 50 });
    const pid = await pidOf(rig);
    await eventually(() => !isRunning(pid));
    assert.deepEqual(await rig.call("add", { a: 1, b: 2 }), ok(3));
    assert.notEqual(await pidOf(rig), pid);
    assert.deepEqual(rig.reports, []);
  });

  for (const isStarted of [true, false])
    test(`handles pending events before it is unloaded, ${isStarted ? "running" : "while it starts"}`, async () => {
      await using home = await tempHome();
      const path = join(home.path, "events");
      const code = `import { appendFileSync } from "node:fs";
        export const observe = (events) => appendFileSync(${JSON.stringify(path)}, events.map(({ args }) => args.n + ";").join(""));`;
      {
        await using rig = await pluginRig(code);
        for (const n of [1, 2, 3]) rig.client.observe([{ id: "h", args: `{"n":${n}}` }]);
        if (isStarted) await rig.call("missing");
        rig.client.observe([{ id: "h", args: `{"n":4}` }]);
      }
      assert.equal(readFileSync(path, "utf8"), "1;2;3;4;");
    });

  test("a crash of the plugin's process fails its requests and is reported, and the next request starts it again", async () => {
    await using rig = await pluginRig(`export const add = ({ a }) => a; export const crash = () => process.exit(3);`);
    const fault = failure(await rig.call("crash"));
    assert.equal(fault.kind, "crashed");
    assert.match(fault.message, /Plugin sample ended unexpectedly \(exit code 3\)/u);
    assert.deepEqual(rig.reports, [fault.message]);
    assert.deepEqual(await rig.call("add", { a: 1 }), ok(1));
  });

  test("three failures within a minute disable the plugin", async () => {
    await using rig = await pluginRig(`throw new Error("no such luck");`);
    for (let count = 0; count < 3; count++) assert.match(failure(await rig.call("x")).message, /no such luck/u);
    const fault = failure(await rig.call("x"));
    assert.equal(fault.kind, "unavailable");
    assert.match(fault.message, /no such luck.*failed 3 times within a minute/u);
    assert.equal(rig.reports.length, 3);
  });

  test("a request that ignores its cancellation ends the plugin's process; one that stops does not", async () => {
    const code = `
      import { writeFileSync } from "node:fs";
      export const loop = ({ path }) => { writeFileSync(path, "x"); for (;;); };
      export const wait = ({ id, send }) => new Promise((resolve) => (cancel = (cancelled) => cancelled === id && resolve("stopped")));
      export let cancel;
      export const add = ({ a }) => a;`;
    await using rig = await pluginRig(code);
    const pid = await pidOf(rig);
    assert.equal(failure(await rig.call("wait", {}, { timeoutMs: 50 })).kind, "timeout");
    assert.deepEqual(await rig.call("add", { a: 1 }), ok(1));
    assert.ok(isRunning(pid));
    const controller = new AbortController();
    await using home = await tempHome();
    const path = join(home.path, "loops");
    const looping = rig.call("loop", { path }, { signal: controller.signal });
    await eventually(() => existsSync(path));
    controller.abort();
    assert.equal(failure(await looping).kind, "aborted");
    await eventually(() => !isRunning(pid));
    await eventually(() => /does not stop on request and was ended/u.test(rig.reports.join()));
    assert.deepEqual(await rig.call("add", { a: 2 }), ok(2));
  });

  for (const [what, code, reason] of [
    [
      "garbage",
      "for (let n = 0; n < 300; n++) channel.write('rubbish\\n'); return new Promise(() => {});",
      /not JSON-RPC/u,
    ],
    ["a result of 100 MB", "return 'x'.repeat(100 * 2 ** 20);", /a line of more than 16 MB/u],
    [
      "a closed connection",
      "channel.destroy(); setInterval(() => {}, 1000); return new Promise(() => {});",
      /closed its connection/u,
    ],
    [
      "endless messages",
      'const flood = () => { while (channel.write(\'{"method":"log","params":{}}\\n\'.repeat(1000))); channel.once(\'drain\', flood); }; flood(); return new Promise(() => {});',
      /floods Hermes/u,
    ],
  ] as const) {
    test(`${what}: it is cut off and reported`, async () => {
      await using rig = await pluginRig(`export const run = ({ channel }) => { ${code} }`, { clock: quickWindows() });
      const fault = failure(await rig.call("run", {}, { timeoutMs: 120_000 }));
      assert.equal(fault.kind, "crashed");
      assert.match(fault.message, reason);
      assert.deepEqual(rig.reports.filter((sentence) => sentence === fault.message).length, 1);
    });
  }

  test("a deeply nested result and forged messages of a plugin do no harm", async () => {
    const code = `
      export const deep = () => { let value = []; for (let n = 0; n < 1000; n++) value = [value]; return value; };
      export const forge = ({ send }) => {
        for (let id = 0; id < 100; id++) { send({ id: id + 1000, result: "forged" }); send({ id: "x" + id, method: "host.nothing" }); }
        send({ method: "denied", params: { permission: "constructor", target: {} } });
        send({ method: "denied", params: { permission: "net", target: "a\\nb" } });
        send({ method: "denied", params: { permission: "net", target: "a\\nb" } });
        return "done";
      };`;
    await using rig = await pluginRig(code);
    assert.match(failure(await rig.call("deep")).message, /nests deeper/u);
    assert.deepEqual(await rig.call("forge"), ok("done"));
    assert.deepEqual(rig.refusals, [{ permission: "net", target: "a b" }]);
    assert.deepEqual(rig.reports, [
      "Plugin sample tried to connect to a b and was refused. To allow it: hermes plugins grant sample 'net:a b'",
    ]);
  });

  for (const message of [
    { method: "log", params: { message: { toString: 1, valueOf: 1 } } },
    { method: "denied", params: { permission: { toString: 1, valueOf: 1 }, target: "x" } },
    { method: "print", params: { text: { toString: 1, valueOf: 1 } } },
  ])
    test(`a message without text is cut off: ${message.method}`, async () => {
      await using rig = await pluginRig(
        `export const run = ({ send }) => { send(${JSON.stringify(message)}); return new Promise(() => {}); };`,
      );
      const fault = failure(await rig.call("run", {}, { onPrint() {} }));
      assert.match(fault.message, /sent an unreadable message \(\w+\) and was ended/u);
    });

  test("a flood on standard output is dropped, and the plugin still answers", async () => {
    const code = `
      const line = ("x".repeat(99) + "\\n").repeat(1000);
      export const flood = async () => { for (let n = 0; n < 30; n++) await new Promise((done) => process.stdout.write(line, done)); return "done"; };`;
    await using rig = await pluginRig(code);
    assert.deepEqual(await rig.call("flood"), ok("done"));
    assert.ok(rig.logged.length <= 1_300, `${rig.logged.length} lines`);
    assert.deepEqual(rig.reports, ["Plugin sample writes too much to its log; further lines are dropped."]);
  });

  test("requests from the plugin reach the host and can be cancelled", async () => {
    const code = `
      export const ask = ({ send, channel }) => new Promise((resolve) => {
        channel.on("data", (text) => text.includes('"id":"q"') && resolve(JSON.parse(text.split("\\n").find((line) => line.includes('"q"')))));
        send({ id: "q", method: "host.config", params: {} });
        send({ method: "$cancel", params: { id: "q" } });
      });`;
    const answer = async (_: string, __: object, signal: AbortSignal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return err("it was cancelled");
    };
    await using rig = await pluginRig(code, { answer });
    const outcome = await rig.call("ask");
    assert.match(JSON.stringify(outcome), /it was cancelled/u);
  });
});

/** Time passes only at the end of a wait, and short waits end at once: on a slow machine, too, a flood fills its windows. */
function quickWindows(): Clock {
  let elapsedMs = 0;
  const after: Clock["after"] = (ms, run) =>
    systemClock.after(ms <= 100 ? 0 : ms, () => {
      elapsedMs += ms;
      run();
    });
  return { now: () => systemClock.now(), elapsed: () => elapsedMs, after };
}
