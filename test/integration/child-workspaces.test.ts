// covers: src/runtime, src/environments, src/safety
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { writeDockerShim } from "../support/docker-shim.ts";
import { call, obedientModel } from "../support/obedient-model.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { tempHome } from "../support/temp-home.ts";

test("a child with its own terminal starts in its parent's folder, and its folder, variables and functions are separate", async () => {
  await using home = await tempHome();
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel() });
  const parent = await runtime.openSession({ source: "test" });
  await mkdir(join(home.path, "sub"));
  await mkdir(join(home.path, "other"));
  await call(parent, "terminal", { command: "cd sub && export FRUIT=quince && mine() { echo mine; }" });
  const child = await runtime.openSession({ source: "subagent", parent: parent.id, childPlace: { kind: "own" } });
  assert.match(await call(child, "terminal", { command: 'echo "[$FRUIT] in $PWD"; type mine' }), /\[\] in .*\/sub/u);
  await call(child, "terminal", { command: "cd ../other && export FRUIT=medlar && mine() { echo changed; }" });
  assert.match(await call(parent, "terminal", { command: 'echo "$FRUIT in $PWD"; mine' }), /quince in .*\/sub.*mine/su);
  await call(child, "write_file", { path: "here.txt", content: "1\n" });
  assert.ok(existsSync(join(home.path, "other", "here.txt")));
});

test("background processes of a child with its own terminal end with it, and those of its parent continue", async () => {
  await using home = await tempHome();
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel() });
  const parent = await runtime.openSession({ source: "test" });
  const child = await runtime.openSession({ source: "subagent", parent: parent.id, childPlace: { kind: "own" } });
  await call(parent, "terminal", { command: "sleep 300", background: true });
  await call(child, "terminal", { command: "sleep 301", background: true });
  await child[Symbol.asyncDispose]();
  const listed = await call(parent, "process", { action: "list" });
  assert.match(listed, /sleep 300/u);
  assert.equal((await parent.processes(new AbortController().signal)).length, 1);
  assert.match(await call(parent, "terminal", { command: "pgrep -f '^sleep 301$' || echo none" }), /none/u);
});

/** A project with a file, and a copy of it that a child works in. */
async function withCopy(settings: Readonly<Record<string, unknown>>) {
  const home = await tempHome();
  const folder = await realpath(home.path);
  const [project, copy] = [join(folder, "project"), join(folder, "copy")];
  for (const each of [project, copy]) {
    await mkdir(each);
    await writeFile(join(each, "a.txt"), "one\n");
  }
  const runtime = await runtimeRig({ folder, cwd: project, model: obedientModel(), settings });
  const parent = await runtime.openSession({ source: "test" });
  const child = await runtime.openSession({
    source: "subagent",
    parent: parent.id,
    childPlace: { kind: "worktree", root: copy, cwd: copy, untouched: [{ path: project, copy }] },
  });
  return {
    project,
    copy,
    runtime,
    parent,
    child,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("file tools of a child in a copy change the copy, and never the project, by any path", async () => {
  await using at = await withCopy({ "approvals.mode": "off" });
  const { project, copy, child } = at;
  await call(child, "write_file", { path: "a.txt", content: "two\n" });
  assert.equal(await readFile(join(copy, "a.txt"), "utf8"), "two\n");
  await symlink(project, join(copy, "link"));
  await symlink(join(project, "a.txt"), join(copy, "b.txt"));
  for (const path of [
    join(project, "a.txt"),
    "../project/a.txt",
    "link/a.txt",
    "b.txt",
    join(project, "new", "file.txt"),
  ]) {
    const answer = await call(child, "write_file", { path, content: "three\n" });
    assert.match(answer, /your copy of it is/u, path);
  }
  const movement = `*** Begin Patch\n*** Move File: ${join(project, "a.txt")} -> c.txt\n*** End Patch`;
  assert.match(await call(child, "patch", { mode: "patch", patch: movement }), /belongs to another agent/u);
  const deletion = `*** Begin Patch\n*** Delete File: ${join(project, "a.txt")}\n*** End Patch`;
  assert.match(await call(child, "patch", { mode: "patch", patch: deletion }), /belongs to another agent/u);
  assert.equal(await readFile(join(project, "a.txt"), "utf8"), "one\n");
  assert.ok(!existsSync(join(project, "new")));
});

test("a child of a child in a copy cannot change the project either", async () => {
  await using at = await withCopy({ "approvals.mode": "off" });
  const { project, copy, child, runtime } = at;
  for (const kind of ["own", "shared"] as const) {
    const inner = await runtime.openSession({ source: "subagent", parent: child.id, childPlace: { kind } });
    await call(inner, "write_file", { path: `${kind}.txt`, content: "1\n" });
    assert.ok(existsSync(join(copy, `${kind}.txt`)));
    assert.match(await call(inner, "write_file", { path: join(project, "x"), content: "1\n" }), /your copy of it is/u);
  }
});

test("no command of a child in a copy changes the project, neither in the sandbox nor when approved", async () => {
  for (const mode of ["off", "manual"]) {
    await using at = await withCopy({ "approvals.mode": mode, "isolation.mode": "on" });
    const { project, copy, parent, child } = at;
    using _person = parent.approvals.attach({ name: "test", ask: async () => ({ scope: "once" }) });
    for (const command of [
      `echo two > ${project}/a.txt`,
      `cd ${project} && rm a.txt`,
      `ln -s ${project} link; echo two > link/a.txt`,
      `python3 -c 'open("${project}/a.txt", "w").write("two")'`,
    ]) {
      const answer = await call(child, "terminal", { command });
      assert.match(answer, /Read-only file system|belongs to another agent/u, `${mode}: ${command}: ${answer}`);
    }
    await call(child, "terminal", { command: `cd ${copy} && echo two > a.txt && mkdir made` });
    assert.equal(await readFile(join(copy, "a.txt"), "utf8"), "two\n");
    assert.equal(await readFile(join(project, "a.txt"), "utf8"), "one\n");
  }
});

test("without a sandbox, commands with known effects on the project are refused", async () => {
  await using at = await withCopy({ "approvals.mode": "off" });
  const { project, copy, child } = at;
  await symlink(project, join(copy, "link"));
  for (const command of [
    `echo two > ${project}/a.txt`,
    `rm -f ../project/a.txt`,
    `cp a.txt link/b.txt`,
    `cd ${project} && touch c.txt`,
  ])
    assert.match(await call(child, "terminal", { command }), /belongs to another agent/u, command);
  const background = await call(child, "terminal", { command: `touch ${project}/d.txt`, background: true });
  assert.match(background, /belongs to another agent/u);
  assert.deepEqual(await readdir(project), ["a.txt"]);
  assert.equal(await readFile(join(project, "a.txt"), "utf8"), "one\n");
});

test("on docker a child has its own shell in the container of its parent, and the last one removes the container", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "docker");
  await mkdir(folder);
  const shim = await writeDockerShim(folder);
  const settings = {
    "terminal.backend": "docker",
    "terminal.docker_binary": shim.program,
    "terminal.container_persistent": false,
    "terminal.cwd": home.path,
    "approvals.mode": "off",
  };
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel(), settings });
  const parent = await runtime.openSession({ source: "test" });
  await mkdir(join(home.path, "sub"));
  await call(parent, "terminal", { command: "cd sub && export FRUIT=quince" });
  const children = await Promise.all(
    [1, 2].map(() => runtime.openSession({ source: "subagent", parent: parent.id, childPlace: { kind: "own" } })),
  );
  for (const child of children) {
    assert.match(await call(child, "terminal", { command: 'echo "[$FRUIT] in $PWD"; cd /' }), /\[\] in .*\/sub/u);
    await child[Symbol.asyncDispose]();
  }
  assert.match(await call(parent, "terminal", { command: 'echo "$FRUIT in $PWD"' }), /quince in .*\/sub/u);
  const verbs = async () => (await shim.calls()).map(([verb]) => verb);
  assert.equal((await verbs()).filter((verb) => verb === "run").length, 1);
  assert.ok(!(await verbs()).includes("rm"));
  await parent[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(join(folder, "containers")), []);
});
