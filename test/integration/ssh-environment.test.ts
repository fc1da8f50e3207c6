// covers: src/environments
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { Environment, EnvironmentError } from "../../src/contracts/environment/environment.ts";
import { createSshFactory } from "../../src/environments/ssh/ssh-environment.ts";
import type { SshDeps } from "../../src/environments/ssh/ssh-link.ts";
import type { SshTarget } from "../../src/environments/ssh/ssh-target.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { environmentConformance, neverAborted, run } from "../support/environment-conformance.ts";
import { eventually } from "../support/eventually.ts";
import { removeProcesses, testSupervisor } from "../support/local-deps.ts";
import { sshDeps, sshTarget } from "../support/ssh-deps.ts";
import { freePort, type SshServer, sshServer } from "../support/ssh-server.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const skip = missingPrograms({ sshd: "openssh-server", ssh: "openssh-client" });

async function open(server: SshServer, changes: Partial<SshDeps> = {}): Promise<Environment> {
  const opened = await createSshFactory(sshDeps(server, changes)).open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

async function refusal(server: SshServer, target: Partial<SshTarget>): Promise<EnvironmentError> {
  const deps = sshDeps(server, { target: { ...sshTarget(server), ...target } });
  const opened = await createSshFactory(deps).open({ taskId: "test" }, neverAborted());
  if (opened.ok) await opened.value[Symbol.asyncDispose]();
  assert.ok(!opened.ok);
  return opened.error;
}

/** How many processes of the machine have these words in their command line. */
function countWith(words: string): number {
  return readdirSync("/proc").filter((name) => /^\d+$/u.test(name) && commandOf(name).includes(words)).length;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

describe("over ssh", { skip }, () => {
  let server: SshServer;
  before(async () => {
    server = await sshServer();
  });
  after(() => server[Symbol.asyncDispose]());

  // All cases share one connection, which supports ten parallel commands.
  const oneByOne = { concurrency: 1 };
  environmentConformance(
    "the ssh",
    async () => {
      const home = await tempHome();
      const folder = join(home.path, "work");
      await mkdir(folder);
      const supervisor = testSupervisor(home.path);
      return {
        // One connection for all cases; it ends with the server.
        factory: createSshFactory(
          sshDeps(server, { supervisor, spillFolder: join(home.path, "spill"), closesConnection: false }),
        ),
        folder,
        hasTerminals: true,
        async [Symbol.asyncDispose]() {
          await supervisor[Symbol.asyncDispose]();
          await removeProcesses(home.path);
          await home[Symbol.asyncDispose]();
        },
      };
    },
    { ...oneByOne, isLinkOnly: true },
  );

  test("a server killed in the middle of a command loses it with a reason, and the next command connects again", async () => {
    await using own = await sshServer();
    await using environment = await open(own);
    await run(environment, "export MODE=kept; cd /");
    const seconds = `31${process.pid}.25`;
    const started = Promise.withResolvers<void>();
    const running = run(environment, `echo begun; setsid sleep ${seconds} & sleep ${seconds}; touch never`, {
      onOutput: () => started.resolve(),
      timeoutMs: 60_000,
    });
    await started.promise;
    await own.kill();
    const { ended, fault, text, carried } = await running;
    assert.deepEqual({ ended, text, carried }, { ended: "lost", text: "begun\n", carried: false });
    assert.match(fault ?? "", /disconnected while the command ran.*may not have finished.*did not run it again/u);
    const down = await environment.exec("echo no", { signal: neverAborted(), timeoutMs: 5_000 });
    assert.equal(!down.ok && down.error.kind, "unreachable");
    assert.match(down.ok ? "" : down.error.message, /refuses connections/u);
    await own.start();
    assert.equal((await run(environment, 'echo "$MODE $PWD"')).text, "kept /\n");
    assert.equal(countWith(seconds), 0);
  });

  test("after kill -9 of Hermes foreground commands end on the server, also in a terminal, and a background process stays", async () => {
    await using environment = await open(server);
    const [front, back] = [`41${process.pid}.25`, `42${process.pid}.25`];
    const source = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
    const code = `
      const { createSshFactory } = await import(${source("src/environments/ssh/ssh-environment.ts")});
      const { sshDeps } = await import(${source("test/support/ssh-deps.ts")});
      const signal = new AbortController().signal;
      const server = JSON.parse(process.argv[1]);
      const opened = await createSshFactory(sshDeps(server, { closesConnection: false })).open({ taskId: "test" }, signal);
      const owner = { program: "test", session: "session", principal: "person", isKept: true };
      await opened.value.spawn("sleep ${back}", { owner }, signal);
      const command = "trap '' TERM HUP; setsid sleep ${front} & echo begun; while :; do sleep ${front}; done";
      const options = { signal, timeoutMs: 300_000, carry: false };
      const begun = (more) => new Promise((resolve) => {
        const onOutput = (chunk) => Buffer.from(chunk).includes("begun") && resolve();
        void opened.value.exec(command, { ...options, ...more, onOutput });
      });
      await Promise.all([begun({ stdin: Buffer.from("input") }), begun({ pty: { columns: 80, rows: 24 } })]);
      process.kill(process.pid, "SIGKILL");`;
    const { folder, port, user, keyFile, knownHosts } = server;
    const child = inChild(server.folder, code, [JSON.stringify({ folder, port, user, keyFile, knownHosts })]);
    await runAll([child], async () => assert.equal((await child.ended).code, null));
    await eventually(() => countWith(front) === 0, "the foreground command is still running");
    assert.ok(countWith(back) > 0, "the background process was killed");
    const listed = await environment.processes(neverAborted());
    assert.ok(listed.ok);
    for (const one of listed.value.filter(({ command }) => command.includes(back))) await one.remove(neverAborted());
    assert.equal(countWith(back), 0);
  });

  test("a closed connection is reopened without running anything twice", async () => {
    await using environment = await open(server);
    await run(environment, "echo x >>~/count");
    const folder = join(server.folder, `hermes-ssh-${process.getuid?.()}`);
    for (const name of readdirSync(folder).filter((one) => !one.endsWith(".lock"))) {
      const socket = join(folder, name);
      spawnSync("ssh", ["-F", "/dev/null", "-O", "exit", "-S", socket, "127.0.0.1"]);
      // A killed connection leaves a socket without a listener.
      await writeFile(socket, "").catch(() => undefined);
    }
    assert.equal((await run(environment, "echo x >>~/count; wc -l <~/count; rm ~/count")).text, "2\n");
  });

  test("each connection failure has its own reason and advice", async () => {
    const wrongKey = await refusal(server, { keyFile: await server.makeKey("stranger") });
    assert.equal(wrongKey.kind, "misconfigured");
    assert.match(wrongKey.message, /does not accept this user and key/u);
    assert.match(wrongKey.hint ?? "", /does not ask for passwords/u);

    const wrongPort = await refusal(server, { port: await freePort() });
    assert.equal(wrongPort.kind, "unreachable");
    assert.match(wrongPort.message, /refuses connections on that port/u);

    const noHost = await refusal(server, { host: "no-such-host.invalid" });
    assert.match(noHost.message, /host name cannot be resolved/u);

    const unknown = await refusal(server, { hostKeys: "strict", knownHostsFile: join(server.folder, "empty") });
    assert.equal(unknown.kind, "misconfigured");
    assert.match(unknown.message, /not in known_hosts, and the host key policy is strict/u);

    const other = readFileSync(`${await server.makeKey("other_host")}.pub`, "utf8")
      .split(" ")
      .slice(0, 2)
      .join(" ");
    const changed = join(server.folder, "changed hosts");
    await writeFile(changed, `[127.0.0.1]:${server.port} ${other}\n`);
    const moved = await refusal(server, { knownHostsFile: changed });
    assert.equal(moved.kind, "misconfigured");
    assert.match(moved.message, /host key has changed/u);
    assert.match(moved.hint ?? "", /ssh-keygen .*-R '\[127\.0\.0\.1\]:\d+'/u);

    assert.match((await refusal(server, { host: "-oProxyCommand=touch x" })).message, /not a valid host name/u);
    assert.match((await refusal(server, { keyFile: "/no/such/key" })).message, /key/u);
  });

  test("twenty parallel commands all run, although a server allows ten sessions per connection", async () => {
    await using environment = await open(server);
    const ran = await Promise.all(
      Array.from({ length: 20 }, (_, index) => run(environment, `sleep 0.5; echo ${index}`, { timeoutMs: 60_000 })),
    );
    assert.deepEqual(
      ran.map(({ text }) => text),
      Array.from({ length: 20 }, (_, index) => `${index}\n`),
    );
  });

  test("ten timeouts in a row leave no process, and the connection stays open", async () => {
    await using environment = await open(server);
    const seconds = `41${process.pid}.25`;
    for (let round = 0; round < 10; round++) {
      const command = `setsid sleep ${seconds} & sleep ${seconds} & sleep ${seconds}`;
      assert.equal((await run(environment, command, { timeoutMs: 100 })).ended, "timeout");
    }
    await eventually(() => countWith(seconds) === 0, "a process is left");
    assert.equal((await run(environment, "echo alive")).text, "alive\n");
  });

  test("only the two ends of 200 MB of output are in memory", async () => {
    await using environment = await open(server);
    await run(environment, "head -c 3000000 /dev/zero");
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
    const { totalBytes, spillPath } = await run(environment, "head -c 200000000 /dev/zero", { timeoutMs: 120_000 });
    clearInterval(watch);
    assert.equal(totalBytes, 200_000_000);
    assert.ok(peak - before < 100 * 1024 * 1024, `${Math.round((peak - before) / 1024 ** 2)} MB more`);
    if (spillPath !== undefined) await rm(spillPath);
  });

  test("output of start-up files is neither shown nor misinterpreted", async () => {
    await using own = await sshServer();
    await writeFile(
      join(own.home, ".bashrc"),
      "echo NOISE; echo NOISE >&2; printf 'half a line'; export FROM_RC=1 GITHUB_TOKEN=secret; cat() { echo mine; }\n",
    );
    await writeFile(join(own.home, ".bash_profile"), "echo BANNER; . ~/.bashrc\n");
    await using environment = await open(own);
    const { text } = await run(environment, 'echo "$FROM_RC ${GITHUB_TOKEN-unset}"; cat');
    assert.equal(text, "1 unset\nmine\n");
    assert.ok((await environment.files.write("file", Buffer.from("x"), neverAborted())).ok);
    const read = await environment.files.read("file", neverAborted());
    assert.equal(read.ok && Buffer.from(read.value).toString(), "x");
  });

  test("start-up files that kill the shell are skipped", async () => {
    await using own = await sshServer();
    await writeFile(join(own.home, ".bash_profile"), "export HALF=1; kill -9 $$\n");
    await using environment = await open(own);
    assert.equal(
      (await run(environment, 'echo "${HALF-unset}"; type -P ls >/dev/null && echo found')).text,
      "unset\nfound\n",
    );
  });

  test("without bash the plain shell keeps folder, variables and aliases", async () => {
    await using environment = await open(server, { shells: ["sh"] });
    await run(environment, "mkdir -p ~/plain; cd ~/plain; export A=\"it's\"; alias hi='echo hello'");
    const { text, cwd } = await run(environment, 'hi; echo "$A"; echo "${BASH_VERSION-none}"');
    assert.deepEqual({ text, cwd }, { text: "hello\nit's\nnone\n", cwd: join(server.home, "plain") });
    assert.equal((await run(environment, "kill -9 $$")).signal, "SIGKILL");
  });

  test("file names may contain any character", async () => {
    await using environment = await open(server);
    const folder = join(server.home, "names");
    await run(environment, "mkdir names; cd names");
    const names = ['it\'s "a" $HOME `x`', "two\nlines\n", " -rf", "\\back*[a]?", "ünï😀", "a;b&c|d", "..."];
    for (const name of names) {
      assert.ok((await environment.files.write(`${folder}/${name}`, Buffer.from(name), neverAborted())).ok, name);
      const read = await environment.files.read(name, neverAborted());
      assert.equal(read.ok && Buffer.from(read.value).toString(), name);
      assert.equal((await environment.files.stat(name, neverAborted())).ok, true);
      assert.deepEqual(await environment.files.realPath(name, neverAborted()), {
        ok: true,
        value: `${folder}/${name}`,
      });
    }
    const listed = await environment.files.list(folder, neverAborted());
    assert.deepEqual(
      listed.ok && listed.value.map(({ name }) => name),
      names.toSorted((a, b) => (a < b ? -1 : 1)),
    );
    for (const name of names) {
      assert.ok((await environment.files.move(name, `moved/${name}`, neverAborted())).ok, name);
      assert.ok((await environment.files.delete(`moved/${name}`, neverAborted())).ok, name);
    }
  });

  test("a full remote disk keeps the old content", async (context) => {
    const disk = join(server.home, "disk");
    await mkdir(disk);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], { encoding: "utf8" });
    if (mounted.status !== 0) return context.skip(`no file system can be mounted here: ${mounted.stderr}`);
    try {
      await using environment = await open(server);
      assert.ok((await environment.files.write("disk/file", Buffer.from("old"), neverAborted())).ok);
      const written = await environment.files.write("disk/file", Buffer.alloc(1_000_000, "n"), neverAborted());
      assert.equal(!written.ok && written.error.kind, "no_space");
      const read = await environment.files.read("disk/file", neverAborted());
      assert.equal(read.ok && Buffer.from(read.value).toString(), "old");
      assert.deepEqual(await readdir(disk), ["file"]);
    } finally {
      spawnSync("umount", [disk]);
    }
  });

  test("given variables reach commands and are not visible in the remote process list", async () => {
    const secret = `value-${process.pid}-${Math.random()}`;
    await using environment = await open(server, { env: { GIVEN: secret } });
    const seen: number[] = [];
    const { text } = await run(environment, 'echo "$GIVEN"; sleep 0.3; echo end', {
      onOutput: () => void seen.push(countWith(secret)),
    });
    assert.equal(text, `${secret}\nend\n`);
    assert.ok(seen.length > 0 && seen.every((count) => count === 0), seen.join());
  });

  test("a helper supplies the sudo password, which is stored nowhere", async () => {
    await using environment = await open(server);
    const { text } = await run(environment, '"$SUDO_ASKPASS"; env | grep -c hunter; cat', {
      sudoPassword: "hunter 2'",
      stdin: Buffer.from("typed"),
    });
    assert.equal(text, "hunter 2'\n0\ntyped");
    assert.equal((await run(environment, 'echo "${SUDO_ASKPASS-unset}"')).text, "unset\n");
    const { ended } = await run(environment, "sleep 100", { sudoPassword: "hunter 2'", timeoutMs: 200 });
    assert.equal(ended, "timeout");
    const match = spawnSync("grep", ["-rl", "hunter 2", join(server.folder, "tmp")], { encoding: "utf8" });
    assert.equal(match.stdout, "");
  });
});
