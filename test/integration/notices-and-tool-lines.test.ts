// covers: src/hosts/cli/chat/feed, src/hosts/cli/chat
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { eventually } from "../support/eventually.ts";
import { seenChat } from "../support/seen-chat.ts";

const wait = "until [ -e go ]; do sleep 0.05; done; echo over";

test("notices that arrive while a command runs are lines of their own, never parts of a tool line", async () => {
  await using chat = await seenChat([
    {
      calls: [
        {
          name: "terminal",
          args: {
            command: "until [ -e end ]; do sleep 0.05; done; echo away; touch gone",
            background: true,
            notify_on_complete: true,
          },
        },
      ],
    },
    { calls: [{ name: "terminal", args: { command: wait } }] },
    { text: "Done." },
  ]);
  await chat.until(/❯$/u);
  chat.type("go\r");
  await chat.until(/terminal until \[ -e go \].* \d+ s/u);
  chat.type("/steer mind the gap\r");
  await chat.until(/Queued/u);
  chat.type("/status\r");
  await chat.until(/processes +1/u);
  // The background process ends while the other command runs.
  await writeFile(join(chat.work, "end"), "");
  await eventually(() => existsSync(join(chat.work, "gone")));
  await writeFile(join(chat.work, "go"), "");
  const shown = await chat.until(/Done\.\n/u);
  const toolLine = /^┊ \S+ {1,2}terminal .* (?:[✓✗] [\d.]+ (?:ms|s).*|\d+ s)$/u;
  const lines = shown.split("\n").filter((line) => /terminal until/u.test(line));
  assert.equal(lines.length, 2, shown);
  for (const line of lines) assert.match(line, toolLine);
  for (const line of shown.split("\n")) if (/Queued|mind the gap/u.test(line)) assert.doesNotMatch(line, /┊/u);
});
