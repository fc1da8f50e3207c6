// covers: src/environments
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { Environment } from "../../src/contracts/environment/environment.ts";
import { createDockerFactory, type DockerDeps } from "../../src/environments/docker/docker-environment.ts";
import type { SyncedTree } from "../../src/environments/remote/sync/local-files-to-sync.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { missingEngine, sharedEngine } from "../support/container-engine.ts";
import { environmentConformance, neverAborted, run } from "../support/environment-conformance.ts";
import { eventually } from "../support/eventually.ts";
import { assertFails } from "../support/failure.ts";
import { removeProcesses, testSupervisor } from "../support/local-deps.ts";

const missing = missingEngine();
const engine = missing === false ? await sharedEngine() : missing;
const home = await mkdtemp(join(tmpdir(), "hermes-docker-"));
after(async () => {
  await removeProcesses(home);
  if (typeof engine !== "string") await engine[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

type Settings = DockerDeps["settings"];

function depsWith(settings: Partial<Settings> = {}, changes: Partial<DockerDeps> = {}): DockerDeps {
  assert.ok(typeof engine !== "string");
  return {
    home,
    profile: "default",
    clientEnv: { ...engine.env, OPENAI_API_KEY: "sk-of-the-host" },
    binary: engine.binary,
    isHostUser: false,
    hasReaper: false,
    env: {},
    spillFolder: join(home, "spill"),
    supervisor: testSupervisor(home),
    clock: systemClock,
    log: silentLog,
    ...changes,
    settings: {
      image: engine.image,
      cpus: 1,
      memoryMb: 512,
      diskMb: 1_024,
      isPersistent: false,
      isKeptAcrossPrograms: false,
      sandboxFolder: join(home, "sandboxes"),
      volumes: [],
      extraArgs: [],
      readOnly: [],
      hasNetwork: false,
      shmSize: "64m",
      lifetimeMs: 300_000,
      ...settings,
    },
  };
}

async function open(deps: DockerDeps, taskId: string): Promise<Environment> {
  const opened = await createDockerFactory(deps).open({ taskId }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

async function containers(task: string, ...filters: readonly string[]): Promise<readonly string[]> {
  assert.ok(typeof engine !== "string");
  const listed = await engine.run("ps", "-aq", "--no-trunc", "--filter", `label=hermes-task-id=${task}`, ...filters);
  return listed.split(/\s+/u).filter((id) => id !== "");
}

async function untilNone(task: string, seconds: number): Promise<void> {
  for (let round = 0; round < seconds * 5; round++) {
    if ((await containers(task)).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.fail(`containers of ${task} are still there`);
}

/** A separate program that opens an environment and uses it. */
function program(deps: DockerDeps, taskId: string, does: string) {
  const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const { clock: _, log: __, supervisor: ___, ...plain } = deps;
  const code = `
    const { createDockerFactory } = await import(${source("environments/docker/docker-environment.ts")});
    const { systemClock: clock } = await import(${source("base/clock.ts")});
    const { silentLog: log } = await import(${source("base/log/log.ts")});
    const signal = new AbortController().signal;
    const [deps, taskId] = JSON.parse(process.argv[1]);
    const opened = await createDockerFactory({ ...deps, clock, log }).open({ taskId }, signal);
    if (!opened.ok) throw new Error(JSON.stringify(opened));
    const environment = opened.value;
    const run = async (command) => {
      const ran = await environment.exec(command, { signal, timeoutMs: 60_000 });
      return Buffer.from(ran.value.head).toString();
    };
    ${does}`;
  return inChild(home, code, [JSON.stringify([plain, taskId])]);
}

if (typeof engine === "string") test("docker environment", { skip: engine }, () => {});
else {
  const conforming = depsWith({ volumes: [`${join(home, "cases")}:/cases`] });
  // While it is open, the cases share its container; creating one for each would take most of the time.
  const keeping = open(conforming, "conformance");
  after(async () => (await keeping)[Symbol.asyncDispose]());

  environmentConformance("docker", async () => {
    const name = `case-${randomBytes(6).toString("hex")}`;
    await mkdir(join(home, "cases", name), { recursive: true });
    await keeping;
    return {
      factory: createDockerFactory(conforming),
      folder: `/cases/${name}`,
      hasTerminals: true,
      [Symbol.asyncDispose]: () => rm(join(home, "cases", name), { recursive: true, force: true }),
    };
  });

  describe("docker", { concurrency: 3 }, () => {
    test("a file that is shared later is available to the next command, readable by its owner only", async () => {
      const file = join(home, "pets.json");
      await writeFile(file, "pets");
      const trees: SyncedTree[] = [];
      await using environment = await open(depsWith({}, { syncedTrees: () => trees }), "shared-later");
      assert.equal((await run(environment, "ls -A ~/.hermes 2>/dev/null; echo end")).text, "end\n");
      trees.push({ from: file, to: "keys/pets.json", within: home, isReadOnly: true });
      const { text } = await run(environment, "cat ~/.hermes/keys/pets.json; stat -c ' %a' ~/.hermes/keys/pets.json");
      assert.equal(text, "pets 400\n");
      trees.length = 0;
      assert.match((await run(environment, "ls ~/.hermes/keys/pets.json 2>&1")).text, /No such file/u);
    });

    test("a command in a container has few permissions, and the engine enforces the limits", async () => {
      await using environment = await open(depsWith(), "rights");
      const { text } = await run(
        environment,
        "grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; ls /sys/class/net",
      );
      // DAC_OVERRIDE, CHOWN, FOWNER, SETUID, SETGID.
      assert.equal(text, "CapEff:\t00000000000000cb\nCapBnd:\t00000000000000cb\nNoNewPrivs:\t1\nlo\n");
      const [id = ""] = await containers("rights");
      const format =
        "{{.HostConfig.PidsLimit}} {{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} {{.HostConfig.NetworkMode}}";
      assert.equal(
        (await engine.run("inspect", "--format", format, id)).trim(),
        `256 ${512 * 1024 ** 2} 1000000000 none`,
      );
      const { text: mounts } = await run(environment, "grep -E ' /(tmp|var/tmp|run|workspace) ' /proc/mounts");
      for (const [place, words] of [
        ["/tmp", "nosuid,nodev"],
        ["/var/tmp", "nosuid,nodev,noexec"],
        ["/run", "nosuid,nodev,noexec"],
      ] as const) {
        assert.match(mounts, new RegExp(` ${place} tmpfs rw,${words},`, "u"));
      }
    });

    test("a fork bomb ends at the limit and the container survives", async () => {
      await using environment = await open(depsWith(), "bomb");
      const bomb = "for i in $(seq 700); do sleep 30 & done 2>/dev/null; jobs -r | wc -l; kill $(jobs -p) 2>/dev/null";
      const { text } = await run(environment, bomb, { timeoutMs: 4_000 });
      // The limit is 256, and briefly twice that while a full container is cleaned up. At the limit the shell may be
      // unable to count, and reports that instead.
      const counts = text.split("\n").filter((line) => /^\s*\d+\s*$/u.test(line));
      assert.ok(
        counts.map(Number).every((count) => count < 512),
        text,
      );
      assert.equal((await run(environment, "echo alive")).text, "alive\n");
    });

    test("a command that could not start at the limit gets room and starts", async () => {
      const [binary, full] = [join(home, "at-limit"), join(home, "is-full")];
      const fault = "OCI runtime exec failed: unable to start container process: read init-p: connection reset by peer";
      const fails = `if [ "$1" = exec ] && [ -e ${full} ]; then rm ${full}; echo ${fault} >&2; exit 126; fi`;
      await writeFile(binary, `#!/bin/sh\n${fails}\nexec ${engine.binary} "$@"\n`, { mode: 0o755 });
      await using environment = await open(depsWith({}, { binary }), "full");
      assert.equal((await run(environment, "echo before")).text, "before\n");
      await writeFile(full, "");
      assert.equal((await run(environment, "echo alive")).text, "alive\n");
      await assert.rejects(readFile(full), /ENOENT/u);
    });

    test("given variables reach commands; neither the engine nor the process list shows them", async () => {
      const secret = `value-${randomBytes(8).toString("hex")}`;
      await using environment = await open(depsWith({}, { env: { GIVEN: secret } }), "variables");
      const seen = run(environment, 'echo "$GIVEN ${OPENAI_API_KEY-unset}"; sleep 0.5');
      const lists: string[] = [];
      for (let round = 0; round < 20; round++) lists.push(await processList());
      assert.equal((await seen).text, `${secret} unset\n`);
      assert.ok(!lists.some((list) => list.includes(secret)));
      const [id = ""] = await containers("variables");
      const reported = await engine.run("inspect", id);
      assert.ok(!reported.includes(secret) && !reported.includes("sk-of-the-host"));
    });

    test("a container that died is recreated before a command, which then runs once", async () => {
      await using environment = await open(depsWith(), "again");
      await run(environment, "export MODE=kept; cd /tmp");
      for (const how of ["kill", "rm"]) {
        const [id = ""] = await containers("again");
        await engine.run(...(how === "kill" ? ["kill", id] : ["rm", "-f", id]));
        const marked = `echo "$MODE" >>/dev/stdout; echo $$ >>/workspace/count; wc -l </workspace/count`;
        assert.equal((await run(environment, marked)).text.replaceAll(" ", ""), "kept\n1\n");
      }
    });

    test("a command whose container dies is lost and does not run again", async () => {
      await mkdir(join(home, "lost"), { recursive: true });
      await using environment = await open(depsWith({ volumes: [`${join(home, "lost")}:/data`] }), "lost");
      const [id = ""] = await containers("lost");
      const killed = Promise.withResolvers<void>();
      const { ended, fault } = await run(environment, "echo x >>/data/count; echo begun; sleep 60", {
        onOutput: () => void engine.run("kill", id).then(() => killed.resolve(), killed.reject),
      });
      await killed.promise;
      assert.equal(ended, "lost");
      assert.ok(fault !== undefined && fault !== "");
      assert.equal((await run(environment, "cat /data/count")).text, "x\n");
    });

    test("after a timeout no process of the command remains in the container, which stays alive", async () => {
      await using environment = await open(depsWith(), "timeout");
      const [before] = await containers("timeout");
      const endless = "setsid sleep 3333 & (setsid sh -c 'sleep 3333' &) ; trap '' TERM; while :; do sleep 3333; done";
      for (let round = 0; round < 3; round++) {
        assert.equal((await run(environment, endless, { timeoutMs: 300 })).ended, "timeout");
      }
      assert.equal((await run(environment, "ps | grep -c '[s]leep 3333'")).text.trim(), "0");
      assert.deepEqual(await containers("timeout"), [before]);
    });

    test("each task has its own container unless they share one", async () => {
      const opening = ["own-1", "own-2"].map((task) => open(depsWith(), task));
      const shared = depsWith({}, { shareKey: "all" });
      const sharing = ["own-3", "own-4"].map((task) => open(shared, task));
      const [first, second, third, fourth] = await Promise.all([...opening, ...sharing]);
      assert.ok(first && second && third && fourth);
      await run(first, "echo 1 >/tmp/mine");
      assert.equal((await run(second, "cat /tmp/mine")).exitCode, 1);
      await run(third, "echo 1 >/tmp/ours");
      assert.equal((await run(fourth, "cat /tmp/ours")).text, "1\n");
      assert.equal((await containers("all")).length, 1);
      await Promise.all([first, second, third, fourth].map((one) => one[Symbol.asyncDispose]()));
    });

    test("two programs that need the same container use one, and the last to close removes it", async () => {
      const deps = depsWith();
      const one = `process.stdout.write(await run("hostname")); await environment[Symbol.asyncDispose]();`;
      const children = [1, 2, 3].map(() => program(deps, "race", one));
      await runAll(children, async () => {
        await using environment = await open(deps, "race");
        const { text } = await run(environment, "hostname");
        for (const { output } of await Promise.all(children.map((child) => child.ended))) assert.equal(output, text);
        assert.equal((await containers("race")).length, 1);
      });
      assert.deepEqual(await containers("race"), []);
    });

    test("containers of killed programs end with their lease, even with a command in them", async () => {
      const deps = depsWith({ lifetimeMs: 3_000 });
      const killed = `
        void run("sleep 100000");
        await run("true");
        process.kill(process.pid, "SIGKILL");`;
      const tasks = Array.from({ length: 4 }, (_, index) => `killed-${index}`);
      const children = tasks.map((task) => program(deps, task, killed));
      await runAll(children, async () => {
        await Promise.all(children.map((child) => child.ended));
      });
      for (const task of tasks) await untilNone(task, 60);
    });

    test("after kill -9 of Hermes, foreground commands in a persistent container end, also those in a terminal", async () => {
      const deps = depsWith();
      await using environment = await open(deps, "orphan");
      const killed = `
        const command = "trap '' TERM HUP; setsid sleep 4444 & echo begun; while :; do sleep 4444; done";
        const options = { signal, timeoutMs: 300_000, carry: false };
        const begun = (more) => new Promise((resolve) => {
          const onOutput = (chunk) => Buffer.from(chunk).includes("begun") && resolve();
          void environment.exec(command, { ...options, ...more, onOutput });
        });
        await Promise.all([begun({ stdin: Buffer.from("input") }), begun({ pty: { columns: 80, rows: 24 } })]);
        process.kill(process.pid, "SIGKILL");`;
      const child = program(deps, "orphan", killed);
      await runAll([child], async () => assert.equal((await child.ended).code, null));
      const left = async () => (await run(environment, "ps | grep -c '[s]leep 4444'")).text.trim();
      await eventually(async () => (await left()) === "0", "the command is still running");
    });

    test("a container that cannot start is removed", async () => {
      const faulty = [["--workdir", "/proc/1/nowhere"], ["--no-such-flag"]];
      for (const extraArgs of [...faulty, ...faulty]) {
        const settings = { extraArgs, isPersistent: true, isKeptAcrossPrograms: true };
        const opened = await createDockerFactory(depsWith(settings)).open({ taskId: "unstartable" }, neverAborted());
        assertFails(opened, /nowhere|no-such-flag/u);
      }
      assert.deepEqual(await containers("unstartable"), []);
    });

    const owner = { program: "p", session: "s", principal: "me", isKept: true };
    const users: Readonly<Record<string, (environment: Environment) => Promise<void>>> = {
      async command(environment) {
        assert.equal((await run(environment, "sleep 12; echo end")).text, "end\n");
      },
      async process(environment) {
        const spawned = await environment.spawn("sleep 12; exit 3", { owner }, neverAborted());
        assert.ok(spawned.ok, JSON.stringify(spawned));
        assert.equal((await spawned.value.wait(neverAborted())).exitCode, 3);
        await spawned.value.remove(neverAborted());
      },
      async terminal(environment) {
        const pty = { columns: 80, rows: 24 };
        const spawned = await environment.spawn("read line; exit $line", { owner, pty }, neverAborted());
        assert.ok(spawned.ok, JSON.stringify(spawned));
        await new Promise((resolve) => setTimeout(resolve, 12_000));
        await spawned.value.write(Buffer.from("4\r"), neverAborted());
        assert.equal((await spawned.value.wait(neverAborted())).exitCode, 4);
        await spawned.value.remove(neverAborted());
      },
    };
    test("a long command and a background process, even in a terminal, keep the container past its lease", async () => {
      await Promise.all(
        Object.entries(users).map(async ([name, use]) => {
          // A busy machine needs seconds to renew a lease.
          await using environment = await open(depsWith({ lifetimeMs: 8_000 }), `long-${name}`);
          const before = await containers(`long-${name}`);
          await use(environment);
          assert.deepEqual(await containers(`long-${name}`), before);
        }),
      );
    });

    test("an engine that cannot open a terminal results in an error with the engine's message", async () => {
      const binary = join(home, "no-terminals");
      const script = `#!/bin/sh\ncase " $* " in *" --tty "*) echo no terminal left >&2; exit 125 ;; esac\nexec ${engine.binary} "$@"\n`;
      await writeFile(binary, script, { mode: 0o755 });
      await using environment = await open(depsWith({}, { binary }), "no-terminals");
      const pty = { columns: 80, rows: 24 };
      const spawned = await environment.spawn("sleep 60", { owner, pty }, neverAborted());
      assertFails(spawned, /could not open a terminal: no terminal left/u);
    });

    test("persistent files survive, in the same container while it exists and in a new one afterwards", async () => {
      const deps = depsWith({ isPersistent: true, isKeptAcrossPrograms: true, lifetimeMs: 8_000 });
      const first = await open(deps, "kept");
      await run(first, "echo mine >/root/file; echo deep >/etc/installed");
      await first[Symbol.asyncDispose]();
      for (let round = 0; (await containers("kept", "--filter", "status=exited")).length === 0; round++) {
        assert.ok(round < 1_500);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const second = await open(deps, "kept");
      assert.equal((await run(second, "cat /root/file /etc/installed")).text, "mine\ndeep\n");
      await second[Symbol.asyncDispose]();
      assert.equal(await readFile(join(home, "sandboxes/docker/kept/home/file"), "utf8"), "mine\n");
      await using third = await open(depsWith({ isPersistent: true }), "kept");
      assert.equal((await run(third, "cat /root/file; cat /etc/installed")).text.split("\n")[0], "mine");
      assert.equal((await containers("kept")).length, 1);
    });

    test("a missing docker program is an error with advice", async () => {
      const failing = async (deps: DockerDeps) => {
        const opened = await createDockerFactory(deps).open({ taskId: "missing" }, neverAborted());
        assert.ok(!opened.ok);
        return `${opened.error.kind}: ${opened.error.message} ${opened.error.hint}`;
      };
      assert.match(
        await failing(depsWith({}, { binary: "/nowhere/docker" })),
        /^misconfigured: .*HERMES_DOCKER_BINARY/u,
      );
      assert.match(
        await failing(depsWith({}, { binary: "", clientEnv: { PATH: "/nowhere" } })),
        /neither docker nor podman/u,
      );
      assert.match(
        await failing(depsWith({ image: "127.0.0.1:1/none:1" })),
        /the image 127.0.0.1:1\/none:1 is not on this machine and could not be fetched/u,
      );
      if (engine.service) {
        const clientEnv = { ...engine.env, DOCKER_HOST: `unix://${home}/none.sock` };
        assert.match(
          await failing(depsWith({}, { clientEnv })),
          /^unreachable: the service of .* is not running.*Start it/u,
        );
      }
    });
  });
}

async function processList(): Promise<string> {
  const { execFile } = await import("node:child_process");
  return new Promise((resolve) => execFile("ps", ["-eo", "args"], { maxBuffer: 2 ** 24 }, (_, out) => resolve(out)));
}
