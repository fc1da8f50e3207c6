import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { assertFails } from "../../test/support/failure.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock } from "../base/clock.ts";
import type { SkillChange } from "../contracts/knowledge/skill.ts";
import { collectSkills } from "./skill-collection.ts";
import { type ChangeBy, createSkillKeeper, type SkillKeeper } from "./skill-keeper.ts";

const { signal } = new AbortController();
const text = (name: string, body = "Do it.") => `---\nname: ${name}\ndescription: Does it.\n---\n${body}\n`;
const model: ChangeBy = { author: "model", session: "ses_1" };

interface Rig extends AsyncDisposable {
  readonly home: string;
  readonly keeper: SkillKeeper;
  readonly file: (path: string) => string;
  readonly shelf: () => ReturnType<typeof collectSkills>;
}

async function rig(wish: { readonly mustApprove?: boolean; readonly pinned?: string } = {}): Promise<Rig> {
  const folder = await tempHome();
  const home = join(folder.path, "skills");
  const judge = async (entries: readonly { readonly kind: string; readonly bytes?: Uint8Array }[]) =>
    entries.some(({ bytes }) => bytes !== undefined && Buffer.from(bytes).includes("EVIL")) ? "it is evil" : undefined;
  const shelf = () => collectSkills({ home, roots: [{ path: home, kind: "home" }], judge, version: "1" });
  const keeper = createSkillKeeper({
    home,
    shelf,
    judge,
    clock: systemClock,
    keepEntries: 10,
    mustApprove: wish.mustApprove ?? false,
    isPinned: (name) => name === wish.pinned,
  });
  const file = (path: string) => readFileSync(join(home, path), "utf8");
  return { home, keeper, shelf, file, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** Writes the file as a user does in an editor. */
function byHand(home: string, name: string, body?: string): void {
  mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, name, "SKILL.md"), text(name, body));
}

async function refusal(keeper: SkillKeeper, change: SkillChange, by = model): Promise<string> {
  const result = await keeper.change(change, by, signal);
  assert.ok(!result.ok);
  return `${result.error.kind}: ${result.error.message}`;
}

test("the model creates a skill, improves it, and adds and removes files, and every step can be undone", async () => {
  await using at = await rig();
  const { keeper, file, home } = at;
  const change = (each: SkillChange) => keeper.change(each, model, signal);
  assert.ok((await change({ action: "create", name: "mine", category: "work", content: text("mine") })).ok);
  assert.ok((await change({ action: "edit", name: "mine", content: text("mine", "Do it well.") })).ok);
  const script = { action: "write_file", name: "mine", file: "scripts/a.sh", content: "#!/bin/sh\necho hi\n" } as const;
  const written = await change(script);
  assert.ok(written.ok);
  assert.match(written.value.diff, /\+echo hi/u);
  assert.equal(statSync(join(home, "work/mine/scripts/a.sh")).mode & 0o777, 0o755);
  assert.ok((await change({ action: "remove_file", name: "mine", file: "scripts/a.sh" })).ok);
  assert.ok(!existsSync(join(home, "work/mine/scripts")));
  assert.ok((await change({ action: "delete", name: "mine" })).ok);
  assert.ok(!existsSync(join(home, "work/mine")));
  const undone = [];
  for (let left = 0; left < 5; left++) undone.push(await keeper.undo("mine", { force: false }, signal));
  assert.deepEqual(
    undone.map((each) => each.ok && each.value.undid),
    [5, 4, 3, 2, 1],
  );
  assert.ok(!existsSync(join(home, "work/mine")));
  for (const entry of [10, 9]) assert.ok((await keeper.undo("mine", { entry, force: false }, signal)).ok);
  assert.match(file("work/mine/SKILL.md"), /Do it well\./u);
});

test("a background job's change to the user's skill waits for approval, with a diff", async () => {
  await using at = await rig();
  const { home, keeper, file } = at;
  byHand(home, "theirs", "My way.");
  const background: ChangeBy = { author: "background", confirm: async () => ({ isAllowed: true }) };
  const better = { action: "edit", name: "theirs", content: text("theirs", "A better way.") } as const;
  assert.match(await refusal(keeper, better, background), /^staged: /u);
  assert.match(file("theirs/SKILL.md"), /My way/u);
  const diff = keeper.pendingDiff("theirs");
  assert.ok(diff.ok);
  assert.match(diff.value, /-My way\.\n\+A better way\./u);
  assert.deepEqual(
    keeper.pending().map(({ skill, by, actions }) => ({ skill, by, actions })),
    [{ skill: "theirs", by: "background", actions: ["edit"] }],
  );
  const approved = await keeper.approve("theirs", false, signal);
  assert.ok(approved.ok);
  assert.match(file("theirs/SKILL.md"), /A better way/u);
  assert.deepEqual(keeper.pending(), []);
  assert.ok((await keeper.undo("theirs", { force: false }, signal)).ok);
  assert.match(file("theirs/SKILL.md"), /My way/u);

  assert.match(await refusal(keeper, better, background), /^staged: /u);
  assert.ok((await keeper.reject("theirs", signal)).ok);
  assert.match(file("theirs/SKILL.md"), /My way/u);
  assert.match(await refusal(keeper, { action: "delete", name: "theirs" }, background), /^refused: /u);
});

test("a pending skill change does not overwrite later edits of the user, unless forced", async () => {
  await using at = await rig();
  const { home, keeper, file } = at;
  byHand(home, "theirs", "One.");
  const change = { action: "edit", name: "theirs", content: text("theirs", "Two.") } as const;
  await refusal(keeper, change, { author: "background" });
  byHand(home, "theirs", "Three.");
  const refused = await keeper.approve("theirs", false, signal);
  assert.ok(!refused.ok && refused.error.kind === "refused");
  assert.match(file("theirs/SKILL.md"), /Three/u);
  assert.ok((await keeper.approve("theirs", true, signal)).ok);
  assert.match(file("theirs/SKILL.md"), /Two/u);
  assert.ok((await keeper.undo("theirs", { force: false }, signal)).ok);
  assert.match(file("theirs/SKILL.md"), /Three/u);
});

test("the model can change the user's skill only with consent; if no user is present, the change waits", async () => {
  await using at = await rig();
  const { home, keeper, file } = at;
  byHand(home, "theirs", "My way.");
  const change = { action: "edit", name: "theirs", content: text("theirs", "Its way.") } as const;
  const requested: string[] = [];
  const answering = (answer: boolean): ChangeBy => ({
    ...model,
    async confirm({ reason, diff }) {
      requested.push(`${reason}\n${diff}`);
      return answer ? { isAllowed: true } : { isAllowed: false, reason: "keep mine" };
    },
  });
  assert.match(await refusal(keeper, change, answering(false)), /^refused: .*: keep mine$/u);
  assert.match(requested[0] ?? "", /does not belong to the agent[\s\S]*-My way\.\n\+Its way\./u);
  assert.match(await refusal(keeper, change), /^staged: /u);
  assert.match(file("theirs/SKILL.md"), /My way/u);
  assert.ok((await keeper.change(change, answering(true), signal)).ok);
  assert.match(file("theirs/SKILL.md"), /Its way/u);
});

test("when the user edits a skill of the model, it becomes the user's skill", async () => {
  await using at = await rig();
  const { home, keeper, shelf } = at;
  assert.ok((await keeper.change({ action: "create", name: "mine", content: text("mine") }, model, signal)).ok);
  assert.equal((await shelf()).skills[0]?.origin, "agent");
  byHand(home, "mine", "Edited by hand.");
  assert.equal((await shelf()).skills[0]?.origin, "user");
  assert.match(await refusal(keeper, { action: "edit", name: "mine", content: text("mine", "x") }), /^staged: /u);
});

test("with write_approval, changes to the model's own skills wait too", async () => {
  await using at = await rig({ mustApprove: true });
  const { keeper, shelf } = at;
  assert.match(await refusal(keeper, { action: "create", name: "mine", content: text("mine") }), /^staged: /u);
  assert.deepEqual((await shelf()).skills, []);
  assert.ok((await keeper.approve("mine", false, signal)).ok);
  assert.equal((await shelf()).skills[0]?.origin, "agent");
});

test("an invalid, dangerous, duplicate, pinned or redirected change is refused and has no effect", async () => {
  await using at = await rig({ pinned: "kept" });
  const { home, keeper, file } = at;
  byHand(home, "kept");
  const own = { ...model, confirm: async () => ({ isAllowed: true }) };
  for (const [change, why] of [
    [{ action: "create", name: "../up", content: text("../up") }, /^invalid: .*not a valid skill name/u],
    [{ action: "create", name: "kept", content: text("kept") }, /^invalid: .*already/u],
    [{ action: "create", name: "new", category: "a/b", content: text("new") }, /^invalid: .*not a valid category/u],
    [{ action: "create", name: "new", content: "no frontmatter" }, /^invalid: .*frontmatter/u],
    [{ action: "create", name: "new", content: text("new", "EVIL") }, /^dangerous: /u],
    [{ action: "edit", name: "kept", content: text("other") }, /^invalid: /u],
    [{ action: "edit", name: "kept", content: text("kept", "x"), basis: "what was never there" }, /changed meanwhile/u],
    [{ action: "write_file", name: "kept", file: "../../x", content: "x" }, /^invalid: /u],
    [{ action: "write_file", name: "kept", file: "scripts/../../x", content: "x" }, /^invalid: /u],
    [{ action: "write_file", name: "kept", file: "SKILL.md", content: "x" }, /^invalid: /u],
    [{ action: "write_file", name: "kept", file: "other/x.md", content: "x" }, /^invalid: /u],
    [{ action: "remove_file", name: "kept", file: "scripts/none.sh" }, /^invalid: /u],
    [{ action: "delete", name: "kept" }, /^refused: .*pinned/u],
    [{ action: "edit", name: "none", content: text("none") }, /^no_skill: /u],
  ] as const)
    assert.match(await refusal(keeper, change, own), why);
  assert.equal(file("kept/SKILL.md"), text("kept"));
  assert.deepEqual(keeper.history("kept"), []);
});

test("a link inside a skill's folder is not followed when writing", async () => {
  await using at = await rig();
  const { home, keeper } = at;
  byHand(home, "linked");
  mkdirSync(join(home, "..", "outside"));
  symlinkSync(join(home, "..", "outside"), join(home, "linked", "scripts"));
  const change = { action: "write_file", name: "linked", file: "scripts/x.sh", content: "x" } as const;
  assert.match(await refusal(keeper, change, { ...model, confirm: async () => ({ isAllowed: true }) }), /is a link/u);
  assert.ok(!existsSync(join(home, "..", "outside", "x.sh")));
});

test("undoing a skill change is refused if the files changed since, and otherwise restores the exact bytes", async () => {
  await using at = await rig();
  const { home, keeper, file } = at;
  byHand(home, "theirs");
  mkdirSync(join(home, "theirs", "assets"));
  const bytes = Buffer.from([0, 255, 1, 254]);
  writeFileSync(join(home, "theirs", "assets", "x.bin"), bytes);
  chmodSync(join(home, "theirs", "assets", "x.bin"), 0o755);
  assert.ok((await keeper.change({ action: "delete", name: "theirs" }, { author: "user" }, signal)).ok);
  assert.ok((await keeper.undo("theirs", { force: false }, signal)).ok);
  assert.deepEqual(readFileSync(join(home, "theirs", "assets", "x.bin")), bytes);
  assert.equal(statSync(join(home, "theirs", "assets", "x.bin")).mode & 0o111, 0o111);
  const edit = { action: "edit", name: "theirs", content: text("theirs", "Two.") } as const;
  assert.ok((await keeper.change(edit, { author: "user" }, signal)).ok);
  byHand(home, "theirs", "By hand.");
  const refused = await keeper.undo("theirs", { force: false }, signal);
  assert.ok(!refused.ok && refused.error.message.includes("changed since"));
  assert.ok((await keeper.undo("theirs", { force: true }, signal)).ok);
  assert.equal(file("theirs/SKILL.md"), text("theirs"));
});

test("a change with an invalid skill name touches no file", async () => {
  await using at = await rig();
  for (const name of ["..", "../..", "a/b", "", "/etc"]) {
    assert.deepEqual(at.keeper.history(name), []);
    assertFails(at.keeper.pendingDiff(name), /No change to .* waits for approval/u);
    assertFails(await at.keeper.undo(name, { force: true }, signal), /has no recorded changes/u);
    assertFails(await at.keeper.approve(name, true, signal), /No change to .* waits for approval/u);
    assertFails(await at.keeper.reject(name, signal), /No change to .* waits for approval/u);
  }
});

test("if many processes create the same skill, one succeeds, and concurrent changes keep the whole history", async () => {
  await using at = await rig();
  const { keeper } = at;
  const make = { action: "create", name: "mine", content: text("mine") } as const;
  const created = await Promise.all(Array.from({ length: 8 }, () => keeper.change(make, model, signal)));
  assert.equal(created.filter(({ ok }) => ok).length, 1);
  const edits = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      keeper.change({ action: "edit", name: "mine", content: text("mine", `No. ${n}`) }, model, signal),
    ),
  );
  assert.ok(edits.every(({ ok }) => ok));
  assert.deepEqual(
    keeper.history("mine").map(({ number }) => number),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

test("if the skills folder is not writable, a change fails with a hint", async () => {
  await using folder = await tempHome();
  const home = join(folder.path, "skills");
  writeFileSync(home, "a file in the way");
  const judge = async () => undefined;
  const keeper = createSkillKeeper({
    home,
    shelf: () => collectSkills({ home, roots: [{ path: home, kind: "home" }], judge, version: "1" }),
    judge,
    clock: systemClock,
    keepEntries: 10,
    mustApprove: false,
    isPinned: () => false,
  });
  assert.match(
    await refusal(keeper, { action: "create", name: "mine", content: text("mine") }),
    /^failed: .*not a folder/u,
  );
  assert.equal(readFileSync(home, "utf8"), "a file in the way");
});
