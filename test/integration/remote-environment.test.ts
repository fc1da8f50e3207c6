// covers: src/environments
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { Environment, ProcessHandle } from "../../src/contracts/environment/environment.ts";
import type { Link, LinkEnd, LinkStreams } from "../../src/environments/remote/link.ts";
import { createRemoteEnvironment } from "../../src/environments/remote/remote-environment.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { environmentConformance, neverAborted, run } from "../support/environment-conformance.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { processesWith, uniqueSeconds } from "../support/process-list.ts";
import { shellLink } from "../support/shell-link.ts";
import { tempHome } from "../support/temp-home.ts";

async function remote(through: (link: Link) => Link = (link) => link, clock: Clock = systemClock) {
  const home = await tempHome();
  const folder = join(home.path, "work");
  const temp = join(home.path, "tmp");
  await mkdir(folder);
  await mkdir(temp);
  const env = { PATH: process.env.PATH ?? "", HOME: home.path, TMPDIR: temp, LANG: "C.UTF-8" };
  const open = (options: { readonly cwd?: string }, signal: AbortSignal) =>
    createRemoteEnvironment(
      through(shellLink(env)),
      {
        cwd: options.cwd ?? folder,
        homeId: "test",
        env: { GIVEN: "value" },
        passthrough: [],
        spillFolder: join(home.path, "spill"),
        clock,
        log: silentLog,
      },
      signal,
    );
  return {
    factory: { kind: "shell", open },
    folder,
    temp,
    hasTerminals: false,
    async open(): Promise<Environment> {
      const opened = await open({}, neverAborted());
      assert.ok(opened.ok, JSON.stringify(opened));
      return opened.value;
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function spawn(environment: Environment, command: string): Promise<ProcessHandle & AsyncDisposable> {
  const owner = { program: "test", session: "session", principal: "person", isKept: false };
  const spawned = await environment.spawn(command, { owner }, neverAborted());
  assert.ok(spawned.ok, JSON.stringify(spawned));
  return Object.assign(spawned.value, { [Symbol.asyncDispose]: () => spawned.value.remove(neverAborted()) });
}

environmentConformance("the remote", remote);

test("a backend that cannot hold an input ends a foreground command when nobody renews its lease", async () => {
  await using home = await tempHome();
  const seconds = uniqueSeconds();
  const source = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
  const code = `
    const { createRemoteEnvironment } = await import(${source("src/environments/remote/remote-environment.ts")});
    const { systemClock: clock } = await import(${source("src/base/clock.ts")});
    const { silentLog: log } = await import(${source("src/base/log/log.ts")});
    const { shellLink } = await import(${source("test/support/shell-link.ts")});
    const [home] = process.argv.slice(1);
    const signal = new AbortController().signal;
    const link = { ...shellLink({ PATH: process.env.PATH, HOME: home, TMPDIR: home }), canHoldInput: false };
    const deps = { cwd: home, homeId: "test", env: {}, passthrough: [], spillFolder: home, leaseMs: 6_000, clock, log };
    const opened = await createRemoteEnvironment(link, deps, signal);
    const onOutput = (chunk) => Buffer.from(chunk).includes("renewed") && process.kill(process.pid, "SIGKILL");
    const command = "trap '' TERM HUP; until find \\"$HOME\\" -name 'lease-*' | grep -q .; do sleep 0.1; done; echo renewed; while :; do sleep ${seconds}; done";
    await opened.value.exec(command, { signal, timeoutMs: 300_000, onOutput });`;
  const child = inChild(home.path, code, [home.path]);
  await runAll([child], async () => assert.equal((await child.ended).code, null));
  await eventually(() => processesWith(seconds).length === 0, "the command is still running");
});

test("the private remote folder belongs to the user, and a link in its place is not followed", async () => {
  await using place = await remote();
  const uid = process.getuid?.() ?? 0;
  await symlink("/", join(place.temp, `hermes-${uid}-test`));
  const elsewhere = `/tmp/hermes-${uid}-test`;
  try {
    await using environment = await place.open();
    await run(environment, "echo x");
    const match = await stat(elsewhere);
    assert.equal(match.mode & 0o777, 0o700);
  } finally {
    await rm(elsewhere, { recursive: true, force: true });
  }
});

test("a private folder that was cleared is recreated, and the command runs once", async () => {
  await using place = await remote();
  await using environment = await place.open();
  await run(environment, "say() { echo said $1; }; export A=1");
  for (const name of await readdir(place.temp)) await rm(join(place.temp, name), { recursive: true });
  assert.equal((await run(environment, 'echo x >>count; say "$A"; wc -l <count')).text, "said 1\n1\n");
});

test("a hundred concurrent commands all end and leave no file in the private folder", async () => {
  await using place = await remote();
  {
    await using environment = await place.open();
    const ran = await Promise.all(
      Array.from({ length: 100 }, (_, index) => run(environment, `echo ${index} "$GIVEN"`, { timeoutMs: 60_000 })),
    );
    assert.ok(ran.every(({ text }, index) => text === `${index} value\n`));
  }
  const [folder = ""] = await readdir(place.temp);
  assert.deepEqual(
    (await readdir(join(place.temp, folder))).filter((name) => !name.startsWith("tree-")),
    [],
  );
});

test("a command that kills its supervising shell is lost, and its processes are killed", async () => {
  await using place = await remote();
  await using environment = await place.open();
  const { ended, fault } = await run(environment, "(exec >/dev/null 2>&1; exec sleep 1000) & kill -9 $PPID");
  assert.equal(ended, "lost");
  assert.match(fault ?? "", /did not run it again/u);
  assert.equal((await run(environment, "echo next")).text, "next\n");
});

test("the newest part of very long background output is kept, with correct offsets", async () => {
  await using place = await remote();
  await using environment = await place.open();
  await using handle = await spawn(environment, "head -c 150000000 /dev/zero; echo; echo the end");
  await handle.wait(neverAborted());
  const first = await handle.output(0, neverAborted());
  assert.equal(first.total, 150_000_009);
  const from = first.next - first.bytes.length;
  assert.ok(from > 74_000_000 && from < 125_000_000, String(from));
  const last = await handle.output(first.total - 8, neverAborted());
  assert.equal(Buffer.from(last.bytes).toString(), "the end\n");
  const { text } = await run(environment, `du -sk ${place.temp} | cut -f 1`);
  assert.ok(Number(text) < 74_000, text);
});

test("a process whose watcher was killed is still listed and can be killed", async () => {
  await using place = await remote();
  await using environment = await place.open();
  await using handle = await spawn(environment, "echo out; sleep 1000");
  const [folder = ""] = await readdir(place.temp);
  const watcher = await readFile(join(place.temp, folder, handle.id, "watcher"), "utf8");
  process.kill(Number(watcher.split(" ")[0]), "SIGKILL");
  assert.equal(await handle.ending(neverAborted()), undefined);
  const listed = await environment.processes(neverAborted());
  assert.deepEqual(listed.ok && listed.value.map(({ id }) => id), [handle.id]);
  const killed = await handle.kill(neverAborted());
  assert.equal(killed.ok && killed.value.how, "killed");
  // There may be no process that reaps zombies.
  const state = await readFile(`/proc/${handle.pid}/stat`, "latin1").catch(() => "Z");
  assert.match(state, /^Z$|\) Z /u);
});

test("a process that is killed from outside reports the signal", async () => {
  await using place = await remote();
  await using environment = await place.open();
  await using handle = await spawn(environment, "sleep 1000");
  process.kill(handle.pid ?? 0, "SIGKILL");
  const { how, signal } = await handle.wait(neverAborted());
  assert.deepEqual({ how, signal }, { how: "killed", signal: "SIGKILL" });
  await using other = await spawn(environment, "exit 137");
  assert.equal((await other.wait(neverAborted())).exitCode, 137);
});

test("a command that is interrupted at its first output keeps that output in its result", async () => {
  // Both streams arrive in steps, as from a service that is polled.
  const inSteps = (link: Link): Link => ({
    ...link,
    async run(script, streams) {
      const chunks: Uint8Array[] = [];
      const tell = () => {
        for (const chunk of chunks.splice(0)) streams.onControl(chunk);
      };
      const end = await link.run(script, {
        ...streams,
        onControl: (chunk) => void chunks.push(Uint8Array.from(chunk)),
        onOutput(chunk) {
          tell();
          return streams.onOutput(chunk);
        },
      });
      tell();
      return end;
    },
  });
  await using place = await remote(inSteps);
  await using environment = await place.open();
  const stop = new AbortController();
  const { ended, text } = await run(environment, "echo one; sleep 30", {
    signal: stop.signal,
    onOutput: () => stop.abort(),
  });
  assert.deepEqual({ ended, text }, { ended: "aborted", text: "one\n" });
});

/** The output of the command `seq` comes when it has ended and reported its end: `deliver` says how. */
function lateOutput(deliver: (chunks: readonly Uint8Array[], streams: LinkStreams) => Promise<LinkEnd>) {
  return (link: Link): Link => ({
    ...link,
    async run(script, streams) {
      if (!script.includes("seq 1")) return link.run(script, streams);
      const chunks: Uint8Array[] = [];
      await link.run(script, { ...streams, onOutput: (chunk) => chunks.push(Uint8Array.from(chunk)) > 0 });
      return deliver(chunks, streams);
    },
  });
}

test("output that arrives long after the end of its command is not lost", async () => {
  const clock = fakeClock();
  const slowly = lateOutput(async (chunks, { onOutput, signal }) => {
    for (const chunk of [...chunks, new Uint8Array()]) {
      while (clock.waiting === 0 && !signal.aborted) await new Promise(setImmediate);
      clock.advance(30_000);
      await new Promise(setImmediate);
      if (signal.aborted) return { how: "aborted" };
      onOutput(chunk);
    }
    return { how: "exit", exitCode: 0 };
  });
  await using place = await remote(slowly, clock);
  await using environment = await place.open();
  const ran = await run(environment, "seq 1 200000");
  assert.deepEqual([ran.ended, ran.totalBytes, ran.lostOutput], ["exit", 1_288_895, undefined]);
});

test("if the connection breaks before the rest of the output, the result says that the end is missing", async () => {
  await using place = await remote(
    lateOutput(async ([first = new Uint8Array()], { onOutput }) => {
      onOutput(first);
      return { how: "broken", message: "the cable was cut" };
    }),
  );
  await using environment = await place.open();
  const { ended, exitCode, lostOutput } = await run(environment, "seq 1 200000; exit 3");
  assert.deepEqual({ ended, exitCode, lostOutput }, { ended: "exit", exitCode: 3, lostOutput: "the cable was cut" });
});
