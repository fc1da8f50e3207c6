// covers: src/environments
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { Environment, EnvironmentError } from "../../src/contracts/environment/environment.ts";
import { createDaytonaFactory, type DaytonaDeps } from "../../src/environments/daytona/daytona-environment.ts";
import { machineName } from "../../src/environments/hosted/machine-name.ts";
import { isRunning } from "../support/child-process.ts";
import {
  type DaytonaServer,
  daytonaServer,
  type DaytonaServerOptions,
  type ServedSandbox,
} from "../support/daytona-server.ts";
import { environmentConformance, neverAborted, run } from "../support/environment-conformance.ts";
import { eventually } from "../support/eventually.ts";
import { assertFails } from "../support/failure.ts";
import { tempHome } from "../support/temp-home.ts";

environmentConformance(
  "daytona",
  async () => {
    const { factory, folder, owned } = await started({ taskId: "conformance" });
    return { factory: factory(), folder, hasTerminals: false, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  },
  { isLinkOnly: true },
);

test("a sandbox is stopped when it is closed and started when it is needed, with its files", async () => {
  await using rig = await started();
  for (const state of ["stopped", "archived"]) {
    {
      await using environment = await rig.open();
      await run(environment, "echo kept >>file");
    }
    const [sandbox] = rig.server.sandboxes.values();
    assert.ok(sandbox && ["stopping", "stopped"].includes(sandbox.state), sandbox?.state);
    await eventually(() => sandbox.state === "stopped");
    sandbox.state = state;
  }
  await using environment = await rig.open();
  assert.equal((await run(environment, "cat file")).text, "kept\nkept\n");
  assert.equal(rig.server.sandboxes.size, 1);
});

test("a sandbox without persistence is deleted when it is closed", async () => {
  await using rig = await started({ deps: { isPersistent: false } });
  {
    await using environment = await rig.open();
    await run(environment, "echo x >file");
  }
  assert.deepEqual(states(rig.server), ["destroyed"]);
});

test("a sandbox is created with a name, labels, whole GiB and no automatic stop; a reduced disk is reported", async () => {
  const messages: string[] = [];
  await using rig = await started({
    deps: { memoryMb: 1025, diskMb: 51_200, cpu: 0.5, say: (message) => void messages.push(message) },
  });
  await using _environment = await rig.open();
  const [sandbox] = rig.server.sandboxes.values();
  assert.deepEqual(sandbox?.asked, {
    name: "hermes-task",
    buildInfo: { dockerfileContent: "FROM debian:13\n" },
    labels: { "hermes-agent": "1", "hermes-home": "testhome", "hermes-task": "hermes-task" },
    cpu: 1,
    memory: 2,
    disk: 10,
    autoStopInterval: 0,
  });
  assert.equal(messages.length, 1);
  assert.match(messages[0] ?? "", /at most 10 GiB of disk/);
});

test("a sandbox of the same name that belongs to another home is not touched", async () => {
  await using rig = await started();
  await using other = await rig.open({ homeId: "otherhome" });
  await run(other, "echo theirs >file");
  await using mine = await rig.open();
  assert.equal((await run(mine, "ls file")).exitCode === 0, false);
  assert.deepEqual(
    [...rig.server.sandboxes.values()].map(({ name }) => name),
    ["hermes-task", "hermes-task-testhome"],
  );
});

test("two programs that create the sandbox at the same moment share it", async () => {
  await using rig = await started();
  const [first, second] = await Promise.all([rig.open(), rig.open()]);
  await using _first = first;
  await using _second = second;
  await run(first, "echo shared >file");
  assert.equal((await run(second, "cat file")).text, "shared\n");
  assert.equal(rig.server.sandboxes.size, 1);
});

test("a missing key and a wrong key are errors with advice, and the wrong key is tried once", async () => {
  await using rig = await started();
  assert.match((await rig.refused({ apiKey: "" })).message, /DAYTONA_API_KEY is not set/);
  const { kind, message, hint } = await rig.refused({ apiKey: "wrong" });
  assert.equal(kind, "misconfigured");
  assert.match(message, /does not accept the key .*401: Unauthorized/);
  assert.match(hint ?? "", /DAYTONA_API_KEY/);
  assert.deepEqual(rig.server.requests, ["GET /api/sandbox/hermes-task"]);
});

test("Daytona errors distinguish a missing service, a rate limit and a server failure", async () => {
  // Pauses between attempts are a tenth as long.
  const clock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 10, run) };
  await using rig = await started({ deps: { clock } });
  const nowhere = await rig.refused({ apiUrl: "http://127.0.0.1:9/api" });
  assert.equal(nowhere.kind, "unreachable");
  assert.match(`${nowhere.message} ${nowhere.hint}`, /nothing listens at 127\.0\.0\.1:9: .*Check the network/);
  rig.server.inject({ on: /./, with: 429, headers: { "retry-after-sandbox-create": "3600" } });
  const limited = await rig.refused();
  assert.match(`${limited.message} ${limited.hint}`, /request limit is exceeded.*Wait a minute/);
  rig.server.inject({ on: /./, with: 503, times: 5 });
  assert.match((await rig.refused()).message, /503: injected/);
  rig.server.inject({ on: /POST \/api\/sandbox$/u, with: 403 });
  assert.match((await rig.refused()).message, /the key lacks the permission for this/);
});

test("an image that cannot be built is reported as a settings error", async () => {
  await using rig = await started({ startMs: 100_000 });
  const opening = rig.refused();
  await eventually(() => rig.server.sandboxes.size > 0);
  const [sandbox] = rig.server.sandboxes.values();
  assert.ok(sandbox);
  sandbox.state = "build_failed";
  const { kind, message } = await opening;
  assert.equal(kind, "misconfigured");
  assert.match(message, /debian:13 could not be built/);
  assert.equal((await rig.refused({ image: "debian\nRUN evil" })).kind, "misconfigured");
});

test("a sandbox that the service refuses to start is abandoned with the service's reason", async () => {
  await using rig = await started();
  await (await rig.open())[Symbol.asyncDispose]();
  await eventually(() => states(rig.server)[0] === "stopped");
  rig.server.inject({ on: /start$/u, with: 400, times: 9 });
  assert.match((await rig.refused()).message, /400: injected/);
});

test("a rate-limited request is retried after the given time, and the command runs once", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  rig.server.inject({ on: /execute$/u, with: 429, headers: { "retry-after": "0.3" }, times: 2 });
  const before = rig.server.requests.length;
  const { text } = await run(environment, "echo once >>file; cat file");
  assert.equal(text, "once\n");
  const executed = rig.server.requests.slice(before).filter((line) => line.endsWith("/execute"));
  assert.ok(executed.length >= 3, "two refused requests and at least one more");
});

test("a command whose first response was lost runs exactly once", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  for (const fault of ["lost", 502, "lost"] as const) {
    rig.server.inject({ on: /execute$/u, with: fault });
    await environment.exec("echo ran >>file", { signal: neverAborted(), timeoutMs: 60_000 });
  }
  // The 502 replaced the command: it was not run, and is not run later.
  assert.equal((await run(environment, "cat file")).text, "ran\nran\n");
});

test("a command that did not reach the sandbox is an error and is not run", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  rig.server.inject({ on: /execute$/u, with: "drop" });
  const dropped = await environment.exec("echo ran >file", { signal: neverAborted(), timeoutMs: 60_000 });
  assert.equal(!dropped.ok && dropped.error.kind, "unreachable");
  assert.equal((await run(environment, "ls -A file")).exitCode === 0, false);
});

test("a stopped command that the service could not kill is killed later, without another command", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  const stop = new AbortController();
  let pid = 0;
  await environment.exec("echo pid=$$; exec sleep 600", {
    signal: stop.signal,
    timeoutMs: 600_000,
    onOutput(chunk) {
      pid ||= Number(/pid=(\d+)\n/u.exec(Buffer.from(chunk).toString())?.[1] ?? 0);
      if (pid === 0 || stop.signal.aborted) return;
      rig.server.inject({ on: /execute$/u, with: 400, times: 3 });
      stop.abort();
    },
  });
  assert.notEqual(pid, 0);
  await eventually(() => !isRunning(pid));
});

test("command output is complete even if responses of the service are lost", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  let seen = 0;
  const ran = await run(environment, "seq 1 300000", {
    onOutput() {
      seen += 1;
      if (seen === 1) rig.server.inject({ on: /execute$/u, with: "lost", times: 2 });
      if (seen === 2) rig.server.inject({ on: /execute$/u, with: 502, times: 2 });
    },
  });
  assert.equal(ran.totalBytes, 1_988_895);
  const file = await readFile(ran.spillPath ?? "", "utf8");
  assert.ok(file.split("\n").every((line, index) => index === 300_000 || line === String(index + 1)));
});

test("a sandbox that stops during a command loses it, and the next command starts the sandbox again", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  let stopping: Promise<void> | undefined;
  const { ended, fault, text } = await run(environment, "echo begun; sleep 30", {
    onOutput: () => void (stopping ??= stop(only(rig.server))),
  });
  await stopping;
  assert.deepEqual({ ended, text }, { ended: "lost", text: "begun\n" });
  assert.ok(fault);
  assert.equal((await run(environment, "echo again")).text, "again\n");
});

test("a sandbox that was stopped between two commands is started for the next one", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  await run(environment, "export MODE=kept");
  await stop(only(rig.server));
  assert.equal((await run(environment, 'echo "$MODE"')).text, "kept\n");
});

test("twenty commands run in parallel and leave no files in the sandbox", async () => {
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
  await environment[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(join(rig.folder, "..", "tmp", "hermes-runs")), []);
});

test("on a full sandbox disk, commands still run, so that space can be freed", async (context) => {
  await using rig = await started();
  const temp = join(rig.folder, "..", "tmp");
  await mkdir(temp);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", temp]).status !== 0) {
    context.skip("this user may not mount a small file system");
    return;
  }
  try {
    await using environment = await rig.open();
    await run(environment, "true");
    await writeFile(join(temp, "filling"), Buffer.alloc(3_000_000)).catch(() => undefined);
    assert.equal((await run(environment, "echo full; rm filling", { cwd: temp })).text, "full\n");
    assert.equal((await run(environment, "echo free")).text, "free\n");
  } finally {
    spawnSync("umount", ["-l", temp]);
  }
});

test("a toolbox that splits the command line runs the same command", async () => {
  await using rig = await started({ isOld: true });
  await using environment = await rig.open();
  const { text } = await run(environment, `echo "it's" '"quoted"'; cat`, { stdin: Buffer.from("and fed") });
  assert.equal(text, `it's "quoted"\nand fed`);
});

test("30 MB of output use little memory", async () => {
  await using rig = await started();
  await using environment = await rig.open();
  await run(environment, "head -c 5000000 /dev/zero");
  const before = process.memoryUsage().rss;
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const { totalBytes } = await run(environment, "head -c 30000000 /dev/zero", { timeoutMs: 60_000 });
  clearInterval(watch);
  assert.equal(totalBytes, 30_000_000);
  // The service is in this process too.
  assert.ok(peak - before < 150_000_000, `${peak - before}`);
});

test("a sandbox that is closed during its creation is removed", async () => {
  await using rig = await started({ startMs: 100_000 });
  const stopping = new AbortController();
  const opening = rig.factory().open({ taskId: "task", cwd: rig.folder }, stopping.signal);
  await eventually(() => rig.server.sandboxes.size > 0);
  stopping.abort();
  assertFails(await opening, /interrupted/u);
  assert.deepEqual(states(rig.server), ["destroyed"]);
});

async function started({
  taskId = "task",
  deps = {},
  ...options
}: Partial<DaytonaServerOptions> & { readonly taskId?: string; readonly deps?: Partial<DaytonaDeps> } = {}) {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await tempHome());
  const server = stack.use(await daytonaServer({ folder: home.path, ...options }));
  const machine = server.folderOf(machineName(taskId));
  const folder = join(machine, "work");
  await mkdir(folder, { recursive: true });
  const factory = (more: Partial<DaytonaDeps> = {}) =>
    createDaytonaFactory({
      apiKey: server.apiKey,
      apiUrl: server.url,
      image: "debian:13",
      cpu: 1,
      memoryMb: 1024,
      diskMb: 1024,
      isPersistent: true,
      tempFolder: join(machine, "tmp"),
      homeId: "testhome",
      env: {},
      passthrough: [],
      spillFolder: join(home.path, "spill"),
      startTimeoutMs: 20_000,
      say: () => undefined,
      http: createHttp({ clock: systemClock }),
      clock: systemClock,
      log: silentLog,
      ...deps,
      ...more,
    });
  const owned = stack.move();
  return {
    server,
    folder,
    owned,
    factory,
    async open(more: Partial<DaytonaDeps> = {}): Promise<Environment> {
      const opened = await factory(more).open({ taskId, cwd: "~" }, neverAborted());
      assert.ok(opened.ok, JSON.stringify(opened));
      return opened.value;
    },
    async refused(more: Partial<DaytonaDeps> = {}): Promise<EnvironmentError> {
      const opened = await factory(more).open({ taskId }, neverAborted());
      assert.ok(!opened.ok);
      return opened.error;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function only(server: DaytonaServer): ServedSandbox {
  const [sandbox] = server.sandboxes.values();
  assert.ok(sandbox);
  return sandbox;
}

async function stop(sandbox: ServedSandbox): Promise<void> {
  sandbox.state = "stopped";
  await sandbox.machine.kill();
}

function states(server: DaytonaServer): readonly string[] {
  return [...server.sandboxes.values()].map(({ state }) => state);
}
