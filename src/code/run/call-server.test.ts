import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import type { JsonValue } from "../../base/json.ts";
import { maxCallBytes, type KernelDone, type ScriptCall } from "../../contracts/code/wire.ts";
import { createCallServer } from "./call-server.ts";

async function rig(platform?: NodeJS.Platform) {
  const folder = await tempHome();
  const calls: ScriptCall[] = [];
  const done: KernelDone[] = [];
  const held = new Map<string, PromiseWithResolvers<JsonValue>>();
  const server = createCallServer({
    async answer(call) {
      calls.push(call);
      if (call.tool !== "hold") return { echo: call.args };
      const holder = Promise.withResolvers<JsonValue>();
      held.set(String(call.id), holder);
      return holder.promise;
    },
    done: (one) => done.push(one),
    ...(platform && { platform }),
  });
  const path = join(folder.path, "s");
  const address = await server.listen(path);
  return {
    server,
    path,
    address,
    calls,
    done,
    held,
    async [Symbol.asyncDispose]() {
      server[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A client that collects lines. */
function client(address: string) {
  const tcp = /^tcp:\/\/([\d.]+):(\d+)$/u.exec(address);
  const socket: Socket = tcp ? connect(Number(tcp[2]), tcp[1]) : connect(address);
  let buffered = "";
  const lines: unknown[] = [];
  const waiting: ((line: unknown) => void)[] = [];
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    buffered += chunk;
    for (let end = buffered.indexOf("\n"); end >= 0; end = buffered.indexOf("\n")) {
      const line: unknown = JSON.parse(buffered.slice(0, end));
      buffered = buffered.slice(end + 1);
      const next = waiting.shift();
      if (next) next(line);
      else lines.push(line);
    }
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return {
    socket,
    closed,
    send: (value: unknown) => void socket.write(typeof value === "string" ? value : `${JSON.stringify(value)}\n`),
    next: async () => lines.shift() ?? new Promise<unknown>((resolve) => waiting.push(resolve)),
    [Symbol.dispose]: () => socket.destroy(),
  };
}

test("only the user can open the socket, and calls are answered in any order", async () => {
  await using host = await rig();
  assert.equal(statSync(host.path).mode & 0o777, 0o600);
  using script = client(host.address);
  script.send({ token: host.server.token });
  script.send({ id: 1, tool: "hold", args: {} });
  script.send({ id: 2, tool: "echo", args: { word: "é" } });
  assert.deepEqual(await script.next(), { id: 2, result: { echo: { word: "é" } } });
  host.held.get("1")?.resolve("late");
  assert.deepEqual(await script.next(), { id: 1, result: "late" });
});

test("a wrong token, a missing token and an overlong first line are refused, and the connection ends", async () => {
  await using host = await rig();
  await using other = await rig();
  for (const hello of [
    { token: other.server.token },
    { token: 5 },
    { id: 1, tool: "echo", args: {} },
    "x".repeat(5_000),
  ]) {
    using script = client(host.address);
    script.send(hello);
    script.send({ id: 1, tool: "echo", args: {} });
    assert.deepEqual(await script.next(), { id: null, fault: "Unauthorized RPC request" });
    await script.closed;
  }
  assert.deepEqual(host.calls, []);
});

test("an unreadable line gets an error, and the connection stays open", async () => {
  await using host = await rig();
  using script = client(host.address);
  script.send({ token: host.server.token });
  script.send("not json\n");
  script.send({ tool: "echo", args: {} });
  script.send({ id: 3, tool: 4, args: {} });
  script.send({ id: 4, tool: "echo", args: [] });
  const faults = [await script.next(), await script.next(), await script.next(), await script.next()];
  assert.deepEqual(
    faults.map((fault) => (fault as { readonly id: unknown }).id),
    [null, null, 3, 4],
  );
  script.send({ id: 5, tool: "echo", args: {} });
  assert.deepEqual(await script.next(), { id: 5, result: { echo: {} } });
});

test("a line beyond the limit ends the connection", async () => {
  await using host = await rig();
  using script = client(host.address);
  script.send({ token: host.server.token });
  const part = "x".repeat(2 ** 20);
  for (let sent = 0; sent <= maxCallBytes; sent += part.length) script.socket.write(part);
  const reply = (await script.next()) as { readonly fault: string };
  assert.match(reply.fault, /longer than/);
  await script.closed;
  assert.deepEqual(host.calls, []);
});

test("kernels report through the same connection", async () => {
  await using host = await rig();
  using script = client(host.address);
  script.send({ token: host.server.token });
  script.send({ done: 7, failed: true });
  script.send({ id: 1, tool: "echo", args: {} });
  await script.next();
  assert.deepEqual(host.done, [{ done: 7, failed: true, names: [] }]);
});

test("on Windows the host listens on the loopback address only", async () => {
  await using host = await rig("win32");
  assert.match(host.address, /^tcp:\/\/127\.0\.0\.1:\d+$/);
  using script = client(host.address);
  script.send({ token: host.server.token });
  script.send({ id: 1, tool: "echo", args: {} });
  assert.deepEqual(await script.next(), { id: 1, result: { echo: {} } });
});

test("closing the host ends every connection", async () => {
  await using host = await rig();
  using script = client(host.address);
  script.send({ token: host.server.token });
  script.send({ id: 1, tool: "echo", args: {} });
  await script.next();
  host.server[Symbol.dispose]();
  await script.closed;
});
