import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { messageEntry } from "../../../../../test/support/store-scene.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";
import { systemClock as clock } from "../../../../base/clock.ts";
import { isObject } from "../../../../base/json.ts";
import { openSessionStore } from "../../../../store/session-store.ts";
import { localPrincipal } from "../../../local-principal.ts";

async function storeIn(home: string): Promise<string> {
  const path = join(home, "sessions.db");
  await using store = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "cli", principal: localPrincipal(), title: "plans" });
  const lease = await store.lease(id, "test");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  for (let index = 0; index < 40; index++) await store.append(id, [messageEntry(`${index} ${"x".repeat(500)}`)]);
  return path;
}

test("a home without sessions has nothing to verify or repair, and stays empty", async () => {
  await using home = await tempHome();
  const verified = await hermes(["sessions", "verify"], { home: home.path });
  assert.deepEqual([verified.code, verified.out], [0, "There are no sessions yet.\n"]);
  const repaired = await hermes(["sessions", "repair"], { home: home.path });
  assert.equal(repaired.code, 1);
  assert.match(repaired.err, /There are no sessions yet/u);
  assert.deepEqual(readdirSync(home.path), []);
});

test("verify and doctor report damage, repair lists the affected sessions and keeps the damaged file", async () => {
  await using home = await tempHome();
  const path = await storeIn(home.path);
  const whole = await hermes(["sessions", "verify", "--json"], { home: home.path });
  assert.ok(isObject(whole.json) && whole.json["ok"] === true && whole.json["entries"] === 41);
  const bytes = readFileSync(path);
  const place = bytes.indexOf("20 xxxx");
  bytes.fill(0, place - (place % 4096), place - (place % 4096) + 4096);
  writeFileSync(path, bytes);
  const harmed = await hermes(["sessions", "verify"], { home: home.path });
  assert.equal(harmed.code, 1);
  assert.match(harmed.out, /^Damage found .*\n[^]*hermes sessions repair\n$/u);
  const doctor = await hermes(["doctor", "--json"], { home: home.path });
  const findings = isObject(doctor.json) && Array.isArray(doctor.json["findings"]) ? doctor.json["findings"] : [];
  const finding = findings.find((each) => isObject(each) && each["name"] === "sessions");
  assert.ok(isObject(finding) && finding["state"] === "bad", JSON.stringify(finding));
  const repaired = await hermes(["sessions", "repair"], { home: home.path });
  assert.equal(repaired.code, 0, repaired.err);
  assert.match(repaired.out, /Lost: \d entries of 1 session\.\n {2}\S+ "plans": \d\n/u);
  const kept = readdirSync(home.path).find((name) => name.startsWith("sessions.db.damaged-"));
  assert.deepEqual(readFileSync(join(home.path, kept ?? "")), bytes);
  const again = await hermes(["sessions", "verify"], { home: home.path });
  assert.equal(again.code, 0, again.out);
  assert.match(again.out, /Sessions with lost entries:\n {2}\S+: \d entries lost/u);
  const shown = await hermes(["sessions", "show", "latest"], { home: home.path });
  assert.match(shown.out, /39 xxx/u);
  assert.match(shown.out, /damaged entry: the file was damaged here/u);
});

test("a store that another process has open is not repaired, even if the system cannot name the process", async () => {
  await using home = await tempHome();
  const path = await storeIn(home.path);
  const bytes = readFileSync(path);
  bytes.fill(0, bytes.length - 4096);
  const keep = await openSessionStore(path, { clock });
  // Releases the locks of this process on the file, so that Linux no longer reports which process has it open.
  writeFileSync(path, bytes);
  const refused = await hermes(["sessions", "repair"], { home: home.path });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /in use by (?:process \d+|another program); stop all Hermes processes/u);
  await keep[Symbol.asyncDispose]();
  assert.equal((await hermes(["sessions", "repair"], { home: home.path })).code, 0);
});

test("repair does not change an intact store", async () => {
  await using home = await tempHome();
  const path = await storeIn(home.path);
  const bytes = readFileSync(path);
  const repaired = await hermes(["sessions", "repair"], { home: home.path });
  assert.deepEqual([repaired.code, repaired.out], [0, "Nothing is damaged, and nothing was changed.\n"]);
  assert.deepEqual(readFileSync(path), bytes);
  assert.deepEqual(
    readdirSync(home.path).filter((name) => name.includes("damaged")),
    [],
  );
});

test("an emptied or missing store is not treated as a home without sessions", async () => {
  await using home = await tempHome();
  const path = await storeIn(home.path);
  const on = { home: home.path };
  writeFileSync(path, "");
  assert.match((await hermes(["sessions", "list"], on)).err, /empty, but it contained sessions; restore a copy/u);
  const verified = await hermes(["sessions", "verify"], on);
  assert.equal(verified.code, 1);
  assert.match(verified.out, /it is missing or empty, but it contained sessions/u);
  assert.match((await hermes(["doctor"], on)).out, /Restore a copy of sessions\.db/u);
  assert.match((await hermes(["sessions", "repair"], on)).err, /no session data found.* Move it away/u);
  rmSync(path);
  assert.match((await hermes(["sessions", "list"], on)).err, /no longer exists; it contained sessions/u);
  assert.equal((await hermes(["sessions", "verify"], on)).code, 1);
  assert.ok(!existsSync(path));
});
