// covers: src/safety, src/environments, src/runtime
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import type { CreatedEnvironment } from "../../src/contracts/environment/environment.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import type { IsolationRules } from "../../src/safety/isolation.ts";
import { sandboxHint } from "../../src/tools/terminal/foreground.ts";
import { neverAborted, run } from "../support/environment-conformance.ts";
import { localDeps, removeProcesses } from "../support/local-deps.ts";
import { runProgram } from "../support/run-program.ts";
import { findProgram, missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";
import { testIsolation } from "../support/test-isolation.ts";

const missing = missingPrograms({ perl: "perl" });
const perl = findProgram("perl") ?? "";
/** Version of the kernel's Landlock; -1 without it. */
const abi = missing ? -1 : Number(execFileSync(perl, ["-e", "print syscall 444, 0, 0, 1"], { encoding: "utf8" }));
const skip = missing || (abi < 1 ? "needs a kernel with Landlock" : false);
const owner = { program: "test", session: "session", principal: "person", isKept: false };

interface Rig {
  readonly environment: CreatedEnvironment;
  readonly root: string;
  readonly person: string;
  readonly work: string;
  readonly hermes: string;
}

async function withLandlock(changes: Partial<IsolationRules>, check: (rig: Rig) => Promise<void>): Promise<void> {
  await using folder = await tempHome();
  const root = folder.path;
  const [person, work, hermes] = [join(root, "anna"), join(root, "work"), join(root, "hermes")];
  for (const path of [join(person, ".ssh"), join(person, ".npm"), work, join(root, "tmp"), join(hermes, "skills")])
    await mkdir(path, { recursive: true });
  await writeFile(join(person, ".ssh", "id_rsa"), "PRIVATE KEY\n");
  await writeFile(join(person, ".netrc"), "PRIVATE KEY\n");
  await writeFile(join(person, "notes"), "notes\n");
  await writeFile(join(hermes, ".env"), "PRIVATE KEY\n");
  await writeFile(join(hermes, "skills", "a.md"), "skill\n");
  const isolation = testIsolation({
    sandbox: { kind: "landlock", program: perl, abi },
    person: { home: person, userId: process.getuid?.() ?? 0, env: {} },
    workspace: work,
    tempFolders: [join(root, "tmp")],
    hermes: [{ home: hermes, visible: () => ["skills"] }],
    ...changes,
  });
  // Its shells cannot be reached, as in a home of Hermes.
  const deps = { ...localDeps(root, work), tempFolder: hermes, env: { PATH: process.env["PATH"], HOME: person } };
  const opened = await createLocalFactory({ ...deps, isolation }).open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  try {
    await using environment = opened.value;
    await check({ environment, root, person, work, hermes });
  } finally {
    await removeProcesses(root);
  }
}

test("with Landlock, only the workspace, temporary folders and caches are writable", { skip }, async () => {
  await withLandlock({}, async ({ environment, root, person, work }) => {
    const command = `echo x >f && mkdir -p a/b && mv f a/b/f && echo x >${root}/tmp/f && echo x >~/.npm/f && echo done`;
    assert.equal((await run(environment, command)).text, "done\n");
    assert.equal(await readFile(join(work, "a", "b", "f"), "utf8"), "x\n");
    for (const escape of [
      `echo x >${root}/g`,
      "echo x >~/g",
      "echo x >~/notes",
      "truncate -s 0 ~/notes",
      "rm ~/notes",
      "mv ~/notes .",
      "ln ~/notes .",
      "mkdir /etc/g",
      "mknod n b 1 1",
      "mount --bind . /mnt",
      "chroot . true",
    ]) {
      const { text, exitCode, confined } = await run(environment, escape);
      assert.ok(exitCode !== 0 && confined, `${escape}: ${text}`);
    }
    const { text, confined } = await run(environment, "echo x >~/g");
    assert.ok(confined);
    assert.match(sandboxHint(text, confined) ?? "", /only the workspace/u);
    assert.equal(await readFile(join(person, "notes"), "utf8"), "notes\n");
    assert.ok(!existsSync(join(root, "g")) && !existsSync(join(person, "g")));
  });
});

test("with Landlock, keys and Hermes' own home cannot be read, but other files can", { skip }, async () => {
  await withLandlock({}, async ({ environment, person, hermes, work }) => {
    await symlink(join(person, ".ssh"), join(work, "link"));
    const keys = `~/.ssh/id_rsa ~/.netrc ${hermes}/.env link/id_rsa /proc/${process.pid}/root${person}/.netrc`;
    const { text } = await run(environment, `cat ${keys} 2>/dev/null; cat ~/notes ${hermes}/skills/a.md; ls ~ | wc -l`);
    assert.equal(text, "notes\nskill\n1\n");
    const refused = await run(environment, `cat /proc/${process.pid}/environ`);
    assert.match(refused.text, /Permission denied/);
  });
});

test(
  "with Landlock, shell state, output, terminals and background processes work as without it",
  { skip },
  async () => {
    await withLandlock({}, async ({ environment, work, root }) => {
      await run(environment, 'mkdir sub; cd sub; export A=1; say() { echo "said $1"; }');
      assert.equal(
        (await run(environment, "pwd; echo $A >/dev/stdout; say x | tee /dev/null")).text,
        `${work}/sub\n1\nsaid x\n`,
      );
      assert.equal((await run(environment, "cat; exit 3", { stdin: Buffer.from("typed") })).exitCode, 3);
      assert.equal((await run(environment, "kill -TERM $$")).signal, "SIGTERM");
      const look = `echo x >${root}/g; cat ~/.netrc; tty >/dev/null && echo terminal`;
      const pty = { columns: 80, rows: 24 };
      assert.match((await run(environment, look, { pty })).text, /denied[^]*denied[^]*terminal/);
      const spawned = await environment.spawn(`${look}; exit 3`, { owner }, neverAborted());
      assert.ok(spawned.ok);
      assert.equal((await spawned.value.wait(neverAborted())).exitCode, 3);
      assert.match(Buffer.from((await spawned.value.output(0, neverAborted())).bytes).toString(), /denied[^]*denied/);
    });
  },
);

test(
  "with Landlock, variables of a confined command never affect the program that sets the limits",
  { skip },
  async () => {
    await withLandlock({}, async ({ environment, work, root }) => {
      await writeFile(join(work, "Evil.pm"), `open(my $f, '>', '${root}/g'); 1;\n`);
      await run(environment, "export PERL5LIB=$PWD PERL5OPT=-MEvil LD_PRELOAD=/nonexistent.so H_X=1");
      const { text } = await run(environment, "echo $PERL5OPT $H_X");
      assert.match(text, /-MEvil 1\n$/);
      assert.ok(!existsSync(join(root, "g")));
    });
  },
);

test(
  "with Landlock, outside processes cannot be signalled, and without network nothing is reachable",
  { skip },
  async () => {
    const listener = createServer((socket) => socket.end("hello\n")).listen(0, "127.0.0.1");
    await new Promise((resolve) => listener.once("listening", resolve));
    using _server = { [Symbol.dispose]: () => void listener.close() };
    const address = listener.address();
    assert.ok(typeof address === "object" && address);
    const command = `cat </dev/tcp/127.0.0.1/${address.port}`;
    await withLandlock({}, async ({ environment }) => {
      assert.equal((await run(environment, command)).text, "hello\n");
      if (abi >= 6) assert.equal((await run(environment, `kill -0 ${process.pid}`)).exitCode, 1);
    });
    if (abi < 4) return;
    await withLandlock({ hasNetwork: false }, async ({ environment }) => {
      assert.equal((await run(environment, command)).exitCode, 1);
    });
  },
);

test(
  "without bubblewrap, Hermes confines commands with Landlock, and the doctor explains how to improve that",
  { skip },
  async () => {
    await using folder = await tempHome();
    const [work, bin, home] = [join(folder.path, "work"), join(folder.path, "bin"), join(folder.path, "home")];
    for (const path of [join(work, ".git"), bin, join(folder.path, ".ssh")]) await mkdir(path, { recursive: true });
    await writeFile(join(folder.path, ".ssh", "id_rsa"), "PRIVATE KEY\n");
    for (const name of ["bash", "sh", "mkfifo", "cat", "perl"]) await symlink(`/usr/bin/${name}`, join(bin, name));
    await writeFile(join(work, "look.sh"), "cat ~/.ssh/id_rsa; echo x >x; cat x\n");
    const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");
    const hermes = (...words: readonly string[]) =>
      runProgram(process.execPath, [program, ...words], {
        cwd: work,
        env: { HERMES_HOME: home, HOME: folder.path, PATH: bin },
      });
    const args = JSON.stringify({ command: "sh look.sh" });
    const { data } = JSON.parse((await hermes("tools", "call", "terminal", "--args", args, "--json")).stdout);
    assert.deepEqual([data.sandbox, data.output.endsWith("denied\nx\n")], [true, true], data.output);
    const { stdout } = await hermes("doctor");
    assert.match(stdout, /isolation[^]*Landlock[^]*Install bubblewrap: /);
  },
);
