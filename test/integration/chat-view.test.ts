// covers: src/hosts/cli/chat, src/kernel/dispatch, src/commands
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { seenChat } from "../support/seen-chat.ts";

const call = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });
const idle = /❯$/u;

test("a running command shows its last lines and its elapsed time, and keeps its last lines when it ends", async () => {
  await using chat = await seenChat([
    call("for i in 1 2 3 4 5 6 7; do echo line $i; done; until [ -e go ]; do sleep 0.05; done; echo over"),
    { text: "Done." },
  ]);
  await chat.until(idle);
  chat.type("go\r");
  const first = await chat.until(
    /terminal for i in .* \d+ s\n┊ {3}line 3\n┊ {3}line 4\n┊ {3}line 5\n┊ {3}line 6\n┊ {3}line 7$/u,
  );
  assert.doesNotMatch(first, /line 2/u);
  const shownTime = / (\d+) s\n┊ {3}line 3\n/u.exec(first)?.[1];
  await chat.until(new RegExp(` (?!${shownTime} s)\\d+ s\\n┊ {3}line 3\\n`, "u"));
  await writeFile(join(chat.work, "go"), "");
  const last = await chat.until(/Done\.\n/u);
  assert.match(last, /✓ [\d.]+ s\n┊ {3}… 3 lines before \(\/output\)\n┊ {3}line 4\n(?:.*\n){3}┊ {3}over\nDone\.\n/u);
  assert.equal(last.match(/terminal for i/gu)?.length, 1, "the live lines are gone");
});

test("a failed command shows more lines, and /output shows everything, even of earlier calls", async () => {
  await using chat = await seenChat([call("echo early"), call("seq 1 60; exit 3"), { text: "It failed." }], {
    rows: 90,
  });
  await chat.until(idle);
  chat.type("go\r");
  const shown = await chat.until(/It failed\.\n/u);
  assert.match(shown, /✗ .* exit code 3\n┊ {3}… 40 lines before \(\/output\)\n┊ {3}41\n/u);
  chat.type("/output\r");
  await chat.until(/\nterminal seq 1 60; exit 3 ✗ exit code 3\n1\n2\n(?:\d+\n)+60\n❯$/u);
  chat.type("/output 2\r");
  await chat.until(/\nterminal echo early ✓\nearly\n❯$/u);
  chat.type("/output 9\r");
  await chat.until("This session has only 2 calls.");
});

test("escape sequences of a command never reach the terminal, live or afterwards", async () => {
  const evil = String.raw`printf '\033]0;TITLE\007\033[2J\033[31mred\033]52;c;aGk=\007\n\302\2332J\n'; cat f; sleep 0.6`;
  await using chat = await seenChat([call(evil), { text: "Done." }]);
  await writeFile(join(chat.work, "f"), "\x1b[?1049h\x9b5Aend\x1bc\n");
  await chat.until(idle);
  chat.type("go\r");
  await chat.until(/Done\.\n/u);
  chat.type("/output\r");
  await chat.until(/\n❯$/u);
  assert.match(await chat.seen(), /red/u);
  // oxlint-disable-next-line no-control-regex -- their absence is the claim
  assert.doesNotMatch(chat.raw(), /TITLE\x07|\x1b\]|\x1b\[2J|\x1bc|\x1b\[\?1049|\x9b|\x1b\[31m/u);
});

test("an edit shows a short coloured diff", async () => {
  const edit = { name: "patch", args: { path: "a.txt", old_string: "two", new_string: "2" } };
  const write = { name: "write_file", args: { path: "b.txt", content: "new\nfile\n" } };
  await using chat = await seenChat([{ calls: [edit] }, { calls: [write] }, { text: "Done." }], { hasColours: true });
  await writeFile(join(chat.work, "a.txt"), "one\ntwo\nthree\n");
  await chat.until(idle);
  chat.type("go\r");
  const shown = await chat.until(/Done\.\n/u);
  assert.match(shown, /patch a\.txt ✓ .*\n┊ {3}@@ -1,3 \+1,3 @@\n┊ {4}one\n┊ {3}-two\n┊ {3}\+2\n┊ {4}three\n/u);
  assert.match(shown, /write_file b\.txt ✓ .*\n┊ {3}@@ -0,0 \+1,2 @@\n┊ {3}\+new\n┊ {3}\+file\n/u);
  assert.ok(chat.raw().includes("\x1b[31m-two\x1b[39m") && chat.raw().includes("\x1b[32m+2\x1b[39m"));
});

test("display.tool_progress: off hides tools, new shows only a different tool, verbose shows everything", async () => {
  const turns = [call("seq 1 30"), call("echo again"), { text: "Done." }];
  for (const [mode, expected] of [
    ["off", /❯ go\nDone\.\n/u],
    ["new", /❯ go\n┊ .* terminal seq 1 30 ✓ .*\n┊ {3}… 25 lines before \(\/output\)\n(?:┊ {3}\d+\n){5}Done\.\n/u],
    [
      "verbose",
      /terminal seq 1 30 ✓ .*\n┊ {3}command: seq 1 30\n(?:┊ {3}\w+: .*\n)+(?:┊ {3}\d+\n){30}┊ .* terminal echo again ✓ .*\n(?:┊ {3}\w+: .*\n)+┊ {3}again\nDone\.\n/u,
    ],
  ] as const) {
    await using chat = await seenChat(turns, { rows: 60, settings: { display: { tool_progress: mode } } });
    await chat.until(idle);
    chat.type("go\r");
    assert.match(await chat.until(/Done\.\n[^]*❯$/u), expected, mode);
  }
});

test("`chat -q` at a terminal shows live lines too, and removes them at the end", async () => {
  const turns = [call("echo begun; until [ -e go ]; do sleep 0.05; done"), { text: "Done." }];
  await using chat = await seenChat(turns, { args: ["chat", "-q", "go"] });
  await chat.until(/terminal echo begun.* \d+ s\n┊ {3}begun$/u);
  await writeFile(join(chat.work, "go"), "");
  const shown = await chat.until(/Done\.\n/u);
  assert.equal(shown.match(/echo begun/gu)?.length, 1);
  assert.equal(await chat.code, 0);
});

test("/ps lists background processes and /status counts them; transcript and audit log record the actions", async () => {
  const background = { name: "terminal", args: { command: "sleep 71.5", background: true } };
  const write = { name: "write_file", args: { path: "b.txt", content: "new\n" } };
  await using chat = await seenChat([
    { calls: [background] },
    call("echo out; exit 3"),
    { calls: [write] },
    { text: "Done." },
  ]);
  await chat.until(idle);
  chat.type("/ps\r");
  await chat.until("No background process runs.");
  chat.type("go\r");
  await chat.until(/Done\.\n[^]*❯$/u);
  chat.type("/ps\r");
  await chat.until(/proc_[0-9a-f]{12} {2}running, \d+ s, pid \d+: sleep 71\.5\n❯$/u);
  chat.type("/status\r");
  await chat.until(/processes +1 running: \/ps/u);
  const { stdout: shown } = await chat.run(["sessions", "show", "latest"]);
  assert.match(shown, /❯ go\n\n✓ terminal sleep 71\.5 [\d.]+ m?s\n {2}Background process started\n/u);
  assert.match(
    shown,
    /✗ terminal echo out; exit 3 [\d.]+ m?s exit code 3\n {2}out\n\n✓ write_file b\.txt [\d.]+ m?s\n {2}@@ .*\n {2}\+new\n\nDone\./u,
  );
  const { stdout: audit } = await chat.run(["audit", "show"]);
  assert.match(audit, /decision +terminal +allow +echo out; exit 3\n/u);
  assert.match(audit, /effect +terminal +exit 3 +echo out; exit 3\n/u);
  assert.match(audit, /decision +write_file +allow +b\.txt\n/u);
});

test("Markdown at 40 columns has aligned tables, links, emphasis and highlighted code, without breaks inside words", async () => {
  const markdown = [
    "A **bold** answer with *emphasis*, long enough to wrap between the words of a line.",
    "",
    "| Name | Meaning of the column |",
    "|------|----------------------:|",
    "| one | the first of all numbers |",
    "| 日本 | two wide characters |",
    "",
    "See [the docs](https://example.org/a) now.",
    "",
    "```ts",
    "const answer = computeTheAnswer(question); // long",
    "```",
  ].join("\n");
  await using chat = await seenChat([{ text: markdown.match(/[^]{1,7}/gu) ?? [] }], { columns: 40, hasColours: true });
  await chat.until(idle);
  chat.type("go\r");
  const shown = await chat.until(/long\n```\n[^]*❯$/u);
  assert.match(shown, /A bold answer with emphasis, long enough\nto wrap between the words of a line\.\n/u);
  assert.match(
    shown,
    /\nName │ {4}Meaning of the column\n─+┼─+\none {2}│ the first of all numbers\n日本 │ {6}two wide characters\n/u,
  );
  assert.match(shown, /\nSee the docs \(https:\/\/example\.org\/a\)\nnow\.\n/u);
  assert.match(shown, /\nconst answer =\n {4}computeTheAnswer\(question\); \/\/ long\n```\n/u);
  assert.ok(chat.raw().includes("\x1b[1mbold\x1b[22m") && chat.raw().includes("\x1b[3memphasis\x1b[23m"));
  assert.ok(chat.raw().includes("\x1b[36mconst\x1b[39m"));
});

test("/skin, /focus and /quit --delete work in the plain chat", async () => {
  await using chat = await seenChat([call("echo seen"), { text: "Done." }]);
  await chat.until(idle);
  chat.type("/skin slat\r");
  await chat.until("Did you mean slate?");
  chat.type("/skin slate\r");
  await chat.until("Now using the skin slate.");
  chat.type("/focus\r");
  await chat.until("Only prompts and answers are shown.");
  chat.type("go\r");
  const shown = await chat.until(/Done\.\n❯$/u);
  assert.doesNotMatch(shown, /terminal echo seen/u);
  chat.type("/quit --delete now\r");
  await chat.until(/was deleted\. Restore it within a day/u);
});
