// covers: src/environments
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { createDockerFactory, type DockerDeps } from "../../src/environments/docker/docker-environment.ts";
import { writeDockerShim } from "../support/docker-shim.ts";
import { neverAborted, run } from "../support/environment-conformance.ts";

interface Options {
  readonly settings?: Partial<DockerDeps["settings"]>;
  readonly changes?: Partial<DockerDeps>;
  readonly refuse?: Readonly<Record<string, string>>;
  readonly info?: Readonly<Record<string, unknown>>;
  readonly taskId?: string;
}

/** Runs one command and returns the arguments of the last `docker run`, without name, labels and command. */
async function runArguments({ settings, changes, refuse, info, taskId = "task" }: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), "hermes-shim-"));
  try {
    const shim = await writeDockerShim(folder, refuse, info);
    const warned: string[] = [];
    const opened = await createDockerFactory({
      home: "/home/me/.hermes",
      profile: "default",
      clientEnv: { PATH: process.env.PATH, SECRET: "of the host" },
      binary: shim.program,
      isHostUser: false,
      hasReaper: false,
      env: {},
      initFiles: [],
      spillFolder: join(folder, "spill"),
      clock: systemClock,
      log: { ...silentLog, warn: (event) => void warned.push(event) },
      cwd: "/",
      ...changes,
      settings: {
        image: "image:1",
        cpus: 2,
        memoryMb: 1_024,
        diskMb: 2_048,
        isPersistent: false,
        isKeptAcrossPrograms: true,
        sandboxFolder: join(folder, "sandboxes"),
        volumes: [],
        extraArgs: [],
        readOnly: [],
        hasNetwork: true,
        shmSize: "1g",
        lifetimeMs: 300_000,
        ...settings,
      },
    }).open({ taskId }, neverAborted());
    assert.ok(opened.ok, JSON.stringify(opened));
    await using environment = opened.value;
    assert.equal((await run(environment, "echo ran")).text, "ran\n");
    const calls = await shim.calls();
    const created = calls.findLast(([verb]) => verb === "run") ?? [];
    const labels = created.flatMap((word, index) => (created[index - 1] === "--label" ? [word] : []));
    const plain = created.filter((word, index) => word !== "--label" && created[index - 1] !== "--label");
    const name = plain[plain.indexOf("--name") + 1] ?? "";
    const args = plain.slice(plain.indexOf("--name") + 2, plain.indexOf("--entrypoint"));
    return {
      folder,
      calls,
      labels,
      name,
      args: args.join(" "),
      tail: plain.slice(plain.indexOf("--entrypoint")),
      warned,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const hardened = "--cap-drop ALL --cap-add DAC_OVERRIDE --cap-add CHOWN --cap-add FOWNER";
const asRoot = "--cap-add SETUID --cap-add SETGID --security-opt no-new-privileges";
const inMemory = [
  "--tmpfs /tmp:rw,nosuid,nodev,size=512m,exec,mode=1777",
  "--tmpfs /var/tmp:rw,nosuid,nodev,size=256m,noexec,mode=1777",
  "--tmpfs /run:rw,nosuid,nodev,size=64m,noexec,mode=755",
  "--tmpfs /run/hermes:rw,nosuid,nodev,size=4m,noexec,mode=1777",
].join(" ");
const limits = "--init --pids-limit 256 --cpus 2 --memory 1024m";

test("a container is hardened, limited, labelled, and removed when it ends", async () => {
  const { args, labels, name, tail } = await runArguments();
  assert.equal(
    args,
    `--rm ${limits} ${hardened} ${asRoot} --shm-size 1g --workdir / ${inMemory} ` +
      "--tmpfs /root:rw,nosuid,nodev,size=1g,exec,mode=755 --tmpfs /home:rw,nosuid,nodev,size=1g,exec,mode=755 " +
      "--tmpfs /workspace:rw,nosuid,nodev,size=10g,exec,mode=1777",
  );
  assert.deepEqual(
    labels.map((label) => label.split("=")[0]),
    ["hermes-agent", "hermes-task-id", "hermes-profile", "hermes-home", "hermes-egress", "hermes-config"],
  );
  assert.match(name, /^hermes-task-[0-9a-f]{12}$/u);
  assert.deepEqual(tail.slice(0, 4), ["--entrypoint", "sh", "image:1", "-c"]);
});

test("the settings determine the options of the container", async () => {
  const { args, folder } = await runArguments({
    settings: {
      hasNetwork: false,
      isPersistent: true,
      volumes: ["/data:/data:ro", "/own:/root"],
      extraArgs: ["--gpus", "all"],
      workspace: '/a,b"c',
      readOnly: [{ from: "/cred", to: "/root/.hermes/cred" }],
      shmSize: "2g",
    },
  });
  assert.ok(!args.startsWith("--rm"));
  assert.match(args, /--security-opt no-new-privileges --network none --shm-size 2g/u);
  assert.ok(args.includes('--mount type=bind,"source=/a,b""c",target=/workspace'), args);
  assert.ok(!args.includes(`${folder}/sandboxes/docker/task/home`), "a volume of the user's own comes first");
  assert.ok(args.includes("--volume /data:/data:ro --volume /own:/root"));
  assert.ok(args.includes("--mount type=bind,source=/cred,target=/root/.hermes/cred,readonly"));
  assert.ok(args.endsWith("--gpus all"));
});

test("each task has its own persistent folders, whatever its name", async () => {
  const { args, folder, name, labels } = await runArguments({
    taskId: "../../Etc; x",
    settings: { isPersistent: true },
  });
  const [, source = ""] = /source=([^,]*),target=\/root/u.exec(args) ?? [];
  assert.match(source.slice(folder.length), /^\/sandboxes\/docker\/[a-z0-9][a-z0-9.-]*\/home$/u);
  assert.match(name, /^hermes-[a-z0-9.-]+$/u);
  assert.ok(
    labels.every((label) => /^[a-z-]+=[a-z0-9_.-]{1,63}$/u.test(label)),
    labels.join(),
  );
});

test("a container that runs as the host's user has fewer capabilities", async () => {
  const { args } = await runArguments({ changes: { isHostUser: true } });
  assert.ok(args.includes(`${hardened} --security-opt no-new-privileges`), args);
  assert.ok(args.includes(`--user ${process.getuid?.()}:${process.getgid?.()} --env HOME=/root`));
});

test("a limit that the engine refuses is dropped with a notice; the hardening stays", async () => {
  const { args, warned } = await runArguments({
    refuse: { "--memory": "Your kernel does not support memory limit capabilities", "--init": "docker-init not found" },
    info: { MemoryLimit: true, CpuCfsQuota: false, PidsLimit: true },
  });
  assert.ok(args.startsWith(`--rm --pids-limit 256 ${hardened}`), args);
  assert.deepEqual(warned, ["docker.limit.refused", "docker.limit.refused"]);
});

test("values of variables and scripts never appear in the arguments of the docker program", async () => {
  const { calls } = await runArguments({ changes: { env: { TOKEN: "value-of-the-token" } } });
  const words = calls.flat().join("\n");
  assert.ok(!words.includes("value-of-the-token") && !words.includes("of the host") && !words.includes("echo ran"));
});

test("changed settings create a different container", async () => {
  const [first, second, third] = [
    await runArguments({ settings: { sandboxFolder: "/s" } }),
    await runArguments({ settings: { sandboxFolder: "/s" } }),
    await runArguments({ settings: { sandboxFolder: "/s", hasNetwork: false } }),
  ];
  assert.equal(first.name, second.name);
  assert.notEqual(first.name, third.name);
});
