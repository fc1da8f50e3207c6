import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log/log.ts";
import { addToList, removeFromList } from "../../config/keys/change-list.ts";
import { loadConfig } from "../../config/load.ts";
import type { PolicyRequest } from "../../contracts/safety/approval.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { commandRequest } from "../../safety/policy.ts";
import { openPolicy } from "./open-policy.ts";

const signal = new AbortController().signal;
const context = { signal, clock: systemClock };

const anna = { id: "local:anna" };

async function house(text = "", env: Readonly<Record<string, string>> = {}) {
  const folder = await tempHome();
  const [home, work] = [join(folder.path, ".hermes"), join(folder.path, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(work);
  await writeFile(join(home, "config.yaml"), text);
  const config = await loadConfig({ env: { HOME: folder.path, HERMES_HOME: home, ...env }, cwd: work, user: "anna" });
  assert.ok(config.ok, JSON.stringify(config));
  const redactor = { redact: (given: string) => given };
  const opened = openPolicy(config.value, { cwd: work, clock: systemClock, log: silentLog, redactor });
  const place = { cwd: work, backend: "local", workspace: work };
  const decide = (request: PolicyRequest) => opened.policy.decide(request, signal);
  return {
    ...opened,
    work,
    home: config.value.home,
    run: async (command: string) => (await decide(commandRequest(command, anna, place))).decision,
    effect: async (...effects: Effect[]) => (await decide({ ...commandRequest("", anna, place), effects })).decision,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("rules that another program adds or removes apply from the next call", async () => {
  await using house1 = await house("logging: {level: debug}\n");
  assert.equal(await house1.run("make"), "allow");
  assert.ok((await addToList(house1.home, ["approvals", "deny"], ["make"], context)).ok);
  assert.equal(await house1.run("make"), "deny");
  assert.ok((await removeFromList(house1.home, ["approvals", "deny"], ["make"], context)).ok);
  assert.equal(await house1.run("make"), "allow");
  assert.ok((await addToList(house1.home, ["approvals", "allow"], ["rm -rf build"], context)).ok);
  assert.equal(await house1.run("rm -rf build"), "allow");
});

test("a file that becomes unreadable leaves the rules unchanged", async () => {
  await using house1 = await house("approvals: {deny: [make]}\n");
  assert.equal(await house1.run("make"), "deny");
  await writeFile(join(house1.home.path, "config.yaml"), "approvals: {deny: [");
  assert.equal(await house1.run("make"), "deny");
  assert.doesNotMatch(house1.notices().join("\n"), /recursive delete/u);
});

test("`always` is written to the settings and to the audit log", async () => {
  await using house1 = await house();
  house1.desk.attach({ name: "test", ask: async () => ({ scope: "always" }) }, { principal: anna });
  assert.equal(await house1.run("rm -rf build"), "allow");
  assert.match(
    await readFile(join(house1.home.path, "config.yaml"), "utf8"),
    /rm -rf build # in=.*rule=delete_recursive/u,
  );
  assert.match(
    await readFile(join(house1.home.path, "audit", "audit.jsonl"), "utf8"),
    /"kind":"rules"[^\n]*rm -rf build/u,
  );
});

test("Hermes' own files are denied wherever its home is", async () => {
  await using house1 = await house();
  const { path } = house1.home;
  for (const name of ["audit/audit.jsonl", "audit-head.json", "approvals/apr_x.json", ".env"]) {
    assert.equal(await house1.effect({ kind: "read", path: join(path, name) }), "deny", name);
    assert.equal(await house1.effect({ kind: "write", path: join(path, name) }), "deny", name);
    assert.equal(await house1.run(`echo x >> ${join(path, name)}`), "deny", name);
  }
});

test("HERMES_WRITE_SAFE_ROOT restricts every write to its folder", async () => {
  await using house1 = await house("", { HERMES_WRITE_SAFE_ROOT: "/srv/only" });
  assert.equal(await house1.effect({ kind: "write", path: "/srv/only/a" }), "deny");
  assert.equal(await house1.effect({ kind: "write", path: join(house1.work, "a") }), "deny");
  assert.equal(await house1.effect({ kind: "read", path: join(house1.work, "a") }), "allow");
});

test("opening the policy reports invalid entries of its lists", async () => {
  await using house1 = await house(
    "approvals: {deny: ['a | b'], allow: ['bash *']}\ncommand_allowlist: [recursive delete]\n",
  );
  const notices = house1.notices();
  assert.match(notices.join("\n"), /approvals\.deny: "a \| b" cannot be understood/u);
  assert.match(notices.join("\n"), /approvals\.allow: "bash \*" allows nothing/u);
  assert.match(notices.join("\n"), /confirm with: hermes policy confirm "recursive delete"/u);
  assert.equal(await house1.run("make"), "deny");
  assert.doesNotMatch(house1.notices().join("\n"), /recursive delete/u);
});
