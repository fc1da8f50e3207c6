import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log/log.ts";
import { ok } from "../../base/result.ts";
import { loadConfig } from "../../config/load.ts";
import type { PolicyRequest } from "../../contracts/safety/approval.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { commandRequest } from "../../safety/policy.ts";
import { openPolicy } from "./open-policy.ts";

const signal = new AbortController().signal;

/** A policy for a fake backend that has one link. */
async function elsewhere(backend: string, start: string, home: string) {
  const folder = await tempHome();
  const own = join(folder.path, ".hermes");
  await mkdir(own, { mode: 0o700 });
  const config = await loadConfig({ env: { HOME: folder.path, HERMES_HOME: own }, cwd: folder.path });
  assert.ok(config.ok);
  const redactor = { redact: (given: string) => given };
  const { policy } = openPolicy(config.value, { cwd: folder.path, clock: systemClock, log: silentLog, redactor });
  let cwd = start;
  const realPath = async (path: string) => ok(path.replace(/^\/srv\/app\/link(?=\/|$)/u, `${home}/.ssh`));
  const state = async () => ({ cwd, home, path: "", functions: {}, aliases: {}, programs: {} });
  // The cast is safe: only these two members are used.
  const environment = { state, files: { realPath } } as unknown as NonNullable<PolicyRequest["environment"]>;
  const judge = async (effects: readonly Effect[]) => {
    const request = { ...commandRequest("", { id: "local:anna" }, { cwd, backend }), environment, effects };
    const verdict = await policy.decide(request, signal);
    return verdict.decision === "allow" ? "allow" : (verdict.cause ?? "none");
  };
  return {
    run: (command: string) => judge([{ kind: "exec", command, cwd, background: false }]),
    write: (path: string) => judge([{ kind: "write", path }]),
    move: (to: string) => (cwd = to),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("remote files are checked by their real path on the remote machine, with the local rules", async () => {
  await using there = await elsewhere("ssh", "/srv/app", "/home/deploy");
  assert.equal(await there.run("touch a.txt"), "allow");
  assert.equal(await there.write("/srv/app/a.txt"), "allow");
  for (const [path, expected] of [
    ["/home/deploy/notes", "no_approver"],
    ["/home/deploy/.ssh/authorized_keys", "rule"],
    ["/home/deploy/.hermes/.env", "rule"],
  ] as const) {
    assert.equal(await there.write(path), expected, path);
    assert.equal(await there.run(`echo x > ${path}`), expected, path);
    assert.equal(await there.run(`cp a ${path}`), expected, path);
  }
  assert.equal(await there.run("tee link/authorized_keys < a"), "rule");
  assert.equal(await there.run("rm -rf ~"), "hardline");
  assert.equal(await there.run("rm -rf /home/deploy"), "hardline");
});

test("changing the folder does not change the workspace", async () => {
  await using there = await elsewhere("ssh", "/srv/app", "/home/deploy");
  assert.equal(await there.run("cd /"), "allow");
  there.move("/");
  assert.equal(await there.run("touch opt/x"), "no_approver");
  assert.equal(await there.run("touch /srv/app/x"), "allow");
});

test("a home folder is a workspace only in a sandbox, not on the user's machine", async () => {
  await using real = await elsewhere("ssh", "/root", "/root");
  assert.equal(await real.run("touch a"), "no_approver");
  await using sandbox = await elsewhere("docker", "/root", "/root");
  assert.equal(await sandbox.write("/root/a"), "allow");
});
