// covers: src/checkpoints, src/kernel, src/runtime
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import { checkpointScene } from "../support/checkpoint-scene.ts";
import { treeOf } from "../support/file-tree.ts";
import { tempHome } from "../support/temp-home.ts";

const never = new AbortController().signal;

/** A repository with tracked, changed, untracked, ignored and odd files. */
async function fill(project: string, isRepository: boolean): Promise<void> {
  await mkdir(join(project, "src", "deep"), { recursive: true });
  await mkdir(join(project, "empty"));
  await writeFile(join(project, "src", "main.ts"), "export const one = 1;\n");
  await writeFile(join(project, "src", "deep", "bytes.bin"), Buffer.from([0, 255, 1, 254, 10, 13]));
  await writeFile(join(project, "run.sh"), "#!/bin/sh\necho hi\n");
  await chmod(join(project, "run.sh"), 0o755);
  await writeFile(join(project, ".gitignore"), "*.log\n");
  if (isRepository) {
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
        cwd: project,
        stdio: "ignore",
      });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "first");
  }
  await writeFile(join(project, "src", "main.ts"), "export const one = 2; // not committed\n");
  await writeFile(join(project, "new file.txt"), "untracked\n");
  await writeFile(join(project, "debug.log"), "ignored by git\n");
  await symlink("src/main.ts", join(project, "link"));
}

const destructive: readonly (readonly [command: string, inRepository?: boolean])[] = [
  ["git reset -q --hard", true],
  ["git clean -qfd", true],
  ["git clean -qfdx", true],
  ["git checkout -q -- .", true],
  ["git rm -qrf src", true],
  ["git stash -qu", true],
  ["rm -rf src 'new file.txt'"],
  ["rm -r *"],
  ["mv 'new file.txt' src/main.ts"],
  ["truncate -s 0 src/main.ts"],
  ["> src/main.ts"],
  ["echo x > link"],
  ["sed -i s/one/two/ src/main.ts"],
  ["find . -name '*.ts' -delete"],
  ['for f in src/*; do rm -rf "$f"; done'],
  ["chmod 600 run.sh && mkdir -p a/b && touch a/b/c && rmdir empty"],
  ["rm -rf src && echo file > src"],
  ["rm run.sh && mkdir run.sh && touch run.sh/inside"],
  ["ln -sf /nowhere link"],
  [`node -e 'require("fs").rmSync("src",{recursive:true});require("fs").writeFileSync("made.txt","x")'`],
  ["cd src && rm main.ts && mkfifo pipe"],
];

describe("files that a call destroys can be restored", () => {
  for (const [command, inRepository = false] of destructive)
    test(command, async () => {
      await using home = await tempHome();
      await using scene = await checkpointScene(home.path);
      await fill(scene.project, inRepository);
      const before = await treeOf(scene.project);
      await scene.run(command);
      const after = await treeOf(scene.project);
      assert.notDeepEqual(after, before);
      const index = inRepository ? await readFile(join(scene.project, ".git", "index")) : undefined;

      const match = await scene.checkpoints.find("1", never);
      assert.ok(match.ok, JSON.stringify(match));
      // A removed pipe cannot be recreated, which is a doubt.
      const withDoubts = command.includes("mkfifo");
      const done = await scene.checkpoints.restore(match.value.id, { withDoubts }, never);
      assert.ok(done.ok, JSON.stringify(done));
      assert.deepEqual(await treeOf(scene.project), before);
      if (index) assert.deepEqual(await readFile(join(scene.project, ".git", "index")), index);

      assert.ok(done.value.undo);
      const undone = await scene.checkpoints.restore(done.value.undo.id, { withDoubts: true }, never);
      assert.ok(undone.ok, JSON.stringify(undone));
      const withoutPipe = Object.fromEntries(Object.entries(after).filter(([path]) => path !== "src/pipe"));
      assert.deepEqual(await treeOf(scene.project), withoutPipe);
    });
});

test("a read-only call creates no checkpoint and no file", async () => {
  await using home = await tempHome();
  await using scene = await checkpointScene(home.path);
  await scene.run("ls && cd . && echo hi");
  const listed = await scene.checkpoints.list(10, never);
  assert.deepEqual(listed, { ok: true, value: [] });
  await assert.rejects(readFile(join(home.path, ".hermes", "file-checkpoints")), { code: "ENOENT" });
});

test("every call has its own checkpoint, which records its position in the session", async () => {
  await using home = await tempHome();
  await using scene = await checkpointScene(home.path);
  await writeFile(join(scene.project, "a.txt"), "zero\n");
  await scene.call(
    ["write_file", { path: "b/c.txt", content: "one\n" }],
    ["terminal", { command: "echo two > a.txt" }],
    ["terminal", { command: "mv a.txt d.txt" }],
  );
  const listed = await scene.checkpoints.list(10, never);
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.value.map(({ tool, label, changed, isOpen, sessionId }) => ({ tool, label, changed, isOpen, sessionId })),
    [
      { tool: "terminal", label: "mv a.txt d.txt", changed: 2, isOpen: false, sessionId: scene.session.id },
      { tool: "terminal", label: "echo two > a.txt", changed: 1, isOpen: false, sessionId: scene.session.id },
      {
        tool: "write_file",
        label: `writes ${scene.project}/b/c.txt`,
        changed: 2,
        isOpen: false,
        sessionId: scene.session.id,
      },
    ],
  );
  assert.ok(listed.value.every(({ turnId, callId }) => turnId !== undefined && callId !== undefined));
  const second = await scene.checkpoints.restore(listed.value[1]?.id ?? "", {}, never);
  assert.ok(second.ok);
  assert.deepEqual(await treeOf(scene.project), { "a.txt": "644 zero\n", "b/": "755", "b/c.txt": "644 one\n" });
  const first = await scene.checkpoints.restore(listed.value[2]?.id ?? "", {}, never);
  assert.ok(first.ok);
  assert.deepEqual(await treeOf(scene.project), { "a.txt": "644 zero\n" });
});

test("a restore keeps the user's new files, changed files, and files in folders that a call created", async () => {
  await using home = await tempHome();
  await using scene = await checkpointScene(home.path);
  await writeFile(join(scene.project, "shared.txt"), "zero\n");
  await scene.run(
    'node -e \'const f=require("fs");f.mkdirSync("made");f.writeFileSync("made/by-call.txt","x");f.writeFileSync("shared.txt","by call\\n")\'',
  );
  await writeFile(join(scene.project, "mine.txt"), "mine\n");
  await writeFile(join(scene.project, "made", "mine-too.txt"), "mine\n");
  await writeFile(join(scene.project, "shared.txt"), "by me\n");
  const match = await scene.checkpoints.find("1", never);
  assert.ok(match.ok);
  const plan = await scene.checkpoints.plan(match.value.id, {}, never);
  assert.ok(plan.ok);
  assert.deepEqual(
    plan.value.changes.map(({ path, how, doubt }) => ({ path, how, doubt })),
    [
      { path: "made", how: "remove", doubt: undefined },
      { path: "made/by-call.txt", how: "remove", doubt: undefined },
      { path: "shared.txt", how: "change", doubt: "changed by somebody else since then" },
    ],
  );
  const done = await scene.checkpoints.restore(match.value.id, {}, never);
  assert.ok(done.ok);
  assert.deepEqual(done.value.left.map(({ path }) => path).toSorted(), ["made", "shared.txt"]);
  assert.deepEqual(await treeOf(scene.project), {
    "made/": "755",
    "made/mine-too.txt": "644 mine\n",
    "mine.txt": "644 mine\n",
    "shared.txt": "644 by me\n",
  });
  const forced = await scene.checkpoints.restore(match.value.id, { path: "shared.txt", withDoubts: true }, never);
  assert.ok(forced.ok);
  assert.equal(await readFile(join(scene.project, "shared.txt"), "utf8"), "zero\n");
  assert.ok(forced.value.undo);
  await scene.checkpoints.restore(forced.value.undo.id, {}, never);
  assert.equal(await readFile(join(scene.project, "shared.txt"), "utf8"), "by me\n");
});

test("files that a background process writes after its call are listed separately and undone on request", async () => {
  await using home = await tempHome();
  await using scene = await checkpointScene(home.path);
  await writeFile(join(scene.project, "keep.txt"), "1\n");
  await writeFile(
    join(scene.project, "job.sh"),
    "until [ -e ../go ]; do sleep 0.05; done\necho x > late.txt; echo 2 > keep.txt\n",
  );
  const before = await treeOf(scene.project);
  const [started = ""] = await scene.call(["terminal", { command: "sh job.sh", background: true }]);
  await writeFile(join(home.path, "go"), "");
  const session_id = /proc_[0-9a-f]+/u.exec(started)?.[0] ?? "";
  await scene.call(["process", { action: "wait", session_id, timeout: 60 }]);
  const listed = await scene.checkpoints.list(5, never);
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.value.map(({ kind, changed, tool }) => ({ kind, changed, tool })),
    [{ kind: "process", changed: 2, tool: "terminal" }],
  );
  const match = listed.value[0]?.id ?? "";
  const careful = await scene.checkpoints.restore(match, {}, never);
  assert.ok(careful.ok && careful.value.left.length === 2, JSON.stringify(careful));
  const done = await scene.checkpoints.restore(match, { withDoubts: true }, never);
  assert.ok(done.ok, JSON.stringify(done));
  assert.deepEqual(await treeOf(scene.project), before);
});

test("a single path can be restored", async () => {
  await using home = await tempHome();
  await using scene = await checkpointScene(home.path);
  await writeFile(join(scene.project, "a.txt"), "a\n");
  await writeFile(join(scene.project, "b.txt"), "b\n");
  await scene.run("rm a.txt b.txt");
  const match = await scene.checkpoints.find("1", never);
  assert.ok(match.ok);
  await scene.checkpoints.restore(match.value.id, { path: "b.txt" }, never);
  assert.deepEqual(await treeOf(scene.project), { "b.txt": "644 b\n" });
});

test("the model can restore a checkpoint together with its position in the session, and continues on a branch", async () => {
  await using home = await tempHome();
  await using scene = await checkpointScene(home.path);
  await writeFile(join(scene.project, "a.txt"), "start\n");
  await scene.call(
    ["checkpoint", { action: "create", name: "before-a" }],
    ["terminal", { command: "echo way A > a.txt && touch left-over" }],
    ["checkpoint", { action: "diff", checkpoint: "before-a" }],
    ["checkpoint", { action: "restore", checkpoint: "before-a", go_back: true, lesson: "way A is too slow" }],
    ["terminal", { command: "echo way B > b.txt" }],
  );
  assert.deepEqual(await treeOf(scene.project), { "a.txt": "644 start\n", "b.txt": "644 way B\n" });
  const history = JSON.stringify(scene.session.history());
  assert.match(history, /before-a/u);
  assert.match(history, /way A is too slow/u);
  assert.doesNotMatch(history, /echo way A/u);
  assert.match(history, /echo way B/u);
  const { branches } = await scene.session.tree();
  assert.ok(
    branches.some(({ name, isCurrent }) => name === "after-before-a" && isCurrent),
    JSON.stringify(branches),
  );
  const [again = "", unmarked = "", silent = ""] = await scene.call(
    ["checkpoint", { action: "restore", checkpoint: "nowhere", go_back: true, lesson: "x" }],
    ["checkpoint", { action: "restore", checkpoint: "1", go_back: true, lesson: "x" }],
    ["checkpoint", { action: "restore", checkpoint: "before-a", go_back: true }],
  );
  assert.match(again, /there is no checkpoint nowhere/u);
  assert.match(unmarked, /marks no place of this conversation/u);
  assert.match(silent, /describe what you learned/u);
  // In a later turn, a second time.
  await scene.call(["checkpoint", { action: "restore", checkpoint: "before-a", go_back: true, lesson: "way B, too" }]);
  assert.deepEqual(await treeOf(scene.project), { "a.txt": "644 start\n" });
  assert.match(JSON.stringify(scene.session.history()), /way B, too/u);
  assert.doesNotMatch(JSON.stringify(scene.session.history()), /echo way B/u);
});

test("the model's restore keeps the user's changes", async () => {
  await using home = await tempHome();
  await using scene = await checkpointScene(home.path);
  await writeFile(join(scene.project, "a.txt"), "start\n");
  await scene.run("echo one > a.txt");
  await writeFile(join(scene.project, "a.txt"), "by me\n");
  const [answer = ""] = await scene.call(["checkpoint", { action: "restore", checkpoint: "1" }]);
  assert.match(answer, /changed by somebody else since/u);
  assert.equal(await readFile(join(scene.project, "a.txt"), "utf8"), "by me\n");
});

test("with checkpoints off, nothing is recorded and the checkpoint tool is missing", async () => {
  await using home = await tempHome();
  await assert.rejects(checkpointScene(home.path, { "checkpoints.enabled": false }), /checkpoints are off/u);
  await rm(join(home.path, "project"), { recursive: true });
});

test("if an unknown program runs in a folder outside the project, that folder is recorded too", async () => {
  await using home = await tempHome();
  await using scene = await checkpointScene(home.path);
  const other = join(home.path, "other");
  await mkdir(other);
  await writeFile(join(other, "a.txt"), "start\n");
  await scene.run(`cd ${other} && node -e 'require("fs").writeFileSync("a.txt", "changed")'`);
  assert.equal(await readFile(join(other, "a.txt"), "utf8"), "changed");
  const match = await scene.checkpoints.find("1", never);
  assert.ok(match.ok);
  await scene.checkpoints.restore(match.value.id, {}, never);
  assert.equal(await readFile(join(other, "a.txt"), "utf8"), "start\n");
});
