// covers: src/hosts/cli/screen, src/hosts/cli/questions/approval-form.ts, src/runtime/session/services/open-background.ts, src/sessions
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { screenChat } from "../support/screen-chat.ts";

const call = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });

test("an approval of a background session says which one asks; y allows it once", async () => {
  await using chat = await screenChat([call("rm -rf old"), { text: "Removed." }], {
    columns: 120,
    settings: { isolation: { mode: "off" } },
  });
  mkdirSync(join(chat.work, "old"));
  await chat.until("❯");
  chat.type("/background tidy the folder\r");
  const question = await chat.until(/❯ 4 {2}d {2}Deny/u);
  assert.match(question, /Approval needed: background 1 \(tidy the folder\): terminal in /u);
  assert.match(question, /Allow for your session and everything that it starts/u);
  chat.type("y");
  await chat.untilWritten(/Allowed once: rm -rf old[^]*Removed\./u);
  assert.ok(!existsSync(join(chat.work, "old")));
  assert.match(await chat.until("❯"), /^❯$/mu);
});
