// covers: src/environments
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { test } from "node:test";

import fc from "fast-check";

import type { CreatedEnvironment } from "../../src/contracts/environment/environment.ts";
import { createLocalFactory, type LocalDeps } from "../../src/environments/local/local-environment.ts";
import { dialects, laterArguments, shellArguments } from "../../src/environments/shell/dialect.ts";
import { sourceFlags } from "../support/child-process.ts";
import { neverAborted, run } from "../support/environment-conformance.ts";
import { localDeps } from "../support/local-deps.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";
import { testIsolation } from "../support/test-isolation.ts";

const skip = missingPrograms({ bwrap: "bubblewrap" });

/** Each prints something about its environment, or is hard to pass on. */
const commands: readonly string[] = [
  'echo $0 $- $SHLVL $_ $# $? $! $PPID "$@"; echo ${PIPESTATUS[@]} $BASH_SUBSHELL $OPTIND; printf %q "$IFS"',
  "echo $BASHOPTS $SHELLOPTS; set -o; shopt; trap; umask; ulimit -a; alias; declare -F; jobs",
  "[[ $SECONDS -lt 60 ]]; echo $?; declare -p BASH_ARGC; caller; compgen -v | grep -v ^BASH_EXEC | sort",
  "cat; echo $?; read -r x; echo $? [$x]; cat /dev/stdin | wc -c; [ -t 0 ]; echo $?; readlink /proc/$$/fd/0",
  "exec 3</dev/null 4</dev/null; (cd /proc/$$/fd; echo *)",
  "\n\n  echo $LINENO",
  "printf '[%s]' a\\ ",
  "echo foo\\",
  "echo 'open",
  "cat <<E\nhi $HOME\nE\n",
  "cat <<E\nhi",
  "# a comment",
  "-x",
  "",
  " \t",
  "\r\n",
  "echo a\r\necho b\r",
  "echo \u{1F600} \ud83d x\udc00 \ufeff\u00a0",
  "\ufeffecho x",
  "echo '\u0001\u007f x\u0001\u0001\u007f' | od -c",
  "exec echo replaced",
  "kill -9 $$",
  "kill -TERM $$; echo on",
  "exit 7",
  "exit 137",
  "set -e; false; echo no",
  "set -u; echo $nope; echo on",
  "set -x; echo x",
  "set -v; echo v",
  "trap 'echo bye' EXIT; exit 3",
  "return 3; echo on",
  "((",
  "fi",
  "echo `",
  `echo ${"x".repeat(1_995)}`,
  `: ${"é".repeat(1_998)}`,
];

async function outcome(command: string, isWaiting: boolean, folder: string, afterMs = 0) {
  const saveTo = join(folder, "left");
  await rm(saveTo, { force: true });
  const args = shellArguments(dialects.bash, isWaiting ? laterArguments : command, { saveTo, mark: "mark" });
  const child = spawn("bash", args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", BASH_ENV: join(folder, "start"), TMOUT: "1" },
    stdio: ["ignore", "pipe", "pipe", isWaiting ? "pipe" : "ignore"],
  });
  const ended = once(child, "close");
  if (afterMs > 0) await pause(afterMs);
  if (isWaiting) (child.stdio[3] as Writable).end(`${command}\0`);
  const outputs = await Promise.all(
    [child.stdout, child.stderr].map(async (stream) => (await stream?.setEncoding("latin1").toArray()) ?? []),
  );
  const [code, signal] = (await ended) as [number | null, string | null];
  const text = outputs.map((each) => each.join("").replaceAll(`${child.pid}`, "PID"));
  return { code, signal, text, left: existsSync(saveTo) ? await readFile(saveTo, "latin1") : undefined };
}

test("a command in a prepared shell behaves as in a new one", async () => {
  await using home = await tempHome();
  // The shell may read anything: the command is not there.
  await writeFile(join(home.path, "start"), "echo started; cat; shopt -s nullglob; IFS=x");
  const isSame = async (command: string) =>
    assert.deepEqual(await outcome(command, true, home.path), await outcome(command, false, home.path), command);
  for (const command of commands) await isSame(command);
  // Longer than TMOUT.
  const [late, own] = [await outcome("echo on", true, home.path, 1_200), await outcome("echo on", false, home.path)];
  assert.deepEqual(late, own);
  const piece = fc.constantFrom(..." \t\n\r\\'\"`$;#()xé\u0001\u007f".split(""), "echo ", "a\\ ", "$(", "<<E\n", "E\n");
  await fc.assert(fc.asyncProperty(fc.string({ unit: piece, maxLength: 12 }), isSame), { numRuns: 60 });
});

async function withLocal(
  changes: (place: { readonly home: string; readonly folder: string }) => Partial<LocalDeps>,
  check: (environment: CreatedEnvironment, place: { readonly home: string; readonly folder: string }) => Promise<void>,
): Promise<void> {
  await using home = await tempHome();
  const folder = join(home.path, "work");
  await mkdir(folder);
  const place = { home: home.path, folder };
  const env = { PATH: process.env.PATH, HOME: home.path };
  const factory = createLocalFactory({ ...localDeps(home.path, folder), env, ...changes(place) });
  const opened = await factory.open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  {
    await using environment = opened.value;
    await check(environment, place);
  }
  assert.deepEqual(processesOf(home.path), []);
}

/** Processes with this home folder. */
function processesOf(home: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0HOME=${home}\0`);
    } catch {
      return false;
    }
  });
}

async function waits(environment: CreatedEnvironment, home: string): Promise<void> {
  environment.getReady?.();
  for (let tries = 0; processesOf(home).length === 0; tries++) {
    assert.ok(tries < 6_000, "no shell waits");
    await pause(10);
  }
  await pause(200);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a file that the sandbox hides stays hidden after it was replaced", { skip }, async () => {
  const hiding = ({ folder }: { readonly folder: string }) => ({
    isolation: testIsolation({ workspace: folder, hidden: [join(folder, "secret"), join(folder, "more")] }),
  });
  await withLocal(hiding, async (environment, { home, folder }) => {
    await writeFile(join(folder, "secret"), "old");
    assert.equal((await run(environment, "cat secret")).text, "");
    await waits(environment, home);
    await writeFile(join(folder, "new"), "new");
    await rename(join(folder, "new"), join(folder, "secret"));
    assert.equal((await run(environment, "cat secret; echo on")).text, "on\n");
    await waits(environment, home);
    await rm(join(folder, "secret"));
    await writeFile(join(folder, "secret"), "newer");
    assert.equal((await run(environment, "cat secret; echo on")).text, "on\n");
    await waits(environment, home);
    await writeFile(join(folder, "more"), "more");
    assert.equal((await run(environment, "cat more; echo on")).text, "on\n");
  });
});

test("a command runs with the isolation settings of its start", { skip }, async () => {
  const rules = { hidden: [] as string[], isOn: true };
  const isolation = async () =>
    rules.isOn ? testIsolation({ hidden: rules.hidden })() : ({ mode: "off", why: "the person said so" } as const);
  await withLocal(
    () => ({ isolation }),
    async (environment, { home, folder }) => {
      await writeFile(join(folder, "file"), "seen\n");
      assert.equal((await run(environment, "cat file")).text, "seen\n");
      await waits(environment, home);
      rules.hidden = [join(folder, "file")];
      assert.equal((await run(environment, "cat file")).text, "");
      await waits(environment, home);
      assert.equal((await run(environment.outside ?? environment, "cat file")).confined, undefined);
      await waits(environment, home);
      assert.deepEqual((await run(environment, "cat file")).confined?.hidden.includes(join(folder, "file")), true);
      await waits(environment, home);
      rules.isOn = false;
      assert.equal((await run(environment, "cat file")).text, "seen\n");
    },
  );
});

for (const isolation of [undefined, testIsolation()]) {
  const how = isolation ? "confined" : "plain";
  const only = { skip: isolation ? skip : false };

  test(`a ${how} shell that was prepared in a folder that was recreated is not used`, only, async () => {
    await withLocal(
      () => (isolation ? { isolation } : {}),
      async (environment, { home, folder }) => {
        await run(environment, "true");
        await waits(environment, home);
        await rm(folder, { recursive: true });
        await mkdir(folder);
        assert.equal((await run(environment, "touch new; ls")).text, "new\n");
        assert.ok(existsSync(join(folder, "new")));
      },
    );
  });

  test(`processes that a prepared ${how} shell started are killed, whatever started them`, only, async () => {
    const started = ({ home }: { readonly home: string }) => ({
      env: { PATH: process.env.PATH, HOME: home, BASH_ENV: join(home, "start") },
      ...(isolation && { isolation }),
    });
    await withLocal(started, async (environment, { home }) => {
      await writeFile(join(home, "start"), "(setsid sleep 86417 >/dev/null 2>&1 &)");
      await run(environment, "true");
      await waits(environment, home);
      assert.match((await run(environment, "echo on")).leftRunning.join(), /sleep 86417/u);
      await writeFile(join(home, "start"), "");
      await waits(environment, home);
      const escape = "(env -i setsid sleep 86418 >/dev/null 2>&1 &) ; sleep 0.2";
      if (isolation) assert.match((await run(environment, escape)).leftRunning.join(), /sleep 86418/u);
      await writeFile(join(home, "start"), "(sleep 86417 &)");
      await waits(environment, home);
    });
  });

  test(
    `a program that ends or is killed while a ${how} shell is prepared leaves no shell and does not wait for it`,
    only,
    async () => {
      await using home = await tempHome();
      const source = (name: string) => JSON.stringify(join(import.meta.dirname, "../..", name));
      const script = (end: string) => `
      import { createLocalFactory } from ${source("src/environments/local/local-environment.ts")};
      import { localDeps } from ${source("test/support/local-deps.ts")};
      import { testIsolation } from ${source("test/support/test-isolation.ts")};
      const isolation = ${isolation ? "{ isolation: testIsolation() }" : "{}"};
      const factory = createLocalFactory({ ...localDeps(${JSON.stringify(home.path)}), ...isolation });
      const signal = new AbortController().signal;
      const opened = await factory.open({ taskId: "t" }, signal);
      await opened.value.exec("true", { signal, timeoutMs: 60_000 });
      opened.value.getReady();
      await new Promise((resolve) => setTimeout(resolve, 400));
      console.log("waits");
      ${end}`;
      for (const end of ["", "process.exit(0)", "process.kill(process.pid, 'SIGKILL')"]) {
        const child = spawn(process.execPath, [...sourceFlags, "--input-type=module", "-e", script(end)], {
          stdio: ["ignore", "pipe", "inherit"],
          timeout: 120_000,
        });
        const exited = once(child, "exit");
        const output = (await child.stdout.setEncoding("utf8").toArray()).join("");
        const [code, signal] = (await exited) as [number | null, string | null];
        assert.deepEqual(
          [output, code, signal],
          ["waits\n", ...(end.includes("SIGKILL") ? [null, "SIGKILL"] : [0, null])],
        );
        for (let tries = 0; processesOf(home.path).length > 0 && tries < 6_000; tries++) await pause(10);
        assert.deepEqual(processesOf(home.path), [], end);
      }
    },
  );
}
