// covers: src/safety, src/environments, src/kernel/dispatch, src/runtime/calls, src/tools/terminal
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { approvedCommands, approvedTerminal, raceApprovals } from "../support/approval-races.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const skip = missingPrograms({ bwrap: "bubblewrap" });

for (const command of approvedCommands)
  test(`approved, ${command}: a folder that is replaced by a link is not followed`, { skip }, async () => {
    const { escaped } = await raceApprovals(command, 10);
    assert.deepEqual(escaped, []);
  });

async function project() {
  const home = await tempHome();
  const root = join(home.path, "project");
  await mkdir(join(root, "build", "deep"), { recursive: true });
  await mkdir(join(root, "kept"));
  await mkdir(join(home.path, "outside"));
  for (const name of ["a", "b.log", "build/x", "build/deep/y", "kept/k"]) await writeFile(join(root, name), "text\n");
  await writeFile(join(home.path, "outside", "precious"), "text\n");
  return { home: home.path, root, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

test(
  "an approved command whose path resolves to another place after the answer needs a new approval",
  { skip },
  async () => {
    await using at = await project();
    const questions: (readonly string[])[] = [];
    await using terminal = await approvedTerminal(at.home, at.root, async (places) => {
      questions.push(places);
      if (questions.length > 1) return false;
      await rename(join(at.root, "build"), join(at.root, "was"));
      await symlink(join(at.home, "outside"), join(at.root, "build"));
      return true;
    });
    assert.equal(await terminal.exitCode("rm -rf build/*"), undefined);
    const build = join(at.root, "build");
    assert.deepEqual(questions, [
      [build, build],
      [build, join(at.home, "outside")],
    ]);
    assert.ok(existsSync(join(at.home, "outside", "precious")));
  },
);

test("an approved command with known effects has exactly these effects", { skip }, async () => {
  for (const command of [
    "rm -rf build",
    "rm -rf build/*",
    "cd build && rm -rf *",
    "find build -delete",
    "rm *.log",
    "mv a c && mv c build/ && mv build renamed",
    "cp -r build copy && cp a build/x",
    "mkdir -p new/deep/er && touch new/deep/er/f",
    "echo more >>a; echo x >build/new; cat a | tee t >/dev/null",
    "ln -sf a l && chmod -R 700 build",
    "truncate -s 0 a && dd if=/dev/zero of=d bs=1 count=1 2>/dev/null",
    "echo x >../outside/new && rm ../outside/precious",
    "cp a i && shred -u a",
  ]) {
    await using at = await project();
    await using terminal = await approvedTerminal(at.home, at.root, async () => true);
    assert.equal(await terminal.exitCode(command), 0, command);
    assert.equal(readFileSync(join(at.root, "kept", "k"), "utf8"), "text\n");
  }
});

test("a link that appears next to the approved folder does not widen the approval", { skip }, async () => {
  await using at = await project();
  await symlink(join(at.home, "outside"), join(at.root, "build", "out"));
  await symlink(join(at.root, "kept"), join(at.root, "build", "in"));
  await using terminal = await approvedTerminal(at.home, at.root, async () => true);
  // The pattern reaches through links that the question did not show.
  assert.notEqual(await terminal.exitCode("rm -rf build/*/precious build/*/k"), undefined);
  assert.ok(existsSync(join(at.home, "outside", "precious")));
  assert.ok(existsSync(join(at.root, "kept", "k")));
});
