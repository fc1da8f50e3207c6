import assert from "node:assert/strict";
import { test } from "node:test";

import { denialText, offeringNames } from "./denial-text.ts";

test("the denial of reading a .env file suggests how to read the names of its variables without values", () => {
  const textFor = (reason: string) => denialText("person", [reason], { tool: "terminal", origin: "model" });
  for (const reason of [
    "/w/.env holds secrets",
    "/w/.env.local holds secrets",
    "reads a file with keys or passwords: grep KEY .env",
    "reads a file with keys or passwords: cat app/.envrc | head",
  ])
    assert.match(
      textFor(reason),
      /names of the variables .* prints no values and needs no approval: grep -oE '[^']+' FILE/u,
      reason,
    );
  for (const reason of [
    "reads a file with keys or passwords: cat /home/ann/.ssh/id_rsa",
    "deletes a folder: rm -r .env.d",
    "reads a file with keys or passwords: cat /w/my.environment",
  ])
    assert.doesNotMatch(textFor(reason), /names of the variables/u, reason);
});

test("the question about a .env file says that the model can read the names of the variables without approval", () => {
  assert.match(
    offeringNames("reads a file with keys or passwords: grep KEY .env"),
    /\.env; if you deny it, .* names without values$/u,
  );
  assert.equal(offeringNames("deletes a folder: rm -r build"), "deletes a folder: rm -r build");
});
