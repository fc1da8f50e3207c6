import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import { loadConfig } from "../config/load.ts";
import { openServices } from "./services.ts";

async function scene() {
  const home = await tempHome();
  const config = await loadConfig({ env: { HERMES_HOME: home.path, HOME: home.path }, cwd: home.path });
  assert.ok(config.ok);
  const services = openServices(config.value, {
    cwd: home.path,
    principal: { id: "local:me" },
    signal: new AbortController().signal,
  });
  return {
    services,
    sessionsFile: join(home.path, "sessions.db"),
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("getting the configuration opens no other service", async () => {
  await using at = await scene();
  const { config } = await at.services.open("config");
  assert.equal(config.values.approvals.mode, "manual");
  assert.deepEqual([at.services.isOpen("log"), at.services.isOpen("sessions")], [false, false]);
});

test("listing sessions creates no store; using them does, and both use the same store", async () => {
  await using at = await scene();
  assert.equal(await at.services.get("sessions"), undefined);
  assert.equal(existsSync(at.sessionsFile), false);
  await using other = await scene();
  const store = await other.services.get("sessionStore");
  assert.equal(existsSync(other.sessionsFile), true);
  assert.equal(await other.services.get("sessions"), store);
});

test("every service of a home opens and closes", async () => {
  await using at = await scene();
  const { skills, policy, approvals, keys } = await at.services.open(
    "tools",
    "search",
    "models",
    "keys",
    "memory",
    "skills",
    "hub",
    "curator",
    "learnings",
    "checkpoints",
    "audit",
    "approvals",
    "policy",
  );
  assert.deepEqual(await approvals.pending({ id: "local:anna" }), []);
  assert.deepEqual(policy.notices(), []);
  assert.match(keys.file, /credentials/);
  assert.ok(skills.named);
  assert.equal(at.services.isOpen("sessionStore"), false);
});
