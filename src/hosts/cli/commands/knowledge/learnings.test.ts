import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { scriptedModel } from "../../../../../test/support/scripted-model.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";
import { ok } from "../../../../base/result.ts";

test("without learnings the list is empty and no file is created", async () => {
  await using home = await tempHome();
  assert.equal((await hermes(["learnings", "list"], { home: home.path })).out, "There are no learnings yet.\n");
  assert.equal((await hermes(["learnings", "forget"], { home: home.path })).code, 2);
  assert.deepEqual(await readdir(home.path), []);
});

test("learnings are listed, shown, exported and deleted", async () => {
  await using home = await tempHome();
  const tool = join(home.path, "tool");
  const script = '#!/bin/sh\ncase "$*" in *--right*) ;; *) echo "error: wrong flag" >&2; exit 2;; esac\n';
  await writeFile(tool, script, { mode: 0o755 });
  const run = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });
  const model = scriptedModel([run(`${tool} go x`), run(`${tool} go --right x`), { text: "Done." }]);
  const args = ["--set", "isolation.mode=off", "-z", "go"];
  const models = { open: async () => ok(model) };
  assert.equal((await hermes(args, { home: home.path, models })).code, 0);
  const listed = await hermes(["learnings", "list"], { home: home.path });
  const id = /^(l_\w+) +67 % +tool go: error: wrong flag\n.*--right x` instead of/u.exec(listed.out)?.[1] ?? "";
  assert.notEqual(id, "", listed.out);
  assert.match(
    (await hermes(["learnings", "show", id], { home: home.path })).out,
    /worked 1, did not help 0; 67 % certain/u,
  );
  const exported = (await hermes(["learnings", "export"], { home: home.path })).out;
  assert.equal(JSON.parse(exported).id, id);
  assert.equal((await hermes(["learnings", "show", "l_none"], { home: home.path })).code, 1);
  assert.equal((await hermes(["learnings", "forget", id], { home: home.path })).code, 0);
  assert.equal((await hermes(["learnings", "list"], { home: home.path })).out, "There are no learnings yet.\n");
});
