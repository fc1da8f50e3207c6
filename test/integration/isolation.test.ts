// covers: src/safety, src/environments, src/runtime
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { findProgram } from "../../src/base/process/find-program.ts";
import type { Environment, CreatedEnvironment } from "../../src/contracts/environment/environment.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import { tryBubblewrap } from "../../src/environments/local/try-bubblewrap.ts";
import { type IsolationRules, trialSandbox } from "../../src/safety/isolation.ts";
import { neverAborted, run } from "../support/environment-conformance.ts";
import { localDeps, removeProcesses } from "../support/local-deps.ts";
import { runProgram } from "../support/run-program.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";
import { testIsolation } from "../support/test-isolation.ts";

const skip = missingPrograms({ bwrap: "bubblewrap" });
const owner = { program: "test", session: "session", principal: "person", isKept: false };

interface Rig {
  readonly environment: CreatedEnvironment;
  readonly outside: Environment;
  /** All below it belongs to the test. Only `work` and `tmp` of it can be written in the sandbox. */
  readonly root: string;
  readonly person: string;
  readonly work: string;
  readonly hermes: string;
}

async function withSandbox(changes: Partial<IsolationRules>, check: (rig: Rig) => Promise<void>): Promise<void> {
  await using folder = await tempHome();
  const root = folder.path;
  const [person, work, hermes] = [join(root, "anna"), join(root, "work"), join(root, "hermes")];
  for (const path of [join(person, ".ssh"), join(person, ".npm"), work, join(root, "tmp"), join(hermes, "skills")])
    await mkdir(path, { recursive: true });
  await mkdir(join(hermes, "audit"));
  await writeFile(join(person, ".ssh", "id_rsa"), "PRIVATE KEY\n");
  await writeFile(join(person, ".netrc"), "password x\n");
  await writeFile(join(person, ".npmrc"), "registry=https://example.org/\n");
  await writeFile(join(hermes, ".env"), "KEY=1\n");
  await writeFile(join(hermes, "audit", "log.jsonl"), "{}\n");
  await writeFile(join(hermes, "skills", "a.md"), "skill\n");
  const isolation = testIsolation({
    person: { home: person, userId: process.getuid?.() ?? 0, env: {} },
    workspace: work,
    tempFolders: [join(root, "tmp")],
    hermes: [{ home: hermes, visible: () => ["skills", "outputs"] }],
    ...changes,
  });
  const deps = localDeps(root, work);
  const factory = createLocalFactory({ ...deps, env: { PATH: process.env.PATH, HOME: person }, isolation });
  const opened = await factory.open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok && opened.value.outside, JSON.stringify(opened));
  try {
    await using environment = opened.value;
    await check({ environment, outside: opened.value.outside, root, person, work, hermes });
  } finally {
    await removeProcesses(root);
  }
}

test("in the sandbox, only the workspace, temporary folders and caches are writable", { skip }, async () => {
  await withSandbox({}, async ({ environment, root, person, work }) => {
    const ok = await run(environment, `echo x >f && echo x >${root}/tmp/f && echo x >~/.npm/f && echo done`);
    assert.equal(ok.text, "done\n");
    assert.equal(await readFile(join(work, "f"), "utf8"), "x\n");
    assert.ok(existsSync(join(person, ".npm", "f")));
    for (const path of [`${root}/g`, "~/g", "~/.ssh/g", "/etc/g", "/g", "/usr/bin/g"]) {
      const { text, exitCode, confined } = await run(environment, `echo x >${path}`);
      assert.deepEqual([exitCode, /Read-only file system/.test(text)], [1, true], `${path}: ${text}`);
      assert.ok(confined);
    }
    assert.ok(!existsSync(join(root, "g")));
  });
});

test("in the sandbox, keys and Hermes' own home are hidden, and skills are readable", { skip }, async () => {
  await withSandbox({}, async ({ environment, outside, person, hermes, work }) => {
    assert.equal((await run(environment, "ls -A ~/.ssh; cat ~/.netrc")).text, "");
    assert.equal((await run(environment, `ls -A ${hermes}; cat ${hermes}/skills/a.md`)).text, "skills\nskill\n");
    assert.match((await run(environment, `echo x >>${hermes}/skills/a.md`)).text, /Read-only/);
    assert.match((await run(environment, `cat ${hermes}/audit/log.jsonl ${hermes}/.env`)).text, /No such file/);
    await symlink(join(person, ".ssh"), join(work, "link"));
    assert.equal((await run(environment, "ls -A link/; cat link/id_rsa 2>/dev/null")).text, "");
    assert.match((await run(environment, `ln -s ${hermes}/.env e; cat e`)).text, /No such file/);
    assert.equal((await run(outside, "cat ~/.ssh/id_rsa")).text, "PRIVATE KEY\n");
  });
});

test("settings of package managers are visible in the sandbox unless they contain a token", { skip }, async () => {
  await withSandbox({}, async ({ environment, person }) => {
    assert.match((await run(environment, "cat ~/.npmrc")).text, /registry/);
    await writeFile(join(person, ".npmrc"), "//example.org/:_authToken=abc\n");
    assert.equal((await run(environment, "cat ~/.npmrc")).text, "");
  });
});

test("a secret that is added during a session is hidden from the next command", { skip }, async () => {
  await withSandbox({}, async ({ environment, outside }) => {
    await run(outside, "mkdir ~/.aws; echo secret >~/.aws/credentials");
    assert.equal((await run(environment, "cat ~/.aws/credentials 2>/dev/null || echo hidden")).text, "hidden\n");
  });
});

test("the user's settings can show, hide and open more paths in the sandbox", { skip }, async () => {
  await using folder = await tempHome();
  await mkdir(join(folder.path, "data"));
  await writeFile(join(folder.path, "plan"), "plan\n");
  const { path } = folder;
  await withSandbox({ writable: [join(path, "data")], hidden: [join(path, "plan")] }, async ({ environment }) => {
    assert.equal((await run(environment, `touch ${path}/data/x && cat ${path}/plan`)).text, "");
  });
  await withSandbox({}, async ({ person, work }) => {
    const visible = [join(person, ".ssh")];
    const changes = { person: { home: person, userId: process.getuid?.() ?? 0, env: {} }, workspace: work, visible };
    const factory = createLocalFactory({ ...localDeps(person, work), isolation: testIsolation(changes) });
    const opened = await factory.open({ taskId: "test" }, neverAborted());
    assert.ok(opened.ok);
    await using environment = opened.value;
    assert.equal((await run(environment, `cat ${person}/.ssh/id_rsa`)).text, "PRIVATE KEY\n");
  });
});

test("without network, a confined command cannot reach anything, not even this machine", { skip }, async () => {
  using server = { [Symbol.dispose]: () => listener.close() };
  const listener = createServer((socket) => socket.end("hello\n")).listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const address = listener.address();
  assert.ok(server && typeof address === "object" && address);
  const command = `cat </dev/tcp/127.0.0.1/${address.port}`;
  await withSandbox({}, async ({ environment }) => assert.equal((await run(environment, command)).text, "hello\n"));
  await withSandbox({ hasNetwork: false }, async ({ environment }) => {
    const { exitCode, confined } = await run(environment, command);
    assert.deepEqual([exitCode, confined?.hasNetwork], [1, false]);
  });
});

test("a command cannot remove the sandbox and cannot see or signal processes outside", { skip }, async () => {
  await withSandbox({}, async ({ environment, person, work, hermes }) => {
    const key = `${person}/.ssh/id_rsa`;
    for (const escape of [
      `umount ${person}/.ssh`,
      `unshare -Urm sh -c 'umount ${person}/.ssh; cat ${key}'`,
      `cat /proc/1/root${key} /proc/*/root${key}`,
      `mv ${person}/.ssh ${work}/s; cat ${work}/s/id_rsa`,
      `mount --bind / /mnt && cat /mnt${key}`,
      `ls -A ${hermes} | grep env`,
      `kill -0 ${process.pid}`,
      // Asked for, never written: settings of the kernel name programs that it runs outside.
      "[ -w /proc/sys/kernel/core_pattern ] || [ -w /sys/kernel/uevent_helper ]",
    ]) {
      const { text, exitCode } = await run(environment, `{ ${escape}; } 2>&1`);
      assert.ok(exitCode !== 0 && !text.includes("PRIVATE"), `${escape}: ${exitCode} ${text}`);
    }
    assert.equal((await run(environment, "ps ax | grep -c '[n]ode.*test'")).text, "0\n");
    assert.equal((await run(environment, "grep NoNewPrivs /proc/self/status | tr -dc 0-9")).text, "1");
  });
});

test("loader variables apply to the command and not to the sandbox program", { skip }, async () => {
  await withSandbox({}, async ({ environment, outside }) => {
    await run(outside, "export LD_PRELOAD=/nonexistent/evil.so");
    const { text } = await run(environment, "echo $LD_PRELOAD");
    // The loader complains once for the shell inside, and never for bubblewrap.
    assert.equal(text.match(/cannot be preloaded/g)?.length, 1, text);
    assert.match(text, /\n\/nonexistent\/evil\.so\n$/);
  });
});

test(
  "shell state carries over between commands inside and outside the sandbox: folder, variables, functions, aliases",
  { skip },
  async () => {
    await withSandbox({}, async ({ environment, outside, work }) => {
      await run(environment, "mkdir sub; cd sub; export A=1; say() { echo \"said $1 é\"; }; alias hi='echo hello'");
      const seen = await run(outside, "pwd; echo $A\nsay x\nhi\nB=2; export B; declare -F say");
      assert.equal(seen.text, `${work}/sub\n1\nsaid x é\nhello\nsay\n`);
      assert.equal(
        (await run(environment, "say y; hi; echo $B; bash -c 'say z' 2>&1")).text.split("\n")[0],
        "said y é",
      );
      assert.match((await run(environment, "bash -c 'say z'")).text, /not found/, "it is not exported by the way");
    });
  },
);

test("a confined command that forges the shell state cannot run a command outside", { skip }, async () => {
  await withSandbox({}, async ({ environment, outside, root }) => {
    const forge = `
      import os, re, sys
      line = open(f"/proc/{os.getppid()}/cmdline", "rb").read().decode()
      mark = re.search(r"'([0-9a-f]{24})'", line.replace("\\\\''", "'")).group(1)
      left = re.search(r"(/\\S+/left/\\d+)", line).group(1)
      parts = ["${root}/work\\n", 'declare -rx A="$(touch ${root}/A)"\\n', "alias x;touch ${root}/B;y='1'\\n", "", "declare -f f\\n",
               "touch ${root}/C\\nf () \\n{ \\n    :\\n}\\ntouch ${root}/D\\n", ""]
      open(left, "w").write((mark + "\\n").join(parts))
    `.replaceAll(/^ {6}/gm, "");
    await writeFile(join(root, "work", "forge.py"), forge);
    const { text, exitCode } = await run(environment, "python3 forge.py");
    assert.equal(exitCode, 0, text);
    assert.deepEqual(
      Object.keys((await environment.state(neverAborted())).functions),
      ["f"],
      "it was taken for a state",
    );
    await run(outside, "echo hi");
    const spawned = await outside.spawn("echo hi", { owner }, neverAborted());
    assert.ok(spawned.ok);
    await spawned.value.wait(neverAborted());
    for (const name of ["A", "B", "C", "D"]) assert.ok(!existsSync(join(root, name)), name);
  });
});

test(
  "variables that can redirect programs are reported when a confined command sets them, until the user allows them",
  { skip },
  async () => {
    await withSandbox({}, async ({ environment, outside, work }) => {
      const reported = async () => (await environment.state(neverAborted())).fromSandbox;
      assert.equal(await reported(), undefined);
      await run(environment, "export HOME=$PWD/fake NODE_ENV=test; cd /");
      assert.deepEqual(await reported(), { HOME: `${work}/fake` });
      await run(outside, "true");
      assert.equal(await reported(), undefined);
    });
  },
);

test("files that a confined command writes in place of its shell state are harmless", { skip }, async () => {
  await withSandbox({}, async ({ environment, person, root }) => {
    const left = "$(tr '\\0' '\\n' </proc/$$/cmdline | grep -o \"/[^ ']*/left/[0-9]*\" | head -1)";
    assert.equal((await run(environment, `mkfifo "${left}"`)).carried, false);
    assert.equal((await run(environment, `ln -s ${person}/.netrc "${left}"`)).carried, false);
    assert.equal((await run(environment, "echo fine")).text, "fine\n");
    await run(environment, "f() { :; }");
    const script = `${root}/tmp/hermes-shells-*/hermes-shell-*/state-*`;
    assert.match((await run(environment, `ls ${script} && echo x >>${script}`)).text, /state-\d\n[^]*Read-only/);
  });
});

test(
  "the repository of a worktree is writable but its hooks are not, and a forged file opens no other folder",
  { skip },
  async () => {
    await withSandbox({}, async ({ environment, root, work }) => {
      const git = (cwd: string, ...args: string[]) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, stdio: "pipe" });
      await mkdir(join(root, "main"));
      git(join(root, "main"), "init", "-q");
      git(join(root, "main"), "commit", "-q", "--allow-empty", "-m", "first");
      git(join(root, "main"), "worktree", "add", "-q", "-f", work);
      const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && git log --format=%s";
      assert.equal((await run(environment, commit)).text, "second\nfirst\n");
      assert.match((await run(environment, `echo x >${root}/main/.git/hooks/pre-commit`)).text, /Read-only/);
      await run(environment, `echo "gitdir: ${root}/anna" >.git`);
      assert.match((await run(environment, `echo x >${root}/anna/x`)).text, /Read-only/);
    });
  },
);

test("a workspace that was replaced by another folder is not mounted", { skip }, async () => {
  await withSandbox({}, async ({ environment, root, person, work }) => {
    await run(environment, "true");
    execFileSync("mv", [work, `${work}-old`]);
    await symlink(person, work);
    assert.match((await run(environment, `echo x >${root}/anna/x`)).text, /Read-only/);
  });
});

test(
  "a command in a folder that the sandbox hides does not run, and the error gives the reason",
  { skip },
  async () => {
    await withSandbox({}, async ({ environment, person }) => {
      const refused = await environment.exec("pwd", {
        signal: neverAborted(),
        timeoutMs: 60_000,
        cwd: join(person, ".ssh"),
      });
      assert.ok(!refused.ok);
      assert.match(`${refused.error.message} ${refused.error.hint}`, /cannot be seen.*outside/);
    });
  },
);

test("a terminal and a background process are confined like any other command", { skip }, async () => {
  await withSandbox({}, async ({ environment, root }) => {
    const look = `echo x >${root}/g; cat ~/.netrc; tty >/dev/null && echo terminal`;
    const pty = { columns: 80, rows: 24 };
    assert.match((await run(environment, look, { pty })).text, /Read-only[^]*terminal/);
    for (const options of [{ owner }, { owner, pty }]) {
      const spawned = await environment.spawn(`${look}; exit 3`, options, neverAborted());
      assert.ok(spawned.ok);
      assert.equal((await spawned.value.wait(neverAborted())).exitCode, 3);
      assert.match(Buffer.from((await spawned.value.output(0, neverAborted())).bytes).toString(), /Read-only/);
    }
  });
});

test("input passed to a command has no path that a confined process could open", { skip }, async () => {
  await withSandbox({}, async ({ environment, work }) => {
    const watch = `import os\nopen("ready", "w")\nwhile True:\n  for name in os.listdir("/dev/shm"):\n    if name.startswith("hermes-"): open("seen", "w").write(name)`;
    const spawned = await environment.spawn(`python3 -c '${watch}'`, { owner }, neverAborted());
    assert.ok(spawned.ok);
    while (!existsSync(join(work, "ready"))) await new Promise((resolve) => setTimeout(resolve, 5));
    for (let count = 0; count < 40; count++)
      assert.equal((await run(environment, "cat", { stdin: Buffer.from("password") })).text, "password");
    assert.ok(!existsSync(join(work, "seen")));
  });
});

const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

async function house(env: Readonly<Record<string, string>> = {}) {
  const folder = await tempHome();
  const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
  await mkdir(join(work, ".git"), { recursive: true });
  await mkdir(join(folder.path, ".ssh"));
  await writeFile(join(folder.path, ".ssh", "id_rsa"), "PRIVATE KEY\n");
  await writeFile(join(work, "look.sh"), 'ls -A ~/.ssh "$HERMES_HOME"\n');
  return {
    home,
    work,
    async terminal(args: Readonly<Record<string, unknown>>, ...flags: string[]) {
      const words = ["tools", "call", "terminal", "--args", JSON.stringify(args), "--json", ...flags];
      const { stdout } = await runProgram(process.execPath, [program, ...words], {
        cwd: work,
        env: { HERMES_HOME: home, HOME: folder.path, ...env },
      });
      const { ok, data, error } = JSON.parse(stdout);
      return { ok, sandbox: data?.sandbox === true, output: data?.output ?? error?.message, hint: data?.hint ?? "" };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("by default a command without approval is confined; keys and the audit log are hidden", { skip }, async () => {
  await using at = await house();
  await at.terminal({ command: "true" });
  assert.ok(existsSync(join(at.home, "audit")));
  const { sandbox, output } = await at.terminal({ command: "sh look.sh" });
  assert.deepEqual([sandbox, /id_rsa|audit/.test(output)], [true, false], output);
  const off = await at.terminal({ command: "sh look.sh" }, "--set", "isolation=off");
  assert.deepEqual([off.sandbox, /id_rsa/.test(off.output)], [false, true], off.output);
});

test("processes that a confined command leaves running cannot reach the scripts of our shells", { skip }, async () => {
  await using temp = await tempHome();
  await using at = await house({ TMPDIR: temp.path });
  assert.equal((await at.terminal({ command: `ls -A ${temp.path}` })).output, "");
});

test("links in folders that confined commands can write never change what is mounted", { skip }, async () => {
  await withSandbox({}, async ({ environment, person, work }) => {
    await mkdir(join(person, ".gnupg", "keys"), { recursive: true });
    await writeFile(join(person, ".gnupg", "keys", "k"), "PRIVATE KEY\n");
    await mkdir(join(work, ".git"));
    await run(environment, `ln -s ~/.gnupg/keys .git/hooks`);
    assert.equal((await run(environment, "cat .git/hooks/k ~/.gnupg/keys/k 2>/dev/null")).text, "");
    await run(environment, `rm .git/hooks; mkdir hooks; ln -s ../hooks .git/hooks`);
    assert.match((await run(environment, "touch hooks/pre-commit")).text, /Read-only/);
  });
});

test("the first run of a package manager in the sandbox finds a writable cache", { skip }, async () => {
  await using bin = await tempHome();
  await writeFile(join(bin.path, "npm"), "", { mode: 0o755 });
  await using at = await house({ PATH: `${bin.path}:${process.env.PATH}` });
  assert.equal((await at.terminal({ command: "ls -d ~/.npm ~/.cache | wc -l" })).output, "2\n");
});

test(
  "an approved command runs outside the sandbox; in a mode without questions it stays inside",
  { skip },
  async () => {
    await using at = await house();
    const command = { command: "rm -rf build; sh look.sh" };
    const denied = await at.terminal(command);
    assert.equal(denied.ok, false);
    assert.match(denied.output, /needs approval and nobody is here to ask/);
    const approved = await at.terminal(command, "--approve");
    assert.deepEqual([approved.sandbox, /id_rsa/.test(approved.output)], [false, true]);
    const yolo = ["--set", "approvals.mode=yolo"];
    assert.equal((await at.terminal(command, ...yolo)).sandbox, true);
    assert.equal((await at.terminal(command, "--set", "approvals.unattended=allow")).sandbox, true);
    const answer = await at.terminal({ command: "sh look.sh", outside: true }, ...yolo);
    assert.equal(answer.sandbox, true);
    assert.match(answer.hint, /no person allowed/);
  },
);

test("leaving the sandbox needs a separate approval", { skip }, async () => {
  await using at = await house();
  const denied = await at.terminal({ command: "sh look.sh", outside: true });
  assert.equal(denied.ok, false);
  assert.match(denied.output, /outside the sandbox/);
  const allowed = await at.terminal({ command: "sh look.sh", outside: true }, "--approve");
  assert.deepEqual([allowed.sandbox, /id_rsa/.test(allowed.output)], [false, true]);
  const failed = await at.terminal({ command: "touch /opt/x1" }, "--set", "approvals.mode=yolo");
  assert.match(failed.hint, /sandbox.*outside: true/);
});

test(
  "if isolation is on but unavailable, the command is refused; with auto it runs without a sandbox",
  { skip },
  async () => {
    await using bin = await tempHome();
    for (const name of ["bash", "sh", "mkfifo", "cat", "ls"]) await symlink(`/bin/${name}`, join(bin.path, name));
    await using at = await house({ PATH: bin.path });
    const refused = await at.terminal({ command: "echo hi" }, "--set", "isolation=on");
    assert.equal(refused.ok, false);
    assert.match(refused.output, /not run.*bubblewrap.*Install/);
    assert.deepEqual(await at.terminal({ command: "echo hi" }), { ok: true, sandbox: false, output: "hi\n", hint: "" });
  },
);

test("a sandbox that is still changing its root is accepted by the mount check", { skip }, async () => {
  const trial = {
    program: findProgram(["bwrap"], process.env) ?? "",
    ...trialSandbox({ hasNetwork: false, isRoot: process.getuid?.() === 0 }),
  };
  for (let round = 0; round < 10; round++) {
    const tried = await Promise.all(Array.from({ length: 10 }, () => tryBubblewrap(trial, systemClock)));
    assert.deepEqual(
      tried.filter(({ ok }) => !ok),
      [],
    );
  }
});
