import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes, type CliResult } from "../../../../../test/support/fake-terminal.ts";
import { scriptedModel } from "../../../../../test/support/scripted-model.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";
import { isObject } from "../../../../base/json.ts";
import { ok } from "../../../../base/result.ts";

const models = { open: async () => ok(scriptedModel((request) => ({ text: `answer ${request.messages.length}` }))) };

/** Creates sessions of one exchange each and returns their ids, oldest first. */
async function homeWith(home: string, ...prompts: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const prompt of prompts) {
    assert.equal((await hermes(["-z", prompt], { home, models })).code, 0);
    ids.push(idsIn(await hermes(["sessions", "list", "--all", "--json"], { home }))[0] ?? "");
  }
  return ids;
}

function idsIn({ json }: CliResult): readonly string[] {
  const { sessions } = isObject(json) ? json : {};
  return Array.isArray(sessions) ? sessions.map(({ id }) => String(id)) : [];
}

test("a session is renamed, tagged, archived and found by title and tag", async () => {
  await using home = await tempHome();
  const on = { home: home.path };
  const [first = "", second = ""] = await homeWith(home.path, "one", "two");
  assert.match((await hermes(["sessions", "rename", first, "My", "plan"], on)).out, /to "My plan"\./u);
  assert.match((await hermes(["sessions", "rename", second, "My plan"], on)).out, /"My plan #2"/u);
  assert.match((await hermes(["sessions", "show", "My plan"], on)).out, /^❯ one/u);
  assert.match((await hermes(["sessions", "tag", first, "work,keep"], on)).out, /: work, keep\n/u);
  assert.match((await hermes(["sessions", "show", "20"], on)).err, /"20" \(type at least 4 characters of an id\)/u);
  assert.match((await hermes(["sessions", "tag", first, "work", "--remove"], on)).out, /: keep\n/u);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--tag", "keep", "--json"], on)), [first]);
  assert.equal((await hermes(["sessions", "archive", first, "latest"], on)).code, 0);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--all", "--json"], on)), []);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--archived", "--json"], on)), [second, first]);
  assert.equal((await hermes(["sessions", "unarchive", first], on)).code, 0);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--all", "--json"], on)), [first]);
  assert.equal((await hermes(["sessions", "archive", first, "nothing"], on)).code, 1);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--all", "--json"], on)), [first]);
});

test("a deleted session can be restored, an erased one cannot, and scripts must confirm", async () => {
  await using home = await tempHome();
  const on = { home: home.path };
  const [first = "", second = ""] = await homeWith(home.path, "one", "two");
  const deleted = await hermes(["sessions", "delete", first], on);
  assert.match(deleted.out, new RegExp(`hermes sessions undelete ${first}`, "u"));
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--all", "--json"], on)), [second]);
  assert.equal((await hermes(["-r", first, "-z", "x"], { ...on, models })).code, 1);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--deleted", "--json"], on)), [first]);
  assert.equal((await hermes(["sessions", "undelete", first], on)).code, 0);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--all", "--json"], on)), [second, first]);
  assert.equal((await hermes(["sessions", "undelete", first], on)).code, 1);
  assert.equal((await hermes(["sessions", "undelete"], on)).code, 2);
  assert.match((await hermes(["sessions", "undelete", "--all"], on)).err, /No session was deleted/u);
  assert.match((await hermes(["sessions", "delete", first, second], on)).out, /undelete ID …, or --all/u);
  assert.equal((await hermes(["sessions", "undelete", "--all"], on)).code, 0);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--all", "--json"], on)), [second, first]);
  assert.equal((await hermes(["sessions", "delete", first, "--now"], on)).code, 2);
  assert.match((await hermes(["sessions", "delete", first, "--now", "--yes"], on)).out, /1 session erased/u);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--deleted", "--json"], on)), []);
});

test("prune removes old sessions, except archived ones and those tagged keep", async () => {
  await using home = await tempHome();
  const on = { home: home.path };
  const ids = await homeWith(home.path, "one", "two", "three");
  const lines = (await hermes(["sessions", "export", "--all"], on)).out.split("\n").map((line) => {
    const value: unknown = line === "" ? {} : JSON.parse(line);
    const long = {
      at: 1_000,
      ...(isObject(value) && isObject(value["session"]) && { session: { ...value["session"], createdAt: 900 } }),
    };
    return line === "" ? "" : JSON.stringify({ ...(isObject(value) ? value : {}), ...long });
  });
  await using other = await tempHome();
  const there = { home: other.path };
  await writeFile(join(other.path, "old.jsonl"), lines.join("\n"));
  const dry = await hermes(["sessions", "import", join(other.path, "old.jsonl"), "--dry-run"], there);
  assert.match(dry.out, /3 sessions would be imported/u);
  assert.match((await hermes(["sessions", "list", "--all"], there)).out, /no sessions yet/u);
  assert.match(
    (await hermes(["sessions", "import", join(other.path, "old.jsonl")], there)).out,
    /^3 sessions imported, 0 existed/u,
  );
  assert.match(
    (await hermes(["sessions", "import", "-"], { ...there, input: lines.join("\n") })).out,
    /^0 sessions imported, 3 existed/u,
  );
  await hermes(["sessions", "tag", ids[0] ?? "", "keep"], there);
  await hermes(["sessions", "archive", ids[1] ?? ""], there);
  const shown = await hermes(["sessions", "prune", "--dry-run", "--json"], there);
  assert.deepEqual(idsIn(shown), [ids[2]]);
  assert.equal((await hermes(["sessions", "prune"], there)).code, 2);
  assert.deepEqual(idsIn(await hermes(["sessions", "prune", "--yes", "--json"], there)), [ids[2]]);
  assert.deepEqual(idsIn(await hermes(["sessions", "list", "--all", "--json"], there)), [ids[0]]);
  assert.equal((await hermes(["sessions", "prune", "--older-than", "soon"], there)).code, 2);
});

test("a session is exported to a file and to standard output, in each format", async () => {
  await using home = await tempHome();
  const on = { home: home.path };
  const [id = ""] = await homeWith(home.path, "one", "two");
  const file = join(home.path, "a.html");
  assert.match((await hermes(["sessions", "export", id, "-o", file], on)).out, /^1 session in /u);
  assert.match(await readFile(file, "utf8"), /^<!doctype html>[\s\S]*<div class="asked">one<\/div>/u);
  assert.match((await hermes(["sessions", "export", id, "-o", file], on)).err, /exists already[\s\S]*--force/u);
  assert.equal((await hermes(["sessions", "export", id, "-o", file, "--force", "--json"], on)).code, 0);
  assert.match((await hermes(["sessions", "export", id, "-f", "md"], on)).out, /\*\*You\*\*\n\none\n\n\*\*Hermes\*\*/u);
  assert.equal((await hermes(["sessions", "export", "--all", "-f", "md"], on)).code, 2);
  assert.equal((await hermes(["sessions", "export"], on)).code, 2);
  assert.equal((await hermes(["sessions", "export", id, "-o", "a.pdf"], on)).code, 2);
  const { json } = await hermes(["sessions", "stats", "--json"], on);
  assert.ok(isObject(json));
  assert.deepEqual([json["sessions"], json["messages"], json["deleted"]], [2, 4, 0]);
});

test("branches of a session can be drawn as a tree, shown and resumed", async () => {
  await using home = await tempHome();
  const on = { home: home.path, models };
  const [id = ""] = await homeWith(home.path, "one");
  assert.equal((await hermes(["-r", id, "-z", "two"], on)).code, 0);
  assert.match(
    (await hermes(["sessions", "tree", id], on)).out,
    /^.*\n● 1 {2}\d\d:\d\d {2}one\n◉ 2 {2}\d\d:\d\d {2}two {2}\[main\] ← here\n$/u,
  );
  assert.match((await hermes(["-r", id, "--branch", "idea", "-z", "x"], on)).err, /no branch "idea"/u);
  assert.equal((await hermes(["--branch", "idea", "-z", "x"], on)).code, 2);
  assert.equal((await hermes(["-r", id, "--branch", "main", "-z", "three"], on)).code, 0);
  assert.match((await hermes(["sessions", "show", id, "--branch", "main"], on)).out, /❯ one[\s\S]*❯ two/u);
  assert.match((await hermes(["sessions", "show", id, "--branch", "x"], on)).err, /no branch "x"/u);
});
