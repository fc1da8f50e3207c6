import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { builtinCommands } from "../../../../commands/builtin-commands.ts";
import { groups } from "../../groups.ts";

const manual = join(import.meta.dirname, "../../../../../skills/hermes/hermes-agent/SKILL.md");

test("every command, slash command and reference in the model's manual exists", () => {
  const text = readFileSync(manual, "utf8");
  const paths = groups.flatMap(({ name, commands }) => [name, ...commands.map(({ path }) => path.join(" "))]);
  const named = [...text.matchAll(/\bhermes ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/gu)].map(([, words = ""]) => words);
  assert.ok(named.length > 20);
  for (const words of named.filter((each) => !/^(?:program|itself)\b/u.test(each))) {
    const isThere = paths.includes(words) || paths.includes(words.split(" ")[0] ?? "");
    const isWhole = !words.includes(" ") || paths.includes(words) || isAlone(words.split(" ")[0] ?? "");
    assert.ok(isThere && isWhole, `hermes ${words}`);
  }
  for (const [, name = ""] of text.matchAll(/`\/([a-z]+)/gu))
    assert.ok(
      builtinCommands.some((command) => command.name === name),
      `/${name}`,
    );
  for (const [, file = ""] of text.matchAll(/`(references\/[\w-]+\.md)`/gu))
    assert.ok(readFileSync(join(manual, "..", file), "utf8").length > 100, file);
});

/** A group with a single command, such as `hermes doctor`. */
function isAlone(name: string): boolean {
  return groups.some((group) => group.name === name && group.commands.some(({ path }) => path.length === 1));
}
