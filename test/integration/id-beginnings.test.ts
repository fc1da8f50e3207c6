// covers: src/operations, src/hosts/cli/commands, src/base/text
import assert from "node:assert/strict";
import { test } from "node:test";

import { runHere } from "../support/run-here.ts";
import { talking } from "../support/talking-program.ts";

/** The only id of this kind in a text of JSON. */
function idIn(text: string, shape: RegExp): string {
  const ids = new Set(text.match(shape));
  assert.equal(ids.size, 1, text);
  return [...ids][0] ?? "";
}

test("every command that takes an id takes its beginning", async () => {
  await using at = await talking([
    { calls: [{ name: "write_file", args: { path: "a.txt", content: "one\n" } }] },
    { text: "Written." },
    { text: "Again." },
  ]);
  assert.equal((await runHere(at, ["-z", "write a.txt"])).code, 0);
  const session = idIn((await runHere(at, ["sessions", "list", "--all", "--json"])).stdout, /\d{8}_\d{6}_\w+/gu).slice(
    0,
    -4,
  );
  const checkpoint = idIn((await runHere(at, ["checkpoints", "list", "--json"])).stdout, /ck_\w+/gu).slice(0, -4);
  await runHere(at, ["auth", "add", "openrouter"], "sk-or-v1-0123456789abcdef0123456789abcdef\n");
  const key = idIn((await runHere(at, ["auth", "list", "openrouter", "--json"])).stdout, /key_\w+/gu).slice(0, -3);
  for (const args of [
    ["sessions", "show", session],
    ["sessions", "tree", session],
    ["sessions", "rename", session, "New", "title"],
    ["sessions", "tag", session, "mine"],
    ["sessions", "archive", session],
    ["sessions", "unarchive", session],
    ["sessions", "export", session],
    ["audit", "show", "--session", session],
    ["checkpoints", "list", "--session", session],
    ["logs", "--session", session],
    ["chat", "-q", "again", "--resume", session],
    ["rollback", checkpoint, "--yes"],
    ["auth", "reset", "openrouter", key],
    ["auth", "remove", "openrouter", key],
    ["sessions", "delete", session, "--yes"],
    ["sessions", "undelete", session],
  ]) {
    const ran = await runHere(at, args);
    assert.equal(ran.code, 0, `hermes ${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  }
  const none = await runHere(at, ["sessions", "show", "19990101_"]);
  assert.notEqual(none.code, 0, "a beginning that nothing has is an error");
});
