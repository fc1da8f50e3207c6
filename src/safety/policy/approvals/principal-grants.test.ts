import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../../test/support/temp-home.ts";
import { systemClock } from "../../../base/clock.ts";
import { createPrincipalGrants } from "./principal-grants.ts";

const anna = { id: "telegram:anna" };
const bob = { id: "telegram:bob" };
const { signal } = new AbortController();

test("a principal gets only its own grants, and concurrent writers lose none", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "people");
  const grants = createPrincipalGrants(folder, systemClock);
  assert.deepEqual(await grants.read(anna), []);
  const other = createPrincipalGrants(folder, systemClock);
  const added = await Promise.all([
    grants.add(anna, ["rm -rf a", "rm -rf b"], signal),
    other.add(anna, ["rm -rf c", "rm -rf a"], signal),
  ]);
  assert.ok(added.every(({ ok }) => ok));
  assert.deepEqual((await grants.read(anna)).toSorted(), ["rm -rf a", "rm -rf b", "rm -rf c"]);
  assert.deepEqual(await grants.read(bob), []);
});

test("a damaged grants file grants nothing", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "people");
  const grants = createPrincipalGrants(folder, systemClock);
  await grants.add(anna, ["rm -rf a"], signal);
  const file = (await readdir(folder)).find((name) => name.endsWith(".json")) ?? "";
  await writeFile(join(folder, file), '{"principal":"telegram:anna","allow":["rm');
  assert.deepEqual(await grants.read(anna), []);
  await writeFile(join(folder, file), '{"principal":"telegram:bob","allow":["rm -rf a"]}');
  assert.deepEqual(await grants.read(anna), []);
});
