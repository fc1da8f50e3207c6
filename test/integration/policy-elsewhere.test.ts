// covers: src/safety, src/environments
import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { sshServer } from "../support/ssh-server.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");
const skip = missingPrograms({ sshd: "openssh-server", ssh: "openssh-client" });

test("over ssh, the file lists apply to real remote paths, for commands and file tools", { skip }, async () => {
  await using server = await sshServer();
  await using home = await tempHome();
  const work = join(server.home, "app");
  await mkdir(join(server.home, ".ssh"), { recursive: true });
  await mkdir(work);
  await symlink("../.ssh", join(work, "link"));
  const settings = {
    "terminal.backend": "ssh",
    "terminal.cwd": work,
    "terminal.ssh_host": "127.0.0.1",
    "terminal.ssh_user": server.user,
    "terminal.ssh_port": String(server.port),
    "terminal.ssh_key": server.keyFile,
    "terminal.ssh_host_keys": "accept-new",
    "terminal.ssh_known_hosts": server.knownHosts,
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const calls = [
    ["terminal", { command: "touch a.txt" }, "done"],
    ["write_file", { path: "b.txt", content: "x" }, "done"],
    ["terminal", { command: "echo k >> link/authorized_keys" }, "rule"],
    ["terminal", { command: "cp a.txt link/id_new" }, "rule"],
    ["write_file", { path: "link/authorized_keys", content: "k" }, "rule"],
    ["terminal", { command: "touch /srv/other.txt" }, "no_approver"],
    ["write_file", { path: "/srv/other.txt", content: "k" }, "no_approver"],
    ["terminal", { command: `rm -rf ${server.home}` }, "hardline"],
    ["terminal", { command: "cd /" }, "done"],
    ["terminal", { command: "touch srv/x" }, "no_approver"],
  ] as const;
  const ran = await runProgram(process.execPath, [program, "tools", "call", "--jsonl", ...flags], {
    env: { HERMES_HOME: join(home.path, "home"), HOME: home.path },
    cwd: home.path,
    input: calls.map(([name, args]) => JSON.stringify({ name, args })).join("\n"),
  });
  const answers = ran.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { ok: boolean; error?: { data?: { cause?: string }; message: string } });
  assert.deepEqual(
    answers.map(({ ok, error }) => (ok ? "done" : (error?.data?.cause ?? error?.message))),
    calls.map(([, , expected]) => expected),
    ran.stderr,
  );
});
