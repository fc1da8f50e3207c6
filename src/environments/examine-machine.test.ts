import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import { examineMachine, type MachineFacts } from "./examine-machine.ts";

async function findings(change: Partial<MachineFacts>) {
  const folders = { home: "/nowhere", cwd: "/", userFolder: "/nowhere" };
  const facts = { platform: "linux", arch: "x64", nodeVersion: "24.21.0", path: "", ...folders } as const;
  const result = await examineMachine({ ...facts, ...change });
  return Object.fromEntries(result.map(({ name, ...rest }) => [name, rest]));
}

test("a program is found on PATH, and a missing one is reported with its purpose", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "git"), "#!/bin/sh\n", { mode: 0o755 });
  await writeFile(join(home.path, "rg"), "not a program", { mode: 0o644 });
  const match = await findings({ path: `/no/such/folder:${home.path}` });
  assert.deepEqual(match.git, { state: "good", found: join(home.path, "git") });
  assert.equal(match.rg?.state, "note", "a file that cannot be executed is not a program");
  assert.equal(match.bash?.state, "bad");
  assert.match(match.bash?.advice ?? "", /Install bash/);
});

test("the doctor reports a home that is missing, a file, readable by others, or fine", async () => {
  await using home = await tempHome();
  const homeFinding = async (name: string) => (await findings({ home: join(home.path, name) })).home;
  assert.equal((await homeFinding("new/deep"))?.state, "good");
  await writeFile(join(home.path, "file"), "");
  assert.equal((await homeFinding("file"))?.state, "bad");
  await mkdir(join(home.path, "open"));
  await chmod(join(home.path, "open"), 0o755);
  assert.deepEqual((await homeFinding("open"))?.advice, `chmod 700 ${join(home.path, "open")}`);
  await chmod(join(home.path, "open"), 0o700);
  assert.equal((await homeFinding("open"))?.state, "good");
});

test("an old Node is reported as an error, a newer one as a note, and other platforms get a link to the support table", async () => {
  assert.equal((await findings({ nodeVersion: "20.1.0" })).node?.state, "bad");
  assert.equal((await findings({ nodeVersion: "26.0.0" })).node?.state, "note");
  assert.equal((await findings({ platform: "darwin" })).platform?.state, "note");
});

test("the report names the workspace, or says that there is none", async () => {
  await using home = await tempHome();
  assert.match((await findings({ cwd: home.path })).workspace?.found ?? "", /start folder/);
  assert.equal((await findings({ cwd: "/" })).workspace?.state, "note");
});
