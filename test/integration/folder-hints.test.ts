// covers: src/kernel, src/runtime
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { sshServer } from "../support/ssh-server.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const skip = missingPrograms({ sshd: "openssh-server", ssh: "openssh-client" });

test(
  "the rules file of a deeper remote folder is added once, to the first result from that folder",
  { skip },
  async () => {
    await using server = await sshServer();
    await using home = await tempHome();
    const work = join(server.home, "app");
    await mkdir(join(work, ".git"), { recursive: true });
    await mkdir(join(work, "web"));
    await writeFile(join(work, "AGENTS.md"), "Rules of the whole project.");
    await writeFile(join(work, "web", "AGENTS.md"), "Use tabs in this folder.");
    await writeFile(join(work, "web", "a.txt"), "a");
    const read = { calls: [{ name: "read_file", args: { path: "web/a.txt" } }] };
    const list = { calls: [{ name: "terminal", args: { command: "ls web/" } }] };
    const model = scriptedModel([read, list, { text: "done" }]);
    await using runtime = await runtimeRig({
      folder: home.path,
      model,
      settings: {
        "terminal.backend": "ssh",
        "terminal.cwd": work,
        "terminal.ssh_host": "127.0.0.1",
        "terminal.ssh_user": server.user,
        "terminal.ssh_port": String(server.port),
        "terminal.ssh_key": server.keyFile,
        "terminal.ssh_host_keys": "accept-new",
        "terminal.ssh_known_hosts": server.knownHosts,
      },
    });
    await using session = await runtime.openSession({ source: "test" });
    const outcome = await session.prompt([{ type: "text", text: "look" }]).done;
    assert.equal(outcome.reason, "answered", outcome.why);
    const results = session.history().filter(({ role }) => role === "tool");
    const reported = results.map((message) => JSON.stringify(message).split("Use tabs in this folder").length - 1);
    assert.deepEqual(reported, [1, 0], JSON.stringify(results));
    assert.match(JSON.stringify(model.requests[0]?.system), /Rules of the whole project/u);
  },
);
