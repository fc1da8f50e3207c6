// covers: src/checkpoints, src/environments
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { createDockerFactory } from "../../src/environments/docker/docker-environment.ts";
import { createSshFactory } from "../../src/environments/ssh/ssh-environment.ts";
import { missingEngine, sharedEngine } from "../support/container-engine.ts";
import { neverAborted } from "../support/environment-conformance.ts";
import { removeProcesses, testSupervisor } from "../support/local-deps.ts";
import { remoteCheckpointCases } from "../support/remote-checkpoint-cases.ts";
import { sshDeps } from "../support/ssh-deps.ts";
import { type SshServer, sshServer } from "../support/ssh-server.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

describe(
  "checkpoints work over ssh",
  { skip: missingPrograms({ sshd: "openssh-server", ssh: "openssh-client" }) },
  () => {
    let server: SshServer;
    before(async () => {
      server = await sshServer();
    });
    after(() => server[Symbol.asyncDispose]());

    for (const [title, check] of Object.entries(remoteCheckpointCases))
      test(title, async () => {
        await using home = await tempHome();
        await using supervisor = testSupervisor(home.path);
        const folder = join(home.path, "work");
        await mkdir(folder);
        const deps = sshDeps(server, { supervisor, spillFolder: join(home.path, "spill"), closesConnection: false });
        const opened = await createSshFactory(deps).open({ taskId: "test", cwd: folder }, neverAborted());
        assert.ok(opened.ok, JSON.stringify(opened));
        await using environment = opened.value;
        await check(environment, folder, home.path);
      });
  },
);

const missing = missingEngine();
const engine = missing === false ? await sharedEngine() : missing;
after(async () => {
  if (typeof engine !== "string") await engine[Symbol.asyncDispose]();
});

describe("checkpoints work in a container", { skip: typeof engine === "string" ? engine : false }, () => {
  for (const [index, [title, check]] of Object.entries(remoteCheckpointCases).entries())
    test(title, async () => {
      assert.ok(typeof engine !== "string");
      await using home = await tempHome();
      const opened = await createDockerFactory({
        home: home.path,
        profile: "default",
        clientEnv: engine.env,
        binary: engine.binary,
        isHostUser: false,
        hasReaper: false,
        env: {},
        spillFolder: join(home.path, "spill"),
        supervisor: testSupervisor(home.path),
        clock: systemClock,
        log: silentLog,
        settings: {
          image: engine.image,
          cpus: 1,
          memoryMb: 512,
          diskMb: 1_024,
          isPersistent: false,
          isKeptAcrossPrograms: false,
          sandboxFolder: join(home.path, "sandboxes"),
          volumes: [],
          extraArgs: [],
          readOnly: [],
          hasNetwork: false,
          shmSize: "64m",
          lifetimeMs: 300_000,
        },
      }).open({ taskId: `checkpoints-${index}` }, neverAborted());
      assert.ok(opened.ok, JSON.stringify(opened));
      await using environment = opened.value;
      await check(environment, "/tmp", home.path);
      await removeProcesses(home.path);
    });
});
