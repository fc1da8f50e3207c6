import { type ChildProcess, spawn } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runProgram } from "./run-program.ts";
import { findProgram, missingPrograms } from "./system-programs.ts";

/** A separate container engine for the test, with one small image that contains only busybox and bash. */
export interface ContainerEngine extends AsyncDisposable {
  /** The program that the backend starts. */
  readonly binary: string;
  readonly env: Readonly<Record<string, string>>;
  readonly image: string;
  /** Runs a command of the engine that must succeed, and returns its standard output. */
  run(...args: readonly string[]): Promise<string>;
  /** The engine's service, if it has one. */
  readonly service: ChildProcess | undefined;
}

/** The reason why the tests are skipped. */
export function missingEngine(): string | false {
  if (process.getuid?.() !== 0) return "needs root to start a container engine";
  const parts = missingPrograms({ busybox: "busybox-static", "bash-static": "bash-static" });
  if (parts !== false) return parts;
  const docker = missingPrograms({ dockerd: "docker.io", docker: "docker.io" });
  return findProgram("podman") === undefined && docker;
}

let engineOfProcess: Promise<ContainerEngine | string> | undefined;
let users = 0;

/** The engine of this process: test files that share a process share it. It ends when all of them disposed it. */
export async function sharedEngine(): Promise<ContainerEngine | string> {
  users += 1;
  engineOfProcess ??= startEngine();
  const engine = await engineOfProcess;
  if (typeof engine === "string") return engine;
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      users -= 1;
      if (users === 0) await engine[Symbol.asyncDispose]();
    },
  };
}

/** Docker if it works, otherwise podman. A string is the reason why neither works here. */
export async function startEngine(
  names: readonly (keyof typeof starters)[] = ["docker", "podman"],
): Promise<ContainerEngine | string> {
  const folder = await mkdtemp(join(tmpdir(), "hermes-engine-"));
  const failed: string[] = [];
  for (const name of names) {
    const started = await starters[name](join(folder, name));
    if (typeof started === "string") failed.push(`${name}: ${started}`);
    else {
      const engine = {
        ...started,
        image,
        [Symbol.asyncDispose]: async () => {
          await started[Symbol.asyncDispose]();
          await rm(folder, { recursive: true, force: true, maxRetries: 5 });
        },
      };
      try {
        await importImage(engine, folder);
        return engine;
      } catch (thrown) {
        failed.push(`${name}: ${String(thrown)}`);
        await started[Symbol.asyncDispose]();
      }
    }
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  return failed.join("; ");
}

const starters = { docker: startDocker, podman: startPodman };

const image = "hermes-test:latest";

type Started = Omit<ContainerEngine, "image">;

async function startDocker(folder: string): Promise<Started | string> {
  const [dockerd, docker] = [findProgram("dockerd"), findProgram("docker")];
  if (dockerd === undefined || docker === undefined) return "is not installed";
  let why = "";
  for (const driver of ["overlay2", "vfs"]) {
    const place = join(folder, driver);
    await mkdir(place, { recursive: true });
    const env = { PATH: process.env.PATH ?? "", HOME: place, DOCKER_HOST: `unix://${place}/socket` };
    const flags = ["--iptables=false", "--ip6tables=false", "--bridge=none", "--default-ulimit", "nofile=20000:20000"];
    const service = spawn(
      dockerd,
      [
        ...flags,
        "--storage-driver",
        driver,
        "-H",
        env.DOCKER_HOST,
        "--pidfile",
        join(place, "pid"),
        "--data-root",
        join(place, "data"),
        "--exec-root",
        join(place, "exec"),
      ],
      { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } },
    );
    let output = "";
    service.stderr.setEncoding("utf8").on("data", (part: string) => (output = (output + part).slice(-4_000)));
    const ended = new Promise<void>((resolve) => service.once("close", () => resolve()));
    service.once("error", (thrown) => (output += String(thrown)));
    const run = runner(docker, env);
    if (await isUp(service, run)) {
      const stop = async () => {
        await endAll(run);
        service.kill("SIGTERM");
        await ended;
      };
      return { binary: docker, env, run, service, [Symbol.asyncDispose]: stop };
    }
    service.kill("SIGKILL");
    await ended;
    why = output.trim().split("\n").at(-1) ?? "";
  }
  return why;
}

async function isUp(service: ChildProcess, run: Started["run"]): Promise<boolean> {
  for (let round = 0; round < 300; round++) {
    if (service.exitCode !== null || service.signalCode !== null) return false;
    const up = await run("version").then(
      () => true,
      () => false,
    );
    if (up) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

async function startPodman(folder: string): Promise<Started | string> {
  const podman = findProgram("podman");
  if (podman === undefined) return "is not installed";
  await mkdir(folder, { recursive: true });
  const binary = join(folder, "podman");
  const places = `--root ${folder}/root --runroot ${folder}/run --tmpdir ${folder}/tmp`;
  const how = "--runtime runc --cgroup-manager cgroupfs --events-backend file --storage-driver vfs";
  const limits = "--ulimit nofile=20000:20000 --ulimit nproc=1000:1000";
  const script = `#!/bin/sh
if [ "$1" = run ]; then shift; exec ${podman} ${places} ${how} run ${limits} "$@"; fi
exec ${podman} ${places} ${how} "$@"
`;
  await writeFile(binary, script);
  await chmod(binary, 0o755);
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const run = runner(binary, env);
  try {
    await run("info");
  } catch (thrown) {
    return String(thrown);
  }
  return { binary, env, run, service: undefined, [Symbol.asyncDispose]: () => endAll(run) };
}

function runner(binary: string, env: Readonly<Record<string, string>>): Started["run"] {
  return async (...args) => {
    const ran = await runProgram(binary, args, { env, timeoutMs: 120_000 });
    if (ran.code !== 0) throw new Error(`${args.join(" ")}: ${ran.stderr.trim() || `exit code ${ran.code}`}`);
    return ran.stdout;
  };
}

async function endAll(run: Started["run"]): Promise<void> {
  const ids = (await run("ps", "-aq").catch(() => "")).split(/\s+/u).filter((id) => id !== "");
  if (ids.length > 0) await run("rm", "-f", ...ids).catch(() => "");
}

async function importImage({ run }: Pick<Started, "run">, folder: string): Promise<void> {
  const root = join(folder, "image");
  for (const place of ["bin", "etc", "proc", "sys", "dev", "run", "tmp", "var/tmp", "root", "home", "workspace"]) {
    await mkdir(join(root, place), { recursive: true });
  }
  await chmod(join(root, "tmp"), 0o1777);
  await copyFile(findProgram("busybox") ?? "", join(root, "bin/busybox"));
  await copyFile(findProgram("bash-static") ?? "", join(root, "bin/bash"));
  const { stdout } = await runProgram(join(root, "bin/busybox"), ["--list"]);
  for (const name of stdout.split("\n").filter((one) => one !== "" && one !== "busybox" && one !== "bash")) {
    await symlink("busybox", join(root, "bin", name));
  }
  // The busybox of Debian does not include this command.
  if (!stdout.split("\n").includes("cksum")) {
    await writeFile(join(root, "bin/cksum"), '#!/bin/sh\nexec md5sum "$@"\n', { mode: 0o755 });
  }
  await writeFile(
    join(root, "etc/passwd"),
    "root:x:0:0:root:/root:/bin/bash\nuser:x:1234:1234::/home/user:/bin/bash\n",
  );
  await writeFile(join(root, "etc/group"), "root:x:0:\nuser:x:1234:\n");
  const tar = join(folder, "image.tar");
  const packed = await runProgram("tar", ["-C", root, "-cf", tar, "."]);
  if (packed.code !== 0) throw new Error(packed.stderr);
  await run("import", tar, image);
}
