import assert from "node:assert/strict";
import test from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";
import { knownField } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { programFacts } from "./program-facts.ts";
import { everyUse, verbs } from "./verbs.ts";

const tool = verbs(
  [
    ["cloud_delete", "s3 rm|rb, group delete"],
    ["cloud_delete", "s3 sync", "delete"],
    ["infrastructure", "** destroy-*"],
    ["publish", "release", undefined, "snapshot"],
  ],
  { short: "p", long: ["profile"] },
);

function rulesOf(line: string): readonly string[] {
  const args = line.split(" ").map(knownField);
  const ran = { argv: args } as unknown as SimpleCommand; // Tables of verbs use only the words of a command.
  return tool(args, ran, "tool").flatMap((fact) => (fact.kind === "rule" ? [fact.rule] : []));
}

test("the words of a row are compared in order, without options and their values", () => {
  assert.deepEqual(rulesOf("s3 rm x"), ["cloud_delete"]);
  assert.deepEqual(rulesOf("--profile prod -p x s3 rb y"), ["cloud_delete"]);
  assert.deepEqual(rulesOf("rm s3"), []);
  assert.deepEqual(rulesOf("s3 rmdir x"), []);
  assert.deepEqual(rulesOf("group delete a"), ["cloud_delete"]);
});

test("a verb is recognised after any number of other words", () => {
  assert.deepEqual(rulesOf("destroy-all"), ["infrastructure"]);
  assert.deepEqual(rulesOf("a b c destroy-stack x"), ["infrastructure"]);
});

test("a row can require an option or be disabled by one", () => {
  assert.deepEqual(rulesOf("s3 sync a b"), []);
  assert.deepEqual(rulesOf("s3 sync a b --delete"), ["cloud_delete"]);
  assert.deepEqual(rulesOf("release"), ["publish"]);
  assert.deepEqual(rulesOf("release --snapshot"), []);
});

test("commands with help options and dry runs need no approval", () => {
  assert.deepEqual(rulesOf("s3 rm x --dry-run"), []);
  assert.deepEqual(rulesOf("s3 rm --dryrun x"), []);
  assert.deepEqual(rulesOf("s3 rm help"), []);
  assert.deepEqual(rulesOf("s3 rm x --dry-run=none"), ["cloud_delete"]);
});

test("every use of such a program needs approval, except read-only ones", () => {
  const program = everyUse("partition", "-l");
  const ran = { argv: [] } as unknown as SimpleCommand; // The argument is not used in this test.
  assert.equal(program([knownField("/dev/sda")], ran, "fdisk").length, 1);
  assert.equal(program([knownField("-l")], ran, "fdisk").length, 0);
});

test("git config changes the file in -f, even if the value is attached", () => {
  const written = (line: string) =>
    judgeCommand(line, ordinaryFolder).commands.flatMap((ran) =>
      programFacts(ran).flatMap((fact) => (fact.kind === "path" && fact.how === "append" ? [fact.path.text] : [])),
    );
  assert.deepEqual(written("git config -file a.b c"), ["ile"]);
  assert.deepEqual(written("git config --file=x.ini a.b c"), ["x.ini"]);
  assert.deepEqual(written("git config -f x.ini --get a.b"), []);
  assert.equal(judgeCommand("git config -f/etc/x.conf a.b c", ordinaryFolder).findings[0]?.rule, "system_file");
});
