import assert from "node:assert/strict";
import { test } from "node:test";

import { cleanTitle, mechanicalTitle } from "./title-companion.ts";

test("the title is extracted from the model's reply, and a reply that is not a title is rejected", () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Mending the build", "Mending the build"],
    ['\n  **Title: "Mending the build."**\nIt fits well.', "Mending the build"],
    ["# Mending the build", "Mending the build"],
    ["„Den Bau reparieren“", "Den Bau reparieren"],
    ["- `git` rebase explained", "git` rebase explained"],
    ["\n \n", undefined],
    ['"""', undefined],
    ["I would be glad to help you with that. ".repeat(5), undefined],
  ];
  for (const [output, title] of rows) assert.equal(cleanTitle(output), title);
});

test("the start of a request becomes a title: one line, whole words, limited length", () => {
  assert.equal(mechanicalTitle("\n\nfix it.\nplease"), "fix it");
  assert.equal(mechanicalTitle("  "), "");
  const long = mechanicalTitle(`${"word ".repeat(30)}end`);
  assert.ok(long.length <= 60 && long.endsWith("word…"), long);
  assert.equal(mechanicalTitle("x".repeat(500)).length, 60);
});
