// covers: src/safety
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { ordinaryFolder } from "../../src/safety/command/check-lines.ts";
import { pureOutput } from "../../src/safety/command/output/pure-output.ts";
import { startState } from "../../src/safety/command/shell/shell-state.ts";
import { walkScript } from "../../src/safety/command/shell/walk-script.ts";
import { payloadsOf } from "../../src/safety/command/wrappers/payloads.ts";
import { equivalents } from "../support/command-generators.ts";
import { runProgram } from "../support/run-program.ts";
import { scripts } from "../support/script-generators.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { commandsOf, missingCalls } from "../support/verdict/foreseen.ts";
import { noShellSandbox, runInShells } from "../support/verdict/shell-sandbox.ts";

const skip = noShellSandbox();

const argvs = [
  ["rm", "-rf", "/"],
  ["mkfs.ext4", "/dev/sda1"],
  ["git", "reset", "--hard"],
  ["shutdown", "-h", "now"],
  ["kubectl", "delete", "ns", "prod"],
];

test("every generated spelling of a command runs that command, and the analysis finds it", { skip }, async () => {
  const cases = argvs.flatMap((argv) => fc.sample(equivalents(argv), 40).map((text) => ({ argv, text })));
  const runs = await runInShells(
    cases.map(({ text }) => text),
    { names: ["bash"], stubs: argvs.flatMap(([name = ""]) => [name]) },
  );
  let same = 0;
  for (const [index, { argv, text }] of cases.entries()) {
    const ran = runs[index]?.bash?.calls ?? [];
    if (ran.some((call) => call.join("\0") === argv.join("\0"))) same += 1;
    assert.deepEqual(missingCalls(commandsOf(text), ran), [], text);
  }
  // An alias is not known yet in the line that makes it, and a word that ends a here-document does so too early.
  assert.ok(same >= cases.length * 0.9, `${same} of ${cases.length} ran the command`);
});

test("the analysis of random scripts finds every command that bash runs", { skip }, async () => {
  const texts = fc.sample(scripts(), 250);
  const runs = await runInShells(texts, { names: ["bash"] });
  for (const [index, text] of texts.entries())
    assert.deepEqual(missingCalls(commandsOf(text), runs[index]?.bash?.calls ?? []), [], text);
});

test("a script that bash cannot parse never counts as clean", { skip: missingPrograms({ bash: "bash" }) }, async () => {
  const signs = ["echo a", ";", "\n", "|", "&&", "||", "&", "(", ")", "{ ", "; }", "'", '"', "$(", "`", "[[ a ", "]]"];
  const words = [
    "if true",
    "; then ",
    "fi",
    "while false",
    "; do ",
    "done",
    "case a in ",
    "a) ",
    ";; ",
    "esac",
    "f() ",
  ];
  const others = ["((", "))", "<<E\n", "E\n", "> f", "x=(", "${a", "}", "!", "# c\n", "\\\n", "for i in 1"];
  const pieces = fc.constantFrom(...signs, ...words, ...others);
  const texts = fc.sample(
    fc.array(pieces, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(" ")),
    400,
  );
  const missed: string[] = [];
  for (const text of texts) {
    const isRead = walkScript(text, startState(ordinaryFolder), visitor).doubts.length === 0;
    if (isRead && (await runProgram("bash", ["-n"], { input: text })).code !== 0) missed.push(text);
  }
  assert.ok(missed.length <= texts.length * 0.01, missed.join("\n---\n"));
});

const visitor = { payloads: payloadsOf, output: pureOutput };
