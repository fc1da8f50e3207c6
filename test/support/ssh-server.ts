import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";

import { runProgram } from "./run-program.ts";
import { findProgram } from "./system-programs.ts";
import { tempHome } from "./temp-home.ts";

/** A real sshd on loopback with its own keys, for the current user. It and all its sessions end with the test. */
export interface SshServer extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  /** The folder for keys, known hosts and files of a test. */
  readonly folder: string;
  /** The user's home folder in its sessions. */
  readonly home: string;
  readonly keyFile: string;
  readonly knownHosts: string;
  /** Kills the server with all its sessions; programs in them keep running. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Creates a key; returns the path of the private one. */
  makeKey(name: string): Promise<string>;
}

export async function sshServer(): Promise<SshServer> {
  const temp = await tempHome();
  const folder = temp.path;
  const home = join(folder, "home");
  const tempFolder = join(folder, "tmp");
  for (const path of [home, tempFolder]) await mkdir(path);
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true });
  const makeKey = async (name: string) => {
    const path = join(folder, name);
    const created = await runProgram("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
    assert.equal(created.code, 0, created.stderr);
    return path;
  };
  const hostKey = await makeKey("host_key");
  const keyFile = await makeKey("user_key");
  const port = await freePort();
  const config = join(folder, "sshd_config");
  await writeFile(
    config,
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${keyFile}.pub`,
      "PidFile none",
      "UsePAM no",
      "StrictModes no",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "PermitRootLogin prohibit-password",
      "MaxStartups 200",
      "LogLevel ERROR",
      `SetEnv HOME=${home} TMPDIR=${tempFolder} LANG=C.UTF-8`,
      "",
    ].join("\n"),
  );
  let daemon: ChildProcess | undefined;
  let output = "";

  async function start(): Promise<void> {
    const program = findProgram("sshd");
    assert.ok(program);
    const child = spawn(program, ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"] });
    daemon = child;
    child.stderr.setEncoding("utf8").on("data", (part: string) => (output = (output + part).slice(-4_000)));
    for (let round = 0; round < 500; round++) {
      if (await accepts(port)) return;
      if (child.exitCode !== null) throw new Error(`sshd ended: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`sshd does not listen: ${output}`);
  }

  async function kill(): Promise<void> {
    const child = daemon;
    daemon = undefined;
    if (child?.pid === undefined) return;
    const removed =
      child.exitCode === null && child.signalCode === null
        ? new Promise((done) => child.once("exit", done))
        : undefined;
    const family = sshdsOf(child.pid);
    for (const pid of family) end(pid);
    await removed;
  }

  await start();
  return {
    port,
    user: userInfo().username,
    folder,
    home,
    keyFile,
    knownHosts: join(folder, "known_hosts"),
    makeKey,
    start,
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The server has already ended.
  }
}

/** The daemon and those it made for its sessions. */
function sshdsOf(pid: number): number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((other) => other > 0 && parentOf(other) === pid);
  return [pid, ...children.flatMap(sshdsOf)];
}

function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    if (!/\(sshd/u.test(text)) return undefined;
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, "127.0.0.1");
    const done = (is: boolean) => {
      probe.destroy();
      resolve(is);
    };
    probe.once("connect", () => done(true)).once("error", () => done(false));
  });
}
