// covers: src/environments
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { Environment, EnvironmentError } from "../../src/contracts/environment/environment.ts";
import { createModalFactory, type ModalDeps } from "../../src/environments/modal/modal-environment.ts";
import { inChild, isRunning } from "../support/child-process.ts";
import { environmentConformance, neverAborted, run } from "../support/environment-conformance.ts";
import { eventually } from "../support/eventually.ts";
import { modalServer, type ServedSandbox } from "../support/modal-server.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

after(() => {
  delete process.env["MODAL_SERVER_URL"];
});

// The SDK takes the address of the service from a variable of the process.
const oneByOne = { concurrency: 1 };
environmentConformance(
  "modal",
  async () => {
    const { factory, home, owned } = await started();
    const folder = join(home, "sandboxes", "work");
    await mkdir(folder);
    return { factory: factory(), folder, hasTerminals: false, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  },
  { ...oneByOne, isLinkOnly: true },
);

test("a sandbox is created from the image and ends after at most an hour", async () => {
  await using rig = await started();
  await using _environment = await rig.open();
  const { args, timeoutSeconds, image, name } = rig.newest();
  assert.deepEqual({ args, timeoutSeconds }, { args: ["sleep", "infinity"], timeoutSeconds: 3600 });
  assert.equal(image, `im-${Buffer.from("FROM debian:13").toString("hex")}`);
  assert.match(name, /^hermes-task-[0-9a-f]{8}$/u);
});

test("closing saves the files as a snapshot, listed in the home, and ends the sandbox", async () => {
  await using rig = await started();
  await writeFile(rig.snapshotFile, '{"direct:other":"im-other"}');
  for (const round of [1, 2]) {
    await using environment = await rig.open();
    await run(environment, `echo ${round} >>file`);
  }
  assert.deepEqual(await rig.snapshots(), { "direct:other": "im-other", "direct:task": "im-snapshot2" });
  assert.deepEqual(
    rig.server.sandboxes.map(({ isRunning }) => isRunning),
    [false, false],
  );
  await using environment = await rig.open();
  assert.equal((await run(environment, "cat file")).text, "1\n2\n");
});

test("a sandbox without persistence leaves nothing behind", async () => {
  await using rig = await started({ isPersistent: false });
  {
    await using environment = await rig.open();
    await run(environment, "echo x >file");
  }
  assert.equal(rig.newest().isRunning, false);
  assert.equal(rig.server.images.size, 0);
});

test("snapshot files that cannot be restored are reported and stay listed, and the plain image is used", async () => {
  await using rig = await started();
  await writeFile(rig.snapshotFile, '{"direct:task":"im-lost"}');
  const { kind, message, hint } = await rig.refused();
  assert.equal(kind, "misconfigured");
  assert.match(message, /snapshot im-lost\) could not be restored: Could not find image/);
  assert.match(hint ?? "", /unrestored:task .*Try again to start without them, from the image debian:13/);
  assert.deepEqual(await rig.snapshots(), { "unrestored:task": "im-lost" });
  {
    await using environment = await rig.open();
    await run(environment, "true");
  }
  assert.deepEqual(await rig.snapshots(), { "unrestored:task": "im-lost", "direct:task": "im-snapshot1" });
});

test("a snapshot that Modal temporarily cannot provide is kept", async () => {
  await using rig = await started();
  await writeFile(rig.snapshotFile, '{"direct:task":"im-there"}');
  for (let index = 0; index < 4; index++) rig.server.inject("ImageFromId", 14);
  assert.equal((await rig.refused()).kind, "unreachable");
  assert.deepEqual(await rig.snapshots(), { "direct:task": "im-there" });
});

test("if the files cannot be saved, the sandbox keeps running", async () => {
  await using rig = await started();
  {
    await using environment = await rig.open();
    await run(environment, "echo precious >file");
    rig.server.inject("TaskSnapshotFilesystem", 9);
  }
  assert.equal(rig.newest().isRunning, true);
  await using environment = await rig.open();
  assert.equal((await run(environment, "cat file")).text, "precious\n");
});

test("a sandbox that ended between two commands is recreated with the shell's state, and the user gets a notice", async () => {
  const messages: string[] = [];
  await using rig = await started({ say: (message) => void messages.push(message) });
  await using environment = await rig.open();
  await run(environment, "export MODE=kept; say() { echo said; }");
  await rig.server.end(rig.newest());
  assert.equal((await run(environment, 'echo "$MODE"; say; echo ran >>file; cat file')).text, "kept\nsaid\nran\n");
  assert.equal(rig.server.sandboxes.length, 2);
  assert.match(messages.join(), /Modal had ended the sandbox/);
});

test("a sandbox that ends during a command loses it, and the next command gets a new one", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  const { ended, fault, text } = await run(environment, "echo begun; sleep 30", {
    onOutput: () => void rig.server.end(rig.newest()),
  });
  assert.deepEqual({ ended, text }, { ended: "lost", text: "begun\n" });
  assert.ok(fault);
  assert.equal((await run(environment, "echo again")).text, "again\n");
});

test("files are saved before the lifetime of a sandbox ends", async () => {
  await using rig = await started({ lifetimeMs: 6_000 });
  await using environment = await rig.open();
  await run(environment, "echo kept >file");
  while (rig.server.images.size === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  while (!(await rig.snapshots())["direct:task"]) await new Promise((resolve) => setTimeout(resolve, 10));
  await rig.server.end(rig.newest());
  // The shell's folder was on the machine that no longer exists.
  assert.equal((await run(environment, "cat ~/file", { cwd: "/" })).exitCode, 0);
});

test("a command whose first response was lost runs exactly once", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  rig.server.inject("TaskExecStart", "lost");
  assert.equal((await run(environment, "echo ran >>file; cat file")).text, "ran\n");
});

test("a stopped command that the service could not kill is killed later, without another command", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  const stop = new AbortController();
  let pid = 0;
  const starts = () => rig.server.requests.filter((method) => method === "TaskExecStart").length;
  let startsBefore = 0;
  await environment.exec("echo pid=$$; exec sleep 600", {
    signal: stop.signal,
    timeoutMs: 600_000,
    onOutput(chunk) {
      pid ||= Number(/pid=(\d+)\n/u.exec(Buffer.from(chunk).toString())?.[1] ?? 0);
      if (pid === 0 || stop.signal.aborted) return;
      startsBefore = starts();
      for (let count = 0; count < refusedStarts; count++) rig.server.inject("TaskExecStart", invalidArgument);
      stop.abort();
    },
  });
  assert.notEqual(pid, 0);
  await eventually(() => !isRunning(pid));
  assert.ok(starts() - startsBefore > refusedStarts);
});

/** A gRPC code after which the SDK does not try again. */
const invalidArgument = 3;
const refusedStarts = 1;

test("command output continues at its offset after the connection breaks", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  const command = "i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); sleep 0.005; done";
  let drops = 0;
  const { text, ended } = await run(environment, command, {
    onOutput: () => void ((drops += 1) % 20 === 1 && drops < 80 && rig.server.dropConnections()),
  });
  assert.equal(ended, "exit");
  assert.equal(text, Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join(""));
});

test("wrong credentials, an incomplete key pair, managed mode and a wrong image are errors with advice", async () => {
  await using rig = await started();
  const wrong = await rig.refused({ tokenSecret: "wrong" });
  assert.equal(wrong.kind, "misconfigured");
  assert.match(`${wrong.message} ${wrong.hint}`, /does not accept the credentials.*MODAL_TOKEN_ID/);
  const image = await rig.refused({ image: "no-such" });
  assert.equal(image.kind, "misconfigured");
  assert.match(`${image.message} ${image.hint}`, /manifest unknown.*modal_image/s);
  const managed = await rig.refused({ mode: "managed" });
  assert.match(`${managed.message} ${managed.hint}`, /managed is not supported.*direct/);
  const { tokenId: _, ...half } = rig.deps;
  const opened = await createModalFactory(half).open({ taskId: "task" }, neverAborted());
  assert.match(opened.ok ? "" : opened.error.message, /MODAL_TOKEN_ID is not set/);
});

test("a service that does not answer is reported as unreachable", async () => {
  await using rig = await started();
  process.env["MODAL_SERVER_URL"] = "http://127.0.0.1:9";
  const { kind, message, hint } = await rig.refused();
  assert.equal(kind, "unreachable");
  assert.match(`${message} ${hint}`, /cannot be reached.*Check the network/s);
});

test("two programs that create the sandbox at the same moment share it", async () => {
  await using rig = await started();
  const [first, second] = await Promise.all([rig.open(), rig.open()]);
  await using _first = first;
  await using _second = second;
  await run(first, "echo shared >file");
  assert.equal((await run(second, "cat file")).text, "shared\n");
});

test("twenty commands run in parallel", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  const ran = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      run(environment, `sleep 0.1; cat; echo ${index}`, { stdin: Buffer.from("in ") }),
    ),
  );
  assert.deepEqual(
    ran.map(({ text }) => text),
    ran.map((_, index) => `in ${index}\n`),
  );
});

test("100 MB of output use little memory", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  await run(environment, "head -c 20000000 /dev/zero");
  const before = process.memoryUsage().rss;
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const { totalBytes } = await run(environment, "head -c 100000000 /dev/zero", { timeoutMs: 60_000 });
  clearInterval(watch);
  assert.equal(totalBytes, 100_000_000);
  // The service runs in this process too; each end of a connection may buffer 64 MB.
  assert.ok(peak - before < 200_000_000, `${peak - before}`);
});

test("a program that used modal exits normally", async () => {
  await using rig = await started();
  const { deps } = rig;
  const code = `
    import { createModalFactory } from "./src/environments/modal/modal-environment.ts";
    import { systemClock } from "./src/base/clock.ts";
    import { silentLog } from "./src/base/log/log.ts";
    const deps = { ...JSON.parse(process.argv[1]), clock: systemClock, log: silentLog, say() {} };
    const signal = new AbortController().signal;
    const opened = await createModalFactory(deps).open({ taskId: "task" }, signal);
    const ran = await opened.value.exec("echo ran", { signal, timeoutMs: 60_000 });
    await opened.value[Symbol.asyncDispose]();
    process.stdout.write(Buffer.from(ran.value.head));
  `;
  const child = inChild(process.cwd(), code, [JSON.stringify(deps)]);
  const limit = setTimeout(() => child.process.kill("SIGKILL"), 30_000);
  assert.deepEqual(await child.ended, { code: 0, output: "ran\n" });
  clearTimeout(limit);
});

test("the built program, which contains the SDK, runs commands in a sandbox", async () => {
  await using rig = await started();
  const home = join(rig.home, "hermes");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), JSON.stringify({ terminal: { backend: "modal" } }));
  const env = {
    ...process.env,
    HERMES_HOME: home,
    HERMES_MODEL: "offline",
    MODAL_TOKEN_ID: rig.server.tokenId,
    MODAL_TOKEN_SECRET: rig.server.tokenSecret,
  };
  const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");
  const args = [program, "-z", "run `echo from $((40 + 2)) sandboxes`", "--yolo"];
  const ran = await runProgram(process.execPath, args, { cwd: rig.home, env, input: "" });
  assert.match(ran.stdout, /from 42 sandboxes/u, ran.stderr);
  assert.equal(rig.server.sandboxes.length, 1);
});

async function started(more: Partial<ModalDeps> = {}) {
  await using stack = new AsyncDisposableStack();
  const { path: home } = stack.use(await tempHome());
  await mkdir(join(home, "sandboxes"));
  const server = stack.use(await modalServer(join(home, "sandboxes")));
  // The only way to set Modal's address in the SDK.
  process.env["MODAL_SERVER_URL"] = server.url;
  const snapshotFile = join(home, "modal_snapshots.json");
  const deps: ModalDeps = {
    mode: "auto",
    tokenId: server.tokenId,
    tokenSecret: server.tokenSecret,
    image: "debian:13",
    cpu: 1,
    memoryMb: 1024,
    isPersistent: true,
    snapshotFile,
    homeId: "testhome",
    env: {},
    passthrough: [],
    spillFolder: join(home, "spill"),
    say: () => undefined,
    clock: systemClock,
    log: silentLog,
    ...more,
  };
  const factory = (changed: Partial<ModalDeps> = {}) => createModalFactory({ ...deps, ...changed });
  const owned = stack.move();
  return {
    home,
    server,
    deps,
    snapshotFile,
    factory,
    owned,
    newest(): ServedSandbox {
      const sandbox = server.sandboxes.at(-1);
      assert.ok(sandbox);
      return sandbox;
    },
    snapshots: async () => JSON.parse(await readFile(snapshotFile, "utf8").catch(() => "{}")) as Record<string, string>,
    async open(): Promise<Environment> {
      const opened = await factory().open({ taskId: "task" }, neverAborted());
      assert.ok(opened.ok, JSON.stringify(opened));
      return opened.value;
    },
    async refused(changed: Partial<ModalDeps> = {}): Promise<EnvironmentError> {
      const opened = await factory(changed).open({ taskId: "task" }, neverAborted());
      assert.ok(!opened.ok);
      return opened.error;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
