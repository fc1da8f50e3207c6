import assert from "node:assert/strict";
import { test } from "node:test";

import { parseYaml } from "../yaml/read-yaml.ts";
import { planMigration } from "./migrate.ts";

async function migrated(text: string) {
  const yaml = await parseYaml("f", Buffer.from(text));
  assert.ok(yaml.ok);
  const plan = await planMigration(yaml.value);
  assert.ok(plan.ok, JSON.stringify(plan));
  return plan.value;
}

test("deprecated keys move with their comments, and the rest stays in order", async () => {
  const before =
    "# head\n\nmodel: x # m\n# about turns\nmax_turns: 90 # many\nagent:\n  verbose: true # keep\n_config_version: 12\n";
  const after =
    "# head\n\nmodel: x # m\nagent:\n  verbose: true # keep\n  # about turns\n  max_turns: 90 # many\n_config_version: 12\n";
  assert.deepEqual(await migrated(before), { text: after, notices: ["max_turns is now agent.max_turns"] });
});

test("values are converted to their new form", async () => {
  const plan = await migrated(
    "fallback_model: {provider: a, model: b} # old\ndisplay:\n  tool_progress_overrides: {telegram: new}\n",
  );
  const yaml = await parseYaml("f", Buffer.from(plan?.text ?? ""));
  assert.ok(yaml.ok && plan?.text.includes("# old"));
  assert.deepEqual(yaml.value.tree, {
    fallback_providers: [{ provider: "a", model: "b" }],
    display: { platforms: { telegram: { tool_progress: "new" } } },
  });
});

test("comments inside a value that is converted stay", async () => {
  const plan = await migrated("display:\n  tool_progress_overrides:\n    # phones\n    telegram: new # t\n");
  assert.match(plan?.text ?? "", /# phones/u);
  assert.match(plan?.text ?? "", /# t\n/u);
});

test("a deprecated key with an anchor that others use is refused with a message", async () => {
  const yaml = await parseYaml("f", Buffer.from("max_turns: &n 5\nother: *n\n"));
  assert.ok(yaml.ok);
  const plan = await planMigration(yaml.value);
  assert.match(plan.ok ? "" : plan.error, /an anchor or alias is involved/u);
});

test("when both are set, the new key wins over the deprecated one", async () => {
  const plan = await migrated("max_turns: 1\nagent: {max_turns: 2}\n");
  assert.equal(plan?.text, "agent: {max_turns: 2}\n");
  assert.match(plan?.notices[0] ?? "", /deprecated and ignored/u);
});

test("a file without deprecated keys is not changed", async () => {
  assert.equal(await migrated("a: 1\n"), undefined);
});
