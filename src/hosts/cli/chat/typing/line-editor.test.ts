import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { fakeClock } from "../../../../../test/support/fake-clock.ts";
import { terminalText } from "../../../../base/text/terminal-text.ts";
import { openLineEditor } from "./line-editor.ts";

/** An editor with a fake terminal that the test types into. */
function editing(history: readonly string[] = [], columns = 80) {
  let written = "";
  let all = "";
  const clock = fakeClock();
  let hear: ((bytes: Uint8Array) => void) | undefined;
  const lines: string[] = [];
  const remembered: string[] = [];
  const editor = openLineEditor({
    keys(listen) {
      hear = listen;
      return { [Symbol.dispose]: () => void (hear = undefined) };
    },
    write(text) {
      written += text;
      all += text;
    },
    columns: () => columns,
    rows: () => 24,
    clock,
    prompt: "> ",
    history,
    complete: (line) => ["/help ", "/history "].filter((each) => each.startsWith(line)),
    heard: {
      input: (text) => lines.push(text),
      remember: (line) => remembered.push(line),
      interrupt: () => lines.push("^C"),
      end: () => lines.push("^D"),
    },
  });
  return {
    editor,
    heard: lines,
    remembered,
    type: (keys: string) => hear?.(Buffer.from(keys)),
    /** Waits until a question accepts answers. */
    async settle() {
      await pause(0);
      clock.advance(400);
      await pause(0);
    },
    pass: (ms: number) => clock.advance(ms),
    screen: () => terminalText(all.replaceAll(/(?<!\r)\n/gu, "\r\n"), { columns, rows: 24 }),
    /** The text written since the last call. */
    written() {
      const text = written;
      written = "";
      // oxlint-disable-next-line no-control-regex -- escape sequences are what it takes out
      return text.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\r/gu, "");
    },
    [Symbol.dispose]: () => editor[Symbol.dispose](),
  };
}

test("lines are edited and submitted; the arrow recalls history, and lines that start with a space are not saved", () => {
  using at = editing(["older"]);
  at.editor.setBusy(false);
  at.type("helo\x1b[Dl\r");
  at.type(" secret\r");
  at.type("\x1b[A\x1b[A\r");
  assert.deepEqual(at.heard, ["hello", " secret", "older"]);
  assert.deepEqual(at.remembered, ["hello", "older"]);
});

test("Ctrl-C takes effect at once; Ctrl-D ends input on an empty line and deletes otherwise", () => {
  using at = editing();
  at.editor.setBusy(false);
  at.type("\x03ab\x1b[D\x04\r\x04");
  assert.deepEqual(at.heard, ["^C", "a", "^D"]);
});

test("Tab completes the line, or lists the candidates", async () => {
  using at = editing();
  at.type("/hel");
  at.type("\t");
  await pause(0);
  at.type("\r");
  assert.deepEqual(at.heard, ["/help "]);
});

test("while busy the prompt is hidden, and output waits while the user types", () => {
  using at = editing();
  at.editor.setBusy(true);
  at.editor.print("an answer ");
  assert.equal(at.written(), "an answer ");
  at.type("wa");
  at.editor.print("that goes on\n");
  assert.match(at.screen(), /^an answer\n… output is waiting: Enter sends this line, Ctrl-U clears it\n> wa$/u);
  at.written();
  at.type("it\r");
  assert.equal(at.screen(), "an answer\n> wait\nthat goes on\n");
  at.written();
  assert.deepEqual(at.heard, ["wait"]);
  at.editor.print("more\n");
  assert.equal(at.written(), "more\n");
});

test("erasing the input lets the output continue", () => {
  using at = editing();
  at.editor.setBusy(true);
  at.type("x");
  at.editor.print("held\n");
  at.written();
  at.type("\x7f");
  assert.match(at.written(), /held\n$/u);
});

test("output during idle input is written above the line, and the line is redrawn", () => {
  using at = editing();
  at.editor.setBusy(false);
  at.type("dra");
  at.written();
  at.editor.print("a process ended\n");
  assert.equal(at.written(), "a process ended\n> dra");
  at.type("ft\r");
  assert.deepEqual(at.heard, ["draft"]);
});

test("a question has its own input line: text typed earlier does not answer it and is restored afterwards", async () => {
  using at = editing();
  at.editor.setBusy(true);
  at.type("yes");
  const never = new AbortController().signal;
  const answer = at.editor.ask({ text: "Delete it?", prompt: "[y/N] ", reply: (line) => `you said ${line}` }, never);
  await pause(0);
  at.type("yes\r");
  await at.settle();
  assert.match(at.written(), /Delete it\?\n\[y\/N\] $/u);
  at.editor.print("an answer goes on\n");
  assert.equal(at.written(), "");
  at.type("no\r");
  assert.equal(await answer, "no");
  assert.match(at.written(), /^no\nyou said no\nan answer goes on\n> yesyes$/u);
  assert.deepEqual([at.heard, at.remembered], [[], []]);
  at.type("!\r");
  assert.deepEqual(at.heard, ["yesyes!"]);
});

test("an aborted question prints a note, and normal input continues", async () => {
  using at = editing();
  at.editor.setBusy(true);
  const stop = new AbortController();
  const answer = at.editor.ask({ text: "Delete it?", prompt: "[y/N] " }, stop.signal);
  await at.settle();
  at.type("ye");
  stop.abort(new Error("the turn ended"));
  await assert.rejects(answer, /the turn ended/u);
  assert.match(at.written(), /\(question withdrawn\)\n$/u);
  at.type("hi\r");
  assert.deepEqual(at.heard, ["hi"]);
});

test("Ctrl-D at a question gives an empty answer and does not exit", async () => {
  using at = editing();
  const answer = at.editor.ask({ text: "Delete it?", prompt: "[y/N] " }, new AbortController().signal);
  await at.settle();
  at.type("\x04");
  assert.equal(await answer, "");
  assert.deepEqual(at.heard, []);
});

test("a secret is not shown and not remembered", async () => {
  using at = editing();
  const answer = at.editor.ask({ text: "", prompt: "Password: ", isHidden: true }, new AbortController().signal);
  await at.settle();
  at.type("hunter2\r");
  assert.equal(await answer, "hunter2");
  assert.doesNotMatch(at.written(), /hunter/u);
  assert.deepEqual(at.remembered, []);
});

test("two concurrent questions are asked one after the other", async () => {
  using at = editing();
  const never = new AbortController().signal;
  const first = at.editor.ask({ text: "one?", prompt: "1> " }, never);
  const second = at.editor.ask({ text: "two?", prompt: "2> " }, never);
  await at.settle();
  at.type("a\r");
  assert.equal(await first, "a");
  await at.settle();
  at.type("b\r");
  assert.equal(await second, "b");
});

test("a wrapped line is drawn once after any edit at any position", () => {
  using at = editing();
  at.editor.setBusy(false);
  const long = "abcdefghi ".repeat(12);
  at.type(long);
  at.type("\x1b[1~");
  at.type("XY");
  assert.equal(at.screen(), `> XY${long.trimEnd()}`);
  at.type("\x1b[4~");
  at.type("\x7f\x7f");
  assert.equal(at.screen(), `> XY${long.slice(0, -2)}`);
});

test("text above a line or question of several rows stays visible", async () => {
  using at = editing([], 20);
  at.editor.print("above\n");
  at.editor.setBusy(false);
  at.type("a line that is longer than the window");
  at.editor.print("told\n");
  at.type("\r");
  const question = { text: "Sure?", prompt: "[o]nce  [D]eny (Enter denies): " };
  const answer = at.editor.ask(question, new AbortController().signal);
  await at.settle();
  at.type("o\r");
  assert.equal(await answer, "o");
  at.editor.print("after\n");
  at.editor.print("last\n");
  assert.equal(
    at.screen(),
    "above\ntold\n> a line that is longer than the window\nSure?\n[o]nce  [D]eny (Enter denies): o\nafter\nlast\n>",
  );
});

test("keys typed within 400 ms of a question, and keys that directly follow, go to the line and submit nothing", async () => {
  using at = editing();
  at.editor.setBusy(true);
  at.type("dra");
  const answer = at.editor.ask({ text: "Delete it?", prompt: "[y/N] " }, new AbortController().signal);
  await pause(0);
  for (let passed = 0; passed < 600; passed += 40) {
    at.type(passed % 80 === 0 ? "y" : "\r");
    at.pass(40);
    await pause(0);
  }
  at.pass(200);
  await pause(0);
  assert.deepEqual(at.heard, []);
  at.type("no\r");
  assert.equal(await answer, "no");
  at.type("!\r");
  assert.deepEqual(at.heard, [`dray${"\ny".repeat(7)}!`]);
});

test("lines that arrive together without paste marks are one prompt; a command and the lines after it are typed ahead", () => {
  using at = editing();
  at.editor.setBusy(false);
  at.type("one\rtwo\rthr");
  at.type("ee\r");
  at.pass(30);
  assert.deepEqual(at.heard, ["one\ntwo\nthree"]);
  at.type("a\nb\n");
  at.type("c\n");
  at.pass(30);
  assert.deepEqual(at.heard.slice(1), ["a\nb\nc"]);
  at.type("/help\r/quit\r");
  assert.deepEqual(at.heard.slice(2), ["/help", "/quit"]);
  at.type("x\ry");
  at.pass(100);
  at.type("z\r");
  assert.deepEqual(at.heard.slice(4), ["x\nyz"]);
});

test("a line sent while live lines are shown stays above them", () => {
  using at = editing([], 20);
  at.editor.print("before\n");
  at.editor.setBusy(true);
  at.editor.showLive(["running 1 s", "  last"]);
  at.type("a longer prompt for later");
  assert.equal(at.screen(), "before\nrunning 1 s\n  last\n> a longer prompt for later");
  at.editor.showLive(["running 2 s", "  last"]);
  at.type("\r");
  assert.equal(at.screen(), "before\n> a longer prompt for later\nrunning 2 s\n  last\n");
  at.editor.print("after\n");
  at.editor.showLive([]);
  assert.equal(at.screen(), "before\n> a longer prompt for later\nafter\n");
});
