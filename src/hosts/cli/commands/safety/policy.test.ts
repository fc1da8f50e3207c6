import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

async function house(config = "") {
  const folder = await tempHome();
  const [home, cwd] = [join(folder.path, "home"), join(folder.path, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(cwd, ".git"), { recursive: true });
  const file = join(home, "config.yaml");
  if (config !== "") await writeFile(file, config);
  const run = (...args: string[]) => hermes(args, { home, cwd });
  return { home, cwd, file, run, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const verdictOf = (result: { json: unknown }) =>
  result.json as { verdict: string; rule?: string; commands: { words: string[] }[] };

test("test prints the verdict, the decisive rule and the programs that would run", async () => {
  await using at = await house("approvals: {deny: [npm publish]}\n");
  const verdict = verdictOf(await at.run("policy", "test", "sudo rm -rf build", "--json"));
  assert.deepEqual([verdict.verdict, verdict.rule], ["ask", "delete_recursive"]);
  assert.deepEqual(
    verdict.commands.map(({ words }) => words.join(" ")),
    ["sudo rm -rf build", "rm -rf build"],
  );
  assert.equal(verdictOf(await at.run("policy", "test", "git status", "--json")).verdict, "allow");
  const off = ["--set", "isolation.mode=off"];
  const fetching = verdictOf(await at.run("policy", "test", "uvx unknown-tool", "--json", ...off));
  assert.deepEqual([fetching.verdict, fetching.rule], ["ask", "remote_code"], "no sandbox limits it");
  const denied = verdictOf(await at.run("policy", "test", "env A=1 npm publish", "--json"));
  assert.deepEqual([denied.verdict, denied.rule], ["deny", "user_deny"]);
  assert.match((await at.run("policy", "test", "rm -rf /")).out, /^deny\n {2}denied: .*\[delete_root\]/u);
});

test("test asks before a redirection empties a file with content, and names each denial once", async () => {
  await using at = await house();
  await writeFile(join(at.cwd, "README.md"), "text\n");
  await writeFile(join(at.cwd, "empty.txt"), "");
  const verdicts = [];
  for (const command of [
    "> README.md",
    ": > README.md",
    "truncate -s0 README.md",
    "> empty.txt",
    "> new.txt",
    "ls > README.md",
  ])
    verdicts.push(verdictOf(await at.run("policy", "test", command, "--json")).verdict);
  assert.deepEqual(verdicts, ["ask", "ask", "ask", "allow", "allow", "allow"]);
  for (const command of ["dd if=/dev/zero of=/dev/sda", "ssh host rm -rf /"])
    assert.equal((await at.run("policy", "test", command)).out.match(/denied:/gu)?.length, 1, command);
});

test("the exit code of test is 0 for allow, 4 for deny, 5 for ask", async () => {
  await using at = await house("approvals: {deny: [npm publish]}\n");
  const codes = [];
  for (const command of ["git status", "npm publish", "rm -rf build"]) {
    codes.push(
      (await at.run("policy", "test", command)).code,
      (await at.run("policy", "test", command, "--json")).code,
    );
  }
  assert.deepEqual(codes, [0, 0, 4, 4, 5, 5]);
});

test("a rule is stored with what it covers, applies from then on, is listed, and can be removed", async () => {
  await using at = await house("# mine\n");
  const stored = await at.run("policy", "allow", "rm -rf build");
  assert.match(stored.out, /Stored: rm -rf build\nIt allows the command `rm -rf build` with exactly these words/u);
  assert.equal(verdictOf(await at.run("policy", "test", "rm -rf build", "--json")).verdict, "allow");
  assert.equal(verdictOf(await at.run("policy", "test", "rm -rf built", "--json")).verdict, "ask");
  assert.equal((await at.run("policy", "deny", "git", "push", "--", "x")).code, 0);
  const { rules } = (await at.run("policy", "list", "--json")).json as { rules: { list: string; text: string }[] };
  assert.deepEqual(
    rules.map(({ list, text }) => `${list}: ${text}`),
    ["deny: git push x", "allow: rm -rf build"],
  );
  assert.match((await at.run("policy", "show")).out, /approvals\.allow +rm -rf build +user file .*config\.yaml/u);
  assert.equal((await at.run("policy", "forget", "rm -rf build")).code, 0);
  assert.equal((await at.run("policy", "forget", "rm -rf build")).code, 1);
  assert.equal(verdictOf(await at.run("policy", "test", "rm -rf build", "--json")).verdict, "ask");
  assert.match(await readFile(at.file, "utf8"), /^# mine\n/u);
  assert.equal((await at.run("audit", "verify")).code, 0);
  assert.match((await at.run("audit", "show")).out, /allow: rm -rf build[^]*deny: git push x[^]*forgot: rm -rf build/u);
});

test("a rule that does not exist cannot be removed, also without a config file", async () => {
  await using at = await house();
  const { code, err } = await at.run("policy", "forget", "nope");
  assert.deepEqual([code, err], [1, "error: There is no rule nope.\n`hermes policy list` shows them.\n"]);
});

test("a rule is tested on earlier calls before it is saved", async () => {
  await using at = await house();
  await at.run("-z", "run rm -rf one");
  const dry = await at.run("policy", "allow", "--dry-run", "rm -rf *");
  assert.match(dry.out, /Of your last 1 call it would have allowed 0 that ask without it\./u);
  assert.match(dry.out, /It would not settle 1 of the same program:\n +rm -rf one \[delete_recursive\]/u);
  const named = await at.run("policy", "allow", "rm -rf * # rule=delete_recursive");
  assert.match(named.out, /it would have allowed 1 that ask without it:\n +rm -rf one\n[^]*Stored: rm -rf \*/u);
  assert.doesNotMatch(await readFile(at.file, "utf8"), /rm -rf \*$/mu);
});

test("a rule that would allow a shell, a wrapper or everything is refused", async () => {
  await using at = await house();
  for (const rule of ["bash *", "sudo *", "*", "python3 -c *", "a; b", "'x"]) {
    const result = await at.run("policy", "allow", rule);
    assert.equal(result.code, 1, rule);
  }
  await assert.rejects(readFile(at.file));
});

test("entries of an old allowlist are shown with what they cover and need confirmation", async () => {
  await using at = await house("command_allowlist:\n  - recursive delete\n  - git push *\n  - bash *\n");
  assert.equal(verdictOf(await at.run("policy", "test", "rm -rf x", "--json")).verdict, "ask");
  assert.equal(verdictOf(await at.run("policy", "test", "git push origin dev", "--json")).verdict, "allow");
  // A rule with a wildcard does not cover dangerous options that it does not name itself.
  assert.equal(verdictOf(await at.run("policy", "test", "git push -f", "--json")).verdict, "ask");
  const listed = (await at.run("policy", "list")).out;
  assert.match(
    listed,
    /"recursive delete" would allow every command that deletes a file or a whole folder[^]*waits for: hermes policy confirm 'recursive delete'/u,
  );
  assert.match(listed, /bash \*[^]*bash runs other programs/u);
  assert.equal((await at.run("policy", "confirm", "recursive delete")).code, 2);
  assert.equal((await at.run("policy", "confirm", "recursive delete", "--yes")).code, 0);
  assert.equal(verdictOf(await at.run("policy", "test", "rm -rf x", "--json")).verdict, "allow");
});

test("an answer without a pending question, or an invalid answer, is an error", async () => {
  await using at = await house();
  assert.equal((await at.run("approvals", "list")).out, "No approval is pending.\n");
  assert.equal((await at.run("approvals", "answer", "apr_nothing", "once")).code, 1);
  assert.equal((await at.run("approvals", "answer", "apr_nothing", "sure")).code, 2);
});

test("verify fails for a changed entry and for a missing checkpoint of the hash chain", async () => {
  await using at = await house();
  await at.run("policy", "deny", "a");
  await at.run("policy", "deny", "b");
  const { head } = (await at.run("audit", "verify", "--json")).json as { head: { seq: number; hash: string } };
  assert.equal((await at.run("audit", "verify", "--head", `${head.seq}:${head.hash}`)).code, 0);
  assert.equal((await at.run("audit", "verify", "--head", `${head.seq}:${"0".repeat(64)}`)).code, 1);
  assert.equal((await at.run("audit", "verify", "--head", "x")).code, 2);
  const log = join(at.home, "audit", "audit.jsonl");
  await writeFile(log, (await readFile(log, "utf8")).replace("deny: a", "deny: c"));
  const result = await at.run("audit", "verify");
  assert.equal(result.code, 1);
  assert.match(result.out, /audit\.jsonl:1: entry 1 was changed/u);
});

test("commands that can run something report yolo and unattended mode at the start", async () => {
  await using at = await house("approvals: {mode: off, unattended: allow}\n");
  const result = await at.run("tools", "list");
  assert.match(result.err, /approvals\.mode is yolo: Hermes never asks for approval/u);
  assert.match(result.err, /approvals\.unattended is allow/u);
});
