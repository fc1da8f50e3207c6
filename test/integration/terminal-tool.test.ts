// covers: src/tools, src/environments, src/safety
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { removeProcesses } from "../support/local-deps.ts";
import { runHere } from "../support/run-here.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

/** A home, a work folder and a temporary folder, and the real program in them. */
async function house(config = "", dotenv = "") {
  const home = await tempHome();
  const work = join(home.path, "work");
  const temp = join(home.path, "temp");
  const hermes = join(home.path, "hermes");
  for (const folder of [work, temp, hermes]) await mkdir(folder, { mode: 0o700 });
  await writeFile(join(hermes, "config.yaml"), config);
  await writeFile(join(hermes, ".env"), dotenv, { mode: 0o600 });
  const env = { HERMES_HOME: hermes, HOME: home.path, TMPDIR: temp };
  const hermesWith = (args: readonly string[], more: { env?: Record<string, string>; input?: string } = {}) => {
    const all = ["tools", "call", ...args];
    // Variables of the environment are the business of the program.
    if (more.env === undefined) return runHere({ work, env }, all, more.input);
    return runProgram(process.execPath, [bundle, ...all], { ...more, cwd: work, env: { ...env, ...more.env } });
  };
  return {
    work,
    temp,
    hermes,
    env,
    /** The answer to one call. */
    async call(args: object, more: { env?: Record<string, string>; tool?: string; approve?: boolean } = {}) {
      const { tool = "terminal", approve = false, ...rest } = more;
      const flags = approve ? ["--json", "--approve"] : ["--json"];
      const { stdout, stderr } = await hermesWith([tool, "--args", JSON.stringify(args), ...flags], rest);
      assert.notEqual(stdout, "", stderr);
      return JSON.parse(stdout);
    },
    /** The results of calls in one run of the program. */
    async session(calls: readonly object[]) {
      const input = calls.map((args) => JSON.stringify({ args })).join("\n");
      const { stdout } = await hermesWith(["terminal", "--jsonl"], { input });
      return stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).data);
    },
    async [Symbol.asyncDispose]() {
      await removeProcesses(hermes);
      await home[Symbol.asyncDispose]();
    },
  };
}

test("a command runs in the folder of the program and returns its exit code", async () => {
  await using place = await house();
  const { ok, data } = await place.call({ command: "echo hi; pwd; exit 3" });
  const { duration_ms, waited_ms, sandbox: _, ...rest } = data;
  assert.deepEqual(
    { ok, ...rest },
    { ok: true, exit_code: 3, error: null, cwd: place.work, backend: "local", output: `hi\n${place.work}\n` },
  );
  assert.ok(duration_ms >= 0 && waited_ms >= 0);
  assert.deepEqual(await readdir(place.temp), []);
});

test("folder, variables, functions and aliases carry over; workdir applies to one command", async () => {
  await using place = await house();
  await mkdir(join(place.work, "sub"));
  const answers = await place.session([
    { command: "cd sub; export A=1; f() { echo f$1; }; alias g='f x'" },
    { command: "pwd; echo $A; f 2; g" },
    { command: "pwd", workdir: "/" },
    { command: "pwd", workdir: ".." },
    { command: "pwd", workdir: "nope" },
    { command: "pwd" },
  ]);
  const sub = join(place.work, "sub");
  assert.deepEqual(
    answers.map(({ output }) => output),
    [
      "",
      `${sub}\n1\nf2\nfx\n`,
      "/\n",
      `${place.work}\n`,
      `The folder nope does not exist; the command was not run.\n`,
      `${sub}\n`,
    ],
  );
  assert.deepEqual([answers[4].exit_code, answers[5].cwd], [126, sub]);
});

test("a timeout keeps the output and leaves no process", async () => {
  await using place = await house();
  const { data } = await place.call({ command: "echo so far; setsid sleep 987 & sleep 987", timeout: 3 });
  assert.deepEqual([data.exit_code, data.timed_out, data.output], [124, true, "so far\n[Command timed out after 3s]"]);
  assert.deepEqual(alive(place.hermes), []);
});

test("the default time limit is a setting", async () => {
  await using place = await house("terminal: {timeout: 1}\n");
  assert.equal((await place.call({ command: "sleep 987" })).data.exit_code, 124);
  assert.equal((await place.call({ command: "sleep 987" }, { env: { TERMINAL_TIMEOUT: "1.5" } })).data.timed_out, true);
  const { ok, error } = await place.call({ command: "true", timeout: 601 });
  assert.deepEqual([ok, error.kind], [false, "invalid_args"]);
});

test("processes that a command leaves running cannot hang the call; they are killed and named", async () => {
  await using place = await house();
  const { data } = await place.call({ command: "(while :; do echo x; sleep 1; done) & echo done" });
  assert.match(data.output, /^done$/m);
  assert.match(data.left_running.join(), /sleep 1/);
  assert.match(data.hint, /background: true/);
  assert.deepEqual(alive(place.hermes), []);
});

for (const [what, command] of [
  ["a command", "echo ready >&2; touch started; sleep 987 & setsid sleep 987 & wait"],
  ["a command that ignores signals", "trap '' INT TERM HUP; touch started; while :; do sleep 987; done"],
] as const) {
  test(`Ctrl-C ends ${what} and leaves no process`, async () => {
    await using place = await house();
    const child = spawn(
      process.execPath,
      [bundle, "tools", "call", "terminal", "--json", "--args", JSON.stringify({ command })],
      {
        cwd: place.work,
        env: { ...process.env, ...place.env },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
    while (!(await readdir(place.work)).includes("started")) await pause(20);
    assert.notDeepEqual(alive(place.hermes), []);
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    assert.deepEqual([code, JSON.parse(stdout).error.kind], [130, "aborted"]);
    assert.deepEqual(alive(place.hermes), []);
    assert.deepEqual(await readdir(place.temp), []);
  });
}

for (const [how, signals, code] of [
  ["Ctrl-C pressed again and again", ["SIGINT", "SIGINT", "SIGINT"], 130],
  ["Ctrl-\\", ["SIGQUIT"], 131],
] as const) {
  test(`${how} leaves no command running`, async () => {
    await using place = await house();
    const command = "trap '' INT TERM HUP; setsid sleep 987 & touch started; while :; do sleep 987; done";
    const child = spawn(
      process.execPath,
      [bundle, "tools", "call", "terminal", "--args", JSON.stringify({ command })],
      {
        cwd: place.work,
        env: { ...process.env, ...place.env },
        stdio: "ignore",
      },
    );
    const closed = once(child, "close");
    while (!(await readdir(place.work)).includes("started")) await pause(20);
    for (const signal of signals) {
      child.kill(signal);
      await pause(20);
    }
    assert.deepEqual(await closed, [code, null]);
    assert.deepEqual(alive(place.hermes), []);
    assert.deepEqual(await readdir(place.temp), []);
  });
}

test("commands run with an empty PATH", async () => {
  await using place = await house();
  assert.equal((await place.call({ command: "echo here" }, { env: { PATH: "" } })).data.output, "here\n");
  const started = await place.call({ command: "echo there", background: true }, { env: { PATH: "" } });
  assert.equal(started.data.error, null);
});

test("a user without an entry in the user database can work", async (context) => {
  if (process.getuid?.() !== 0) return context.skip("only root can be somebody else");
  await using place = await house();
  const uid = 987_654;
  if ((await runProgram("test", ["-r", bundle], { uid })).code !== 0)
    return context.skip("the program is not theirs to read");
  for (const folder of [place.temp, join(place.hermes, "..")]) await chown(folder, uid, -1);
  const args = ["tools", "call", "terminal", "--args", '{"command":"id -u"}', "--json"];
  const { stdout, stderr } = await runProgram(process.execPath, [bundle, ...args], {
    uid,
    cwd: "/",
    env: { ...place.env, HERMES_HOME: join(place.hermes, "..", "theirs"), HOME: undefined },
  });
  assert.equal(JSON.parse(stdout || "{}").data?.output, `${uid}\n`, stdout + stderr);
});

test("long output is shown by its ends and stored in full in a private file", async () => {
  await using place = await house();
  const { data } = await place.call({ command: "seq 1 200000" });
  assert.match(data.output, /^1\n2\n/);
  assert.match(data.output, /\n199999\n200000\n$/);
  assert.ok(data.output.length <= 50_100);
  assert.ok(data.full_output_path.startsWith(place.hermes));
  const whole = await readFile(data.full_output_path, "utf8");
  assert.equal(whole.length, data.output_total_bytes);
  assert.ok(whole.endsWith("\n200000\n"));
});

test("tool_output.max_bytes limits the shown output", async () => {
  await using place = await house("tool_output: {max_bytes: 1000}\n");
  const { data } = await place.call({ command: "seq 1 1000" });
  assert.ok(data.output.length <= 1_050);
  assert.match(data.truncation_note, /of 3893 bytes are here/);
});

test("colours are removed, binary output is described, broken UTF-8 does no harm", async () => {
  await using place = await house();
  const answers = await place.session([
    { command: String.raw`printf '\033[31mred\033[0m\n'` },
    { command: "head -c 2000 /proc/self/exe" },
    { command: String.raw`printf 'a\377b'` },
  ]);
  assert.equal(answers[0].output, "red\n");
  assert.match(answers[1].output, /^\[Binary output, an ELF program: 2000 bytes/);
  assert.equal(answers[2].output, "a\ufffdb");
});

test("commands do not see keys, unless the user lists them, and output never shows them", async () => {
  const secrets = { OPENAI_API_KEY: "sk-from-the-process", GITHUB_TOKEN: "ghp-from-the-process", PLAIN: "seen" };
  await using place = await house("", "ANTHROPIC_API_KEY=sk-from-the-file\n");
  const hidden = await place.call({ command: "env; echo sk-from-the-file" }, { env: secrets });
  assert.match(hidden.data.output, /^PLAIN=seen$/m);
  assert.doesNotMatch(hidden.data.output, /API_KEY|GITHUB_TOKEN|sk-from|ghp-from/);

  await using open = await house(
    "terminal: {env_passthrough: [GITHUB_TOKEN, ANTHROPIC_API_KEY]}\n",
    "ANTHROPIC_API_KEY=sk-from-the-file\n",
  );
  const { data } = await open.call(
    { command: 'echo "${#GITHUB_TOKEN} ${#ANTHROPIC_API_KEY} ${#OPENAI_API_KEY}"' },
    { env: secrets },
  );
  assert.equal(data.output, "20 16 0\n");
});

test("start-up files are read according to the settings", async () => {
  const rc = "export FROM_RC=1\n";
  const command = 'echo "${FROM_RC-unset}"';
  for (const [config, seen] of [
    ["", "1"],
    ["terminal: {auto_source_bashrc: false}\n", "unset"],
    ["terminal: {shell_init_files: [~/other]}\n", "2"],
  ] as const) {
    await using place = await house(config);
    await writeFile(join(place.env.HOME, ".bashrc"), rc);
    await writeFile(join(place.env.HOME, "other"), "export FROM_RC=2\n");
    const { data } = await place.call({ command }, { env: { SHELL: "/bin/bash" } });
    assert.equal(data.output, `${seen}\n`, config);
  }
});

test("terminal.cwd sets the start folder of commands", async () => {
  await using place = await house("terminal: {cwd: ~/temp}\n");
  assert.equal((await place.call({ command: "pwd" })).data.output, `${place.temp}\n`);
  const missing = await place.call({ command: "pwd" }, { env: { TERMINAL_CWD: "/no/such/folder" } });
  assert.equal(missing.error.kind, "unavailable");
  assert.match(missing.error.message, /\/no\/such\/folder does not exist/);
});

test("if the backend is unavailable nothing runs, not even locally", async () => {
  await using place = await house();
  const missing = { TERMINAL_ENV: "docker", HERMES_DOCKER_BINARY: "/nowhere/docker" };
  for (const env of [
    missing,
    { TERMINAL_ENV: "vercel_sandbox" },
    { TERMINAL_ENV: "ssh" },
    { TERMINAL_ENV: "daytona" },
  ]) {
    const { ok, error } = await place.call({ command: "touch ran" }, { env });
    assert.deepEqual([ok, error.kind, error.effect], [false, "unavailable", "none"], JSON.stringify(error));
    assert.ok(error.message.length > 40, error.message);
  }
  assert.deepEqual(await readdir(place.work), []);
});

test("a background process is stopped when the program exits, after a notice that names it", async () => {
  await using place = await house();
  const { data } = await place.call({ command: "echo begun; setsid sleep 987 & sleep 987", background: true });
  assert.match(data.session_id, /^proc_[0-9a-f]{12}$/);
  assert.deepEqual(alive(place.hermes), []);
  const listed = await place.call({ action: "list" }, { tool: "process" });
  assert.deepEqual(
    listed.data.processes.map(({ session_id, status }: Record<string, string>) => [session_id, status]),
    [[data.session_id, "exited"]],
  );
});

test("later runs of the program can use a kept process", async () => {
  await using place = await house();
  const { data } = await place.call({ command: "read line; echo got $line; sleep 987", background: true, keep: true });
  const use = (args: object) => place.call({ session_id: data.session_id, ...args }, { tool: "process" });
  assert.equal((await use({ action: "poll" })).data.status, "running");
  assert.notDeepEqual(alive(place.hermes), []);
  assert.equal((await use({ action: "submit", data: "it" })).data.status, "ok");
  for (;;) {
    const { output } = (await use({ action: "log" })).data;
    if (output === "got it") break;
    assert.equal(output, "");
  }
  assert.equal((await use({ action: "wait", timeout: 0.1 })).data.status, "timeout");
  assert.equal((await use({ action: "kill" })).data.status, "killed");
  assert.deepEqual(alive(place.hermes), []);
});

test("the output of a command with a terminal looks as on a screen", async () => {
  await using place = await house();
  const { data } = await place.call({ command: String.raw`stty size; printf '1%%\r2%%\n'`, pty: true });
  assert.equal(data.output, "30 120\n2%\n");
});

test("sudo gets the password of the settings, and nothing shows it", async () => {
  await using place = await house("", "SUDO_PASSWORD=right horse\n");
  const bin = join(place.work, "bin");
  await mkdir(bin);
  await writeFile(
    join(bin, "sudo"),
    `#!/bin/sh\n[ "$1" = -A ] && [ "$("$SUDO_ASKPASS")" = 'right horse' ] || exit 1\nshift\nexec "$@"\n`,
    { mode: 0o755 },
  );
  const { data } = await place.call(
    { command: `PATH="${bin}:$PATH"; sudo echo done; env; echo right horse` },
    { approve: true },
  );
  assert.match(data.output, /^done$/m);
  assert.doesNotMatch(JSON.stringify(data), /right horse/);
});

/** Living processes of commands that were started from this home, from the system's own books. */
function alive(hermesHome: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const variables = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/environ`, "latin1") : "";
      return variables.includes(`HERMES_HOME=${hermesHome}\0`) && variables.includes("HERMES_RUN=");
    } catch {
      return false;
    }
  });
}
