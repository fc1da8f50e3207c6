import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";

import { hermes } from "../../test/support/fake-terminal.ts";
import { memoryStore } from "../../test/support/memory-store.ts";
import { operationContext } from "../../test/support/operation-context.ts";
import { servicesFrom } from "../../test/support/slash-run.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import type { KeptSessionStore } from "../store/session-store.ts";
import { findOperation, listOperations } from "./catalog.ts";
import type { OpenService } from "./operation.ts";
import { callOperation, createRunner } from "./run-operation.ts";

const principal = { id: "local:anna" };

function storeWith(...titles: readonly string[]) {
  // No maintenance of the store runs in this test.
  const sessions = memoryStore() as Partial<KeptSessionStore> as KeptSessionStore;
  return { sessions, ready: Promise.all(titles.map((title) => sessions.create({ source: "cli", principal, title }))) };
}

test("input from outside is validated before the operation runs", async () => {
  const { sessions, ready } = storeWith("first");
  await ready;
  const opened: string[] = [];
  const open = servicesFrom({ sessions });
  const services: OpenService = (name) => (opened.push(name), open(name));
  const call = (name: string, input: unknown) => callOperation(name, input, services, operationContext({ principal }));
  assert.deepEqual(await call("sessions.lost", {}), {
    ok: false,
    error: { message: 'There is no operation "sessions.lost".' },
  });
  for (const input of [{ limit: 0 }, { limit: "many" }, { unknown: 1 }, [], "x"]) {
    const refused = await call("sessions.list", input);
    assert.ok(
      !refused.ok && refused.error.message.startsWith("Invalid input for sessions.list: "),
      JSON.stringify(input),
    );
  }
  assert.deepEqual(opened, []);
  const listed = await call("sessions.list", { limit: 5 });
  assert.ok(listed.ok);
  assert.deepEqual(opened, ["sessions"]);
  assert.partialDeepStrictEqual(listed.value, { sessions: [{ title: "first", source: "cli" }] });
});

test("a typed call gets the output of its operation", async () => {
  const { sessions, ready } = storeWith("first", "second");
  await ready;
  const mine = createRunner(servicesFrom({ sessions }), operationContext({ principal }));
  const listed = await mine("sessions.list", { limit: undefined });
  assert.ok(listed.ok);
  assert.deepEqual(new Set(listed.value.sessions.map(({ title }) => title)), new Set(["first", "second"]));
});

test("an operation is not available where a service is missing, and opens no other service", async () => {
  const run = createRunner(servicesFrom({}), operationContext());
  assert.deepEqual(await run("usage.session", {}), {
    ok: false,
    error: { message: "usage.session is not available here: it needs session." },
  });
  const opened: string[] = [];
  const open: OpenService = (name) => (opened.push(name), servicesFrom({ sessions: undefined })(name));
  const listed = await createRunner(open, operationContext())("sessions.list", {});
  assert.deepEqual(opened, ["sessions"]);
  assert.deepEqual(listed, { ok: true, value: { sessions: [] } });
});

test("config get opens no store and creates nothing in the home", async () => {
  await using home = await tempHome();
  const got = await hermes(["config", "get", "logging.level"], { home: home.path });
  assert.equal(got.code, 0, got.err);
  assert.deepEqual(await readdir(home.path), []);
  assert.deepEqual((await findOperation("config.get"))?.needs, ["config"]);
});

test("every operation has a summary, and a schema that names and describes its fields", async () => {
  for (const [name, { summary, input }] of await listOperations()) {
    assert.match(name, /^[a-z]+(?:\.[a-z]+[A-Za-z]*)$/u);
    assert.match(summary, /^[A-Z][^]*[^.]$/u, name);
    const { properties } = input.json as { readonly properties: Readonly<Record<string, { description?: string }>> };
    for (const [field, schema] of Object.entries(properties)) assert.ok(schema.description, `${name} ${field}`);
  }
});
