// covers: src/hosts/cli/screen, src/hosts/cli/chat, src/commands/settings
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { screenChat } from "../support/screen-chat.ts";

const call = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });

test("text that is typed at an approval goes to the draft, even if it contains the letter of an answer", async () => {
  await using chat = await screenChat([call("rm -rf old"), { text: "Kept." }]);
  mkdirSync(join(chat.work, "old"));
  await chat.until("❯");
  chat.type("clean up\r");
  await chat.until("❯ 4  d  Deny");
  chat.type("@so");
  // The mark of the choice returns when the question accepts answers again.
  await chat.untilGone("❯ 4  d  Deny");
  await chat.until("❯ 4  d  Deny");
  chat.type("d");
  await chat.untilWritten("Kept.");
  await chat.until(/^❯ @so/mu);
  assert.ok(existsSync(join(chat.work, "old")));
});

test("the command that a new prompt interrupts is written above the prompt; Esc leaves no old hint", async () => {
  const slow = "echo ready; sleep 60";
  await using chat = await screenChat([call(slow), { text: "Second answer." }, call(slow)]);
  await chat.until("❯");
  chat.type("first prompt\r");
  await chat.until(/^┊ {3}ready/mu);
  chat.type("second prompt\r");
  await chat.untilWritten("Second answer.");
  assert.match(
    await chat.everything(),
    // On a busy machine the command stops late, and a line below the new prompt says so.
    /❯ first prompt\n\n┊ 💻 terminal echo ready; sleep 60 ✗[^❯]*\n\n❯ second prompt\n\n(?:terminal has stopped now.*\n\n)?Second/u,
  );
  chat.type("third prompt\r");
  await chat.until(/^┊ {3}ready\n❯/mu);
  chat.type("\x1b");
  await chat.until("stopped");
  const screen = await chat.until("asks first");
  assert.doesNotMatch(screen, /stopping …/u);
});

test("the status line names the session that the picker opened, and /help keys lists the keys", async () => {
  await using chat = await screenChat([{ text: "One." }, { text: "Two." }], { columns: 110 });
  await chat.until("❯");
  chat.type("/title Blue whale\r");
  await chat.until("Renamed");
  chat.type("hello\r");
  await chat.untilWritten("One.");
  chat.type("/new\r");
  await chat.until("❯ 3  c  Cancel");
  chat.type("y");
  await chat.until("is kept");
  chat.type("/title Red panda\r");
  await chat.until('to "Red panda"');
  chat.type("hello again\r");
  await chat.untilWritten("Two.");
  await chat.until(/asks first │ Red panda/u);
  chat.type("\x18");
  await chat.until(/── Sessions/u);
  chat.type("whale\r");
  await chat.until(/asks first │ Blue whale/u);
  chat.type("/help keys\r");
  await chat.until("Send the prompt, or accept");
  chat.type("\x1b");
  await chat.untilGone("Send the prompt, or accept");
  chat.type("!true\r");
  await chat.until(/❯ !true\nno output/u);
  chat.type("!sleep 600\r");
  await chat.until("running sleep 600 … (Esc stops it)");
  chat.type("\x1b");
  await chat.untilGone("Esc stops it");
});

test("on a Chinese screen the replies of commands and the reasons of approvals are Chinese", async () => {
  await using chat = await screenChat([call("rm -rf old"), { text: "Kept." }], {
    settings: { display: { language: "zh" } },
  });
  await chat.until("先询问");
  chat.type("/title Blue whale\r");
  await chat.until("已将本会话重命名为“Blue whale”。");
  chat.type("/status\r");
  await chat.until(/^ {2}轮次 +没有/mu);
  chat.type("clean up\r");
  await chat.until(/• 删除一个文件或整个文件夹：rm -rf old/u);
  await chat.until("❯ 4  d  拒绝");
  chat.type("d");
  await chat.untilWritten("Kept.");
  chat.type("/new\r");
  await chat.until("离开本会话吗？");
  await chat.until(/❯ 3/u);
  chat.type("n");
  await chat.until("没有开始新会话。");
  chat.type("\x04");
  await chat.untilWritten(/条消息已保存为“Blue whale”，用时 .*\n恢复：hermes -r /u);
});

test("a skill command that interrupts a call is written below the cancelled call", async () => {
  await using chat = await screenChat([call("echo ready; sleep 60"), { text: "Reviewed." }]);
  await chat.until("❯");
  chat.type("first prompt\r");
  await chat.until(/^┊ {3}ready/mu);
  chat.type("/code-review\r");
  await chat.untilWritten("Reviewed.");
  assert.match(
    await chat.everything(),
    /❯ first prompt\n\n┊ 💻 terminal echo ready; sleep 60 ✗[^❯]*\n\n❯ \/code-review\nskill code-review\n(?:terminal has stopped now.*\n)?\nReviewed\./u,
  );
});

test("Alt-Q opens and closes the queue; a program that needs a terminal is refused; hidden lines are counted", async () => {
  await using chat = await screenChat([call("seq 1 3000"), { text: "Counted." }]);
  await chat.until("❯");
  chat.type("\x1bq");
  await chat.until("The queue is empty.");
  chat.type("\x1bq");
  await chat.untilGone("The queue is empty.");
  chat.type("!vi README.md\r");
  await chat.until(/vi needs a terminal of its own: run it in another window/u);
  chat.type("count\r");
  await chat.until("Counted.");
  assert.match(await chat.everything(), /… 2995 lines before \(Ctrl-O\)\n┊ {3}2996/u);
});

test("a prompt in a session that another process holds stays in the input line, and the message names the way out", async () => {
  await using chat = await screenChat([{ text: "Hello." }, { text: "Mine now." }], { columns: 120 });
  await chat.until("❯");
  chat.type("hello\r");
  await chat.until("Hello.");
  await using other = chat.again(["-c"]);
  await other.until("read-only here");
  other.type("my long prompt\r");
  const screen = await other.until(/^❯ my long prompt$/mu);
  const [, id = ""] = /Close it there and type \/resume\s+(\S+)\s+here, or type \/new/u.exec(screen) ?? [];
  await other.until(/read-only$/mu);
  chat.type("\x04");
  assert.equal(await chat.code, 0);
  other.type(`\x15/resume ${id}\r`);
  await other.until("asks first");
  other.type("my long prompt\r");
  await other.until("Mine now.");
});
