// covers: test/fixtures/commands
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import fc from "fast-check";

import { anyText } from "../../../test/support/any-text.ts";
import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { deepScripts, longScripts } from "../../../test/support/long-scripts.ts";
import { scripts } from "../../../test/support/script-generators.ts";
import { testSize } from "../../../test/support/test-size.ts";
import { ordinaryFolder } from "./check-lines.ts";
import { judgeCommand } from "./judge-command.ts";

const folder = join(import.meta.dirname, "../../../test/fixtures/commands");

function fixtures(): readonly string[] {
  return globSync("*.jsonl", { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { readonly command: string }).command),
  );
}

function judged(text: string): { readonly grade: number; readonly rules: readonly string[] } {
  const { verdict, findings } = judgeCommand(text, ordinaryFolder);
  return { grade: ["safe", "dangerous", "hardline"].indexOf(verdict), rules: findings.map(({ rule }) => rule) };
}

/** Commands of the corpus that are cut, doubled, joined, or extended by special characters of shells. */
function mutants(commands: readonly string[]): fc.Arbitrary<string> {
  const command = fc.constantFrom(...commands);
  const spice = fc.constantFrom(
    ..."'\"\\$`(){}[]<>|&;!#*?~= \t\n\0".split(""),
    "$(",
    "${",
    "<<E\n",
    "$'",
    "&&",
    "\\\n",
  );
  return fc
    .tuple(command, command, fc.array(fc.tuple(fc.nat(200), fc.nat(3), spice), { maxLength: 4 }))
    .map(([first, second, changes]) => {
      let text = first;
      for (const [index, kind, char] of changes) {
        const place = index % (text.length + 1);
        if (kind === 0) text = text.slice(0, place) + char + text.slice(place);
        else if (kind === 1) text = text.slice(0, place) + text.slice(place + 1);
        else if (kind === 2) text = text.slice(0, place) + second.slice(index % (second.length + 1));
        else text = text.slice(0, place) + second + text.slice(place);
      }
      return text;
    });
}

test("judging any text gives the same verdict every time", () => {
  fc.assert(
    fc.property(fc.oneof(mutants(fixtures()), scripts(), anyText({ maxLength: 60 })), (text) => {
      assert.deepEqual(judged(text), judged(text));
    }),
  );
});

test("white space, a comment, a following command or a shell around it never make a command harmless", () => {
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...fixtures()), mutants(fixtures()), scripts()), (text) => {
      const { grade, rules } = judged(text);
      // The appended text would become part of a here-document, a quote or a word.
      if (rules.includes("unparsable") || /<<|\\$|\r/u.test(text)) return;
      for (const other of [`  ${text}`, `${text}\n# note`, `${text}\ntrue`, `true\n${text}`, `(\n${text}\n)`])
        assert.ok(judged(other).grade >= grade, `less is seen in ${JSON.stringify(other)}`);
    }),
  );
});

test("the time to judge a script grows linearly with its length, whatever its structure", async () => {
  const chars = testSize({ quick: 8_000, full: 20_000 });
  const long = longScripts(chars);
  const short = longScripts(chars / 8);
  for (const shape of Object.keys(long)) {
    const script = (size: number) => (size === chars ? long : short)[shape] ?? assert.fail(shape);
    await assertGrowsLinearly(chars, (size) => judged(script(size)), shape);
  }
});

test("a script that is nested 5,000 levels deep gets a verdict, for any kind of nesting", () => {
  for (const text of Object.values(deepScripts())) judged(text);
});
