import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { anyText } from "../../../test/support/any-text.ts";
import { findPassages } from "./passages.ts";

const manual = [
  "# Manual",
  "",
  "Welcome to the manual of the server. It explains everything that the server does.",
  "",
  "## Ports",
  "",
  "The server listens on port 5432 by default. Another port is set with:",
  "",
  "```\nserver --port 6000\n```",
  "",
  "## Backups",
  "",
  "Backups run every night. They are kept for thirty days.",
  "",
  "| Kind | Days |\n| --- | --- |\n| full | 30 |\n| incremental | 7 |",
  "",
  "## Users",
  "",
  "Users are created with `create_user`, which asks for a password.",
].join("\n");

test("a question returns the passages that answer it, under their headings", () => {
  const port = findPassages(manual, "Which port does the server listen on?");
  assert.match(port.markdown, /^# Manual\n\n## Ports\n\nThe server listens on port 5432/);
  assert.match(port.markdown, /server --port 6000/);
  assert.doesNotMatch(port.markdown, /create_user|thirty/);
  assert.match(findPassages(manual, "how long are backups kept").markdown, /thirty days/);
  assert.match(findPassages(manual, "creating a user").markdown, /create_user/);
  assert.match(findPassages(manual, "incremental").markdown, /\| Kind \| Days \|/);
});

test("a question without a match returns the beginning of the text, with a note", () => {
  assert.deepEqual(findPassages("One.\n\nTwo.", "zebra?"), { markdown: "One.\n\nTwo.", isAnswer: false });
});

test("passages in languages without spaces are found", () => {
  const text = "サーバーはポート5432で待ちます。\n\nバックアップは毎晩行われます。";
  assert.equal(findPassages(text, "バックアップはいつ？").markdown, "バックアップは毎晩行われます。");
});

test("the answer respects its maximum length, for any text and question", () => {
  fc.assert(
    fc.property(
      anyText({ maxLength: 400 }),
      anyText({ maxLength: 40 }),
      fc.integer({ min: 50, max: 300 }),
      (text, question, max) => {
        const { markdown } = findPassages(`${text}\n\n${text} ${question}`, question, max);
        assert.ok(markdown.length <= max + "\n\n[…]".length);
      },
    ),
  );
});
