// covers: src/environments, src/runtime, src/operations
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";

import { missingEngine, sharedEngine } from "../support/container-engine.ts";
import { removeProcesses } from "../support/local-deps.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");
const missing = missingEngine();
const engine = missing === false ? await sharedEngine() : missing;
const skip = typeof engine === "string" ? engine : false;
after(async () => {
  if (typeof engine !== "string") await engine[Symbol.asyncDispose]();
});

/** Hermes with the docker backend, prompted in one folder. */
async function inContainers() {
  assert.ok(typeof engine !== "string");
  const folder = await tempHome();
  const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(work);
  const terminal = {
    backend: "docker",
    docker_binary: engine.binary,
    docker_image: engine.image,
    docker_network: false,
    container_memory: 512,
  };
  await writeFile(join(home, "config.yaml"), JSON.stringify({ terminal }));
  const env = { ...engine.env, HOME: folder.path, HERMES_HOME: home, HERMES_MODEL: "offline" };
  const run = async (...args: readonly string[]) => {
    const ran = await runProgram(process.execPath, [program, ...args], { cwd: work, env, input: "" });
    assert.equal(ran.code, 0, `${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
    return ran.stdout;
  };
  return {
    home,
    run,
    /** The output of a command in a new session, or in one that is resumed. */
    prompt: (command: string, ...more: readonly string[]) => run("-z", `run \`${command}\``, "--yolo", ...more),
    async sessions() {
      const { sessions } = JSON.parse(await run("sessions", "list", "--all", "--json")) as {
        sessions: readonly { readonly id: string }[];
      };
      return sessions.map(({ id }) => id);
    },
    async [Symbol.asyncDispose]() {
      await removeProcesses(home);
      for (const id of (await engine.run("ps", "-aq")).split(/\s+/u).filter((each) => each !== ""))
        await engine.run("rm", "--force", id);
      await rm(folder.path, { recursive: true, force: true, maxRetries: 5 });
      await folder[Symbol.asyncDispose]();
    },
  };
}

test(
  "each session has its own container, which a resume reuses, a rollback changes and deleting the session removes",
  { skip },
  async () => {
    assert.ok(typeof engine !== "string");
    await using at = await inContainers();
    await at.prompt("echo first > /root/mine; cat /root/mine");
    const [first = ""] = await at.sessions();
    assert.match(await at.prompt("cat /root/mine; echo second > /root/mine", "-r", first), /first/u);
    const listing = await at.prompt("echo other > /root/other; ls -a /root; echo listed");
    assert.match(listing, /listed/u);
    assert.doesNotMatch(listing, /mine/u);
    const folders = join(at.home, "sandboxes", "docker");
    assert.equal(await readFile(join(folders, first, "home", "mine"), "utf8"), "second\n");
    assert.equal((await readdir(folders)).length, 2);

    // Without a name it is the newest session.
    const changes = await at.run("rollback");
    assert.doesNotMatch(changes, /mine/u);
    assert.match(changes, /other/u);
    await at.run("rollback", "1", "--session", first, "-y");
    assert.match(await at.prompt("cat /root/mine", "-r", first), /first/u);

    await at.run("sessions", "delete", first, "--now", "-y");
    assert.equal(existsSync(join(folders, first)), false);
    assert.equal((await readdir(folders)).length, 1);
    const left = await engine.run("ps", "-aq", "--filter", `label=hermes-task-id=${first}`);
    assert.equal(left.trim(), "");
  },
);

test("sessions share a container if terminal.container_shared is on, at the command line too", { skip }, async () => {
  await using at = await inContainers();
  const shared = ["--set", "terminal.container_shared=true"];
  await at.prompt("echo first > /root/mine; cat /root/mine", ...shared);
  assert.match(await at.prompt("cat /root/mine", ...shared), /first/u);
  assert.deepEqual(await readdir(join(at.home, "sandboxes", "docker")), ["shared"]);
  const [first = ""] = await at.sessions();
  await at.run("sessions", "delete", first, "--now", "-y");
  assert.match(await at.prompt("cat /root/mine", ...shared), /first/u);
});
