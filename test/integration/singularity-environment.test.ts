// covers: src/environments
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import {
  createSingularityFactory,
  type SingularityDeps,
} from "../../src/environments/singularity/singularity-environment.ts";
import { writeApptainerShim } from "../support/apptainer-shim.ts";
import { inChild } from "../support/child-process.ts";
import { environmentConformance, neverAborted, run } from "../support/environment-conformance.ts";
import { removeProcesses, testSupervisor } from "../support/local-deps.ts";
import { runProgram } from "../support/run-program.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip =
  process.getuid?.() === 0
    ? missingPrograms({ unshare: "util-linux", nsenter: "util-linux" })
    : "needs root for a process namespace";

interface Rig extends AsyncDisposable {
  readonly deps: SingularityDeps;
  readonly folder: string;
  readonly work: string;
  calls(): Promise<readonly string[]>;
  instances(): Promise<readonly string[]>;
}

async function rig(changes: Partial<SingularityDeps> = {}): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), "hermes-apptainer-"));
  const { program, calls } = await writeApptainerShim(folder);
  const [home, work] = [join(folder, "home"), join(folder, "work")];
  await mkdir(home);
  await mkdir(work);
  const deps: SingularityDeps = {
    home,
    clientEnv: { PATH: `${join(folder, "bin")}:${process.env.PATH ?? ""}`, HOME: home, OPENAI_API_KEY: "sk-secret" },
    image: "docker://debian:12",
    settings: { cpus: 1, memoryMb: 512, readOnly: [] },
    isPersistent: false,
    sandboxFolder: join(home, "sandboxes"),
    scratchFolder: "",
    env: {},
    spillFolder: join(home, "spill"),
    supervisor: testSupervisor(home),
    initFiles: [],
    clock: systemClock,
    log: silentLog,
    ...changes,
  };
  const list = async () => {
    const { stdout } = await runProgram(program, ["instance", "list", "--json"]);
    return [...stdout.matchAll(/"instance":"([^"]*)"/gu)].map(([, name]) => name ?? "");
  };
  return {
    deps,
    folder,
    work,
    calls: async () => (await readFile(calls, "utf8")).trim().split("\n"),
    instances: list,
    async [Symbol.asyncDispose]() {
      await removeProcesses(home);
      for (const name of await list()) await runProgram(program, ["instance", "stop", name]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function open(deps: SingularityDeps, taskId = "task") {
  const opened = await createSingularityFactory(deps).open(
    { taskId, cwd: join(deps.home, "..", "work") },
    neverAborted(),
  );
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

if (skip !== false) test("singularity environment", { skip }, () => {});
else {
  // One image for all cases; each has its own instance.
  const shared = rig();
  after(async () => (await shared)[Symbol.asyncDispose]());

  environmentConformance(
    "singularity",
    async () => {
      const { deps, work } = await shared;
      const folder = await mkdtemp(join(work, "case-"));
      return {
        factory: createSingularityFactory(deps),
        folder,
        hasTerminals: true,
        [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
      };
    },
    { isLinkOnly: true },
  );

  describe("singularity", () => {
    test("a Singularity image is built once, instances are isolated, and the last session to close ends them", async () => {
      await using made = await rig();
      const [first, second] = await Promise.all([open(made.deps, "a"), open(made.deps, "b")]);
      assert.equal((await run(first, "echo one")).text, "one\n");
      assert.equal((await made.instances()).length, 2);
      const calls = await made.calls();
      assert.equal(calls.filter((line) => line.startsWith("build")).length, 1);
      const starts = calls.filter((line) => line.startsWith("instance start"));
      assert.equal(starts.length, 2);
      for (const line of starts) {
        const limits = "--cpus 1 --memory 512M --pids-limit 256";
        assert.ok(
          line.startsWith(`instance start --containall --no-home --cleanenv --writable-tmpfs ${limits} `),
          line,
        );
      }
      await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()]);
      assert.deepEqual(await made.instances(), []);
    });

    test("no variable of this program reaches a command", async () => {
      await using made = await rig({ env: { GIVEN: "it's" } });
      await using environment = await open(made.deps);
      assert.equal((await run(environment, 'echo "${OPENAI_API_KEY-unset} $GIVEN"')).text, "unset it's\n");
      assert.ok(!(await made.calls()).some((line) => line.includes("it's")));
    });

    test("a dead instance is restarted before a command; a command that was running in it is lost, not repeated", async () => {
      await using made = await rig();
      await using environment = await open(made.deps);
      const stop = async () => {
        for (const name of await made.instances()) {
          await runProgram(join(made.folder, "bin", "apptainer"), ["instance", "stop", name]);
        }
      };
      await stop();
      assert.equal((await run(environment, "echo again")).text, "again\n");
      const ran = await run(environment, "echo x >>once; echo begun; sleep 60", { onOutput: () => void stop() });
      assert.equal(ran.ended, "lost");
      assert.equal((await run(environment, "cat once")).text, "x\n");
    });

    test("the next program ends instances of a killed one", async () => {
      await using made = await rig();
      const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
      const code = `
        const { createSingularityFactory } = await import(${source("environments/singularity/singularity-environment.ts")});
        const { systemClock } = await import(${source("base/clock.ts")});
        const { silentLog } = await import(${source("base/log/log.ts")});
        const deps = { ...JSON.parse(process.argv[1]), clock: systemClock, log: silentLog };
        const opened = await createSingularityFactory(deps).open({ taskId: "killed", cwd: "/" }, new AbortController().signal);
        process.stdout.write(JSON.stringify(opened.ok));
        process.kill(process.pid, "SIGKILL");`;
      const { clock: _, log: __, supervisor: ___, ...plain } = made.deps;
      assert.equal((await inChild(made.folder, code, [JSON.stringify(plain)]).ended).output, "true");
      const [left] = await made.instances();
      assert.ok(left !== undefined);
      await using _open = await open(made.deps, "another");
      for (let round = 0; (await made.instances()).includes(left) && round < 200; round++) {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      assert.ok(!(await made.instances()).includes(left));
    });

    test("persistent files are in an overlay folder, and limits that the machine refuses are dropped", async () => {
      const logged: unknown[] = [];
      const log = { ...silentLog, warn: (event: string) => void logged.push(event) };
      await using made = await rig({ isPersistent: true, log });
      await writeFile(join(made.folder, "no-cgroups"), "");
      await using _open = await open(made.deps);
      const start = (await made.calls()).findLast((line) => line.startsWith("instance start")) ?? "";
      assert.match(start, /--overlay \S+\/hermes-overlays\/overlay-\S+ /u);
      assert.doesNotMatch(start, /--cpus/u);
      assert.deepEqual(logged, ["singularity.limit.refused"]);
    });

    test("a missing singularity program is an error with advice", async () => {
      await using made = await rig();
      const failing = async (changes: Partial<SingularityDeps>) => {
        const opened = await createSingularityFactory({ ...made.deps, ...changes }).open(
          { taskId: "t" },
          neverAborted(),
        );
        assert.ok(!opened.ok);
        return `${opened.error.kind}: ${opened.error.message}`;
      };
      assert.match(await failing({ clientEnv: { PATH: "/nowhere" } }), /^misconfigured: neither apptainer nor/u);
      assert.match(await failing({ image: "/nowhere.sif" }), /^misconfigured: the image \/nowhere.sif does not exist/u);
      assert.match(await failing({ image: "docker://missing" }), /could not be built: .*manifest unknown/u);
    });
  });
}
