import assert from "node:assert/strict";
import { appendFile, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { assertFails } from "../../../test/support/failure.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { emptyHead } from "./audit-chain.ts";
import { createAuditLog } from "./audit-log.ts";
import { readAudit, verifyAudit } from "./verify-audit.ts";

async function house(options: { readonly maxBytes?: number; readonly keepFiles?: number } = {}) {
  const home = await tempHome();
  const place = { folder: join(home.path, "audit"), headFile: join(home.path, "audit-head.json") };
  const log = createAuditLog({ ...place, clock: systemClock, ...options });
  const file = join(place.folder, "audit.jsonl");
  return {
    place,
    file,
    log,
    async fill(count: number) {
      for (let index = 0; index < count; index++) {
        const written = await log.append({
          kind: "decision",
          who: "local:anna",
          tool: `t${index}\u2028`,
          decision: "allow",
        });
        assert.ok(written.ok, JSON.stringify(written));
      }
    },
    lines: async () => (await readFile(file, "utf8")).split("\n").slice(0, -1),
    verify: (noted?: { seq: number; hash: string }) => verifyAudit(place, noted),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

test("an unchanged log passes verification, and only its owner can read it", async () => {
  await using scene = await house();
  assert.deepEqual(await scene.verify(), { ok: true, entries: 0, head: undefined, tornBytes: 0, faults: [] });
  await scene.fill(5);
  const report = await scene.verify();
  assert.deepEqual([report.ok, report.entries, report.head?.seq], [true, 5, 5]);
  if (process.platform !== "win32") {
    assert.equal((await stat(scene.file)).mode & 0o777, 0o600);
    assert.equal((await stat(scene.place.headFile)).mode & 0o777, 0o600);
    assert.equal((await stat(scene.place.folder)).mode & 0o777, 0o700);
  }
  const newest = await readAudit(scene.place, { limit: 2 });
  assert.deepEqual(
    newest.map(({ seq }) => seq),
    [4, 5],
  );
});

const attacks: readonly (readonly [name: string, reason: RegExp, attack: (lines: string[]) => string[]])[] = [
  [
    "an entry was edited",
    /entry 3 was changed/u,
    (lines) => lines.with(2, (lines[2] ?? "").replace('"allow"', '"deny"')),
  ],
  ["an entry was taken out", /entry 4 comes after 1 entry/u, (lines) => lines.toSpliced(2, 1)],
  [
    "entries were swapped",
    /entry 3 comes after 1 entry/u,
    (lines) => lines.with(1, lines[2] ?? "").with(2, lines[1] ?? ""),
  ],
  ["an entry was doubled", /entry 3 is out of order/u, (lines) => lines.toSpliced(2, 0, lines[2] ?? "")],
  ["the end was cut off", /2 entries are missing at the end/u, (lines) => lines.slice(0, 3)],
  ["the beginning was cut off", /entry 3 comes after 2 entries/u, (lines) => lines.slice(2)],
  ["everything was cut off", /5 entries are missing at the end/u, () => []],
  ["a line was put in", /entry \? is not an entry/u, (lines) => lines.toSpliced(3, 0, "{}")],
  [
    "an entry was given twice in one line",
    /entry 3 was changed/u,
    (lines) => lines.with(2, (lines[2] ?? "").replace('{"seq":3,', '{"seq":9,"seq":3,')),
  ],
];

for (const [name, reason, attack] of attacks) {
  test(`${name}: verify detects it, even after more entries`, async () => {
    await using scene = await house();
    await scene.fill(5);
    const changed = attack(await scene.lines());
    await writeFile(scene.file, changed.map((line) => `${line}\n`).join(""));
    assertFails(await scene.verify(), reason);
    await scene.fill(2);
    assertFails(await scene.verify(), /faults":\["/u);
  });
}

test("a missing head file, or one of another log, is detected", async () => {
  await using scene = await house();
  await scene.fill(3);
  const head = await readFile(scene.place.headFile, "utf8");
  await writeFile(scene.place.headFile, head.replace('"seq":3', '"seq":2'));
  assertFails(await scene.verify(), /entry 2 does not match the entry that the head records/u);
  await writeFile(scene.place.headFile, "nonsense");
  assertFails(await scene.verify(), /the head cannot be read/u);
});

test("a log that was truncated together with its head file is detected, even after more entries", async () => {
  await using scene = await house();
  await scene.fill(5);
  await rm(scene.place.headFile);
  await writeFile(scene.file, (await scene.lines()).slice(0, 3).join("\n") + "\n");
  assertFails(await scene.verify(), /the head is missing/u);
  await scene.fill(2);
  const { faults } = await scene.verify();
  assert.match(faults.join(), /before entry 4 the head was missing/u);
});

test("a program that was killed before its first entry does not damage the log", async () => {
  await using scene = await house();
  await scene.fill(1);
  await rm(scene.file);
  await writeFile(
    scene.place.headFile,
    (await readFile(scene.place.headFile, "utf8")).replace(/^.*$/mu, JSON.stringify(emptyHead)),
  );
  await scene.fill(1);
  const report = await scene.verify();
  assert.deepEqual([report.ok, report.entries], [true, 1]);
});

test("a hash that a person noted proves later that no earlier entry changed, even if all files were rewritten", async () => {
  await using scene = await house();
  await scene.fill(3);
  const { head } = await scene.verify();
  assert.ok(head);
  await scene.fill(2);
  assert.equal((await scene.verify(head)).ok, true);
  await using forged = await house();
  await forged.fill(5);
  assert.equal((await forged.verify()).ok, true);
  assertFails(await forged.verify(head), /entry 3 with the hash that you gave is not in the log/u);
});

test("a program that was killed between writing the log and its head does not damage the log", async () => {
  await using scene = await house();
  await scene.fill(3);
  const head = await readFile(scene.place.headFile);
  await scene.fill(2);
  await writeFile(scene.place.headFile, head);
  await scene.fill(1);
  const report = await scene.verify();
  assert.deepEqual([report.ok, report.entries], [true, 6]);
});

test("an interrupted write does not count as tampering: the next entry removes and reports it", async () => {
  await using scene = await house();
  await scene.fill(2);
  await appendFile(scene.file, '{"seq":3,"at');
  const before = await scene.verify();
  assert.deepEqual([before.ok, before.entries, before.tornBytes], [true, 2, 12]);
  await scene.fill(1);
  const after = await scene.verify();
  assert.deepEqual([after.ok, after.entries, after.tornBytes], [true, 4, 0]);
  const kinds = (await readAudit(scene.place, { limit: 10 })).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["decision", "decision", "torn_end", "decision"]);
});

test("a complete entry without its line end counts as unconfirmed, and the chain continues before it", async () => {
  await using scene = await house();
  await scene.fill(2);
  const head = await readFile(scene.place.headFile);
  await scene.fill(1);
  await writeFile(scene.place.headFile, head);
  await truncate(scene.file, (await stat(scene.file)).size - 1);
  await scene.fill(1);
  const report = await scene.verify();
  assert.deepEqual([report.ok, report.entries, report.faults], [true, 4, []]);
});

test("a log that was cut off at its end counts as tampered with, even in the middle of a line", async () => {
  await using scene = await house();
  await scene.fill(3);
  await truncate(scene.file, (await stat(scene.file)).size - 20);
  const { ok, tornBytes, faults } = await scene.verify();
  assert.deepEqual([ok, tornBytes], [false, 0]);
  assert.match(faults.join("\n"), /1 entries are missing at the end|is not an entry/u);
});

test("a full log is rotated, the chain continues in the new file, and the oldest files are removed", async () => {
  await using scene = await house({ maxBytes: 2_000, keepFiles: 3 });
  await scene.fill(60);
  const names = await readdir(scene.place.folder);
  assert.equal(names.filter((name) => /^audit\.\d+\.jsonl$/u.test(name)).length, 3);
  const report = await scene.verify();
  assert.ok(report.ok, report.faults.join("\n"));
  assert.equal(report.head?.seq, 60);
  const oldest = names.toSorted()[0] ?? "";
  await truncate(join(scene.place.folder, oldest), 100);
  assertFails(await scene.verify(), /is not an entry/u);
});

test("concurrent entries are all written, in one chain", async () => {
  await using scene = await house();
  await Promise.all(Array.from({ length: 200 }, (_, index) => scene.log.append({ kind: "effect", who: `w${index}` })));
  const report = await scene.verify();
  assert.deepEqual([report.ok, report.entries], [true, 200]);
});

test("an entry waits briefly so that others can be written with it, and is then written alone", async () => {
  await using scene = await house();
  await scene.fill(1);
  const order = ["first", "second", "last"].map((who, index) =>
    scene.log.append({ kind: "effect", who }, index < 2 ? "short" : "none"),
  );
  assert.ok((await Promise.all(order)).every(({ ok }) => ok));
  assert.equal(new Set(order).size, 1);
  const alone = Array.from({ length: 10 }, (_, index) =>
    scene.log.append({ kind: "effect", who: `w${index}` }, "short"),
  );
  assert.ok((await Promise.all(alone)).every(({ ok }) => ok));
  const whos = (await readAudit(scene.place, { limit: 20 })).map(({ who }) => who);
  assert.deepEqual(whos.slice(1, 5), ["first", "second", "last", "w0"]);
  const report = await scene.verify();
  assert.deepEqual([report.ok, report.entries], [true, 14]);
});

test("a late entry is written together with the next regular entry, or by a flush", async () => {
  await using scene = await house();
  // The clock never advances, so no late entry is written alone.
  const clock = fakeClock();
  const log = createAuditLog({ ...scene.place, clock });
  log.appendLate(() => ({ kind: "effect", who: "late" }));
  assert.ok((await log.append({ kind: "effect", who: "now" })).ok);
  log.appendLate(() => ({ kind: "effect", who: "flushed" }));
  assert.ok((await log.flush()).ok);
  log.appendLate(() => ({ kind: "effect", who: "joined" }));
  const short = log.append({ kind: "effect", who: "short" }, "short");
  clock.advance(10);
  assert.ok((await short).ok);
  const whos = (await readAudit(scene.place, { limit: 9 })).map(({ who }) => who);
  assert.deepEqual(whos, ["late", "now", "flushed", "joined", "short"]);
});

test("a write that ends while the next one is delayed does not affect the next one", async () => {
  await using scene = await house();
  // Limits the wait.
  const log = createAuditLog({ ...scene.place, clock: fakeClock() });
  for (let round = 0; round < 20; round++) {
    const first = log.append({ kind: "effect", who: "a" });
    // Waits until the first write has started without the entry.
    while (log.append({ kind: "effect", who: "b" }, "short") === first) await new Promise(setImmediate);
    const second = log.append({ kind: "effect", who: "c" }, "short");
    await first;
    assert.equal(log.append({ kind: "effect", who: "d" }), second);
    assert.ok((await second).ok);
  }
  assert.ok((await scene.verify()).ok);
});

test("if the folder cannot be created, the result is an error with a reason, not a crash", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "file"), "");
  const log = createAuditLog({
    folder: join(home.path, "file", "audit"),
    headFile: join(home.path, "h"),
    clock: systemClock,
  });
  const written = await log.append({ kind: "effect", who: "x" });
  assertFails(written, /ENOTDIR/u);
});
