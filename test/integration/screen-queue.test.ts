// covers: src/hosts/cli/screen, src/hosts/cli/chat, src/kernel/loop/conversation.ts, src/runtime/session
import assert from "node:assert/strict";
import { test } from "node:test";

import { screenChat } from "../support/screen-chat.ts";

const call = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });
const settings = { display: { busy_input_mode: "queue" } };
const held = /^Held: 2 queued prompts \(Enter on an empty line sends, \/queue clear removes\)\.$/mu;

test("Esc holds the queued prompts; a typed prompt goes first, and Enter on an empty line sends them", async () => {
  await using chat = await screenChat(
    [call("sleep 60"), { text: "Typed." }, { text: "First done." }, { text: "Second done." }],
    { settings },
  );
  await chat.until("❯");
  chat.type("wait\r");
  await chat.until(/terminal sleep 60/u);
  chat.type("first queued\r");
  chat.type("second queued\r");
  await chat.until(/⋯ first queued\n⋯ second queued/u);
  chat.type("\x1b");
  await chat.until(/stopped[^]*Held: 2 queued prompts[^]*⋯ \(held\) first queued\n⋯ \(held\) second queued/u);
  assert.match(await chat.seen(), held);
  assert.equal(chat.server.requests.length, 1);
  chat.type("something else\r");
  await chat.until(/Typed\.[^]*Held: 2 queued prompts/u);
  chat.type("\r");
  await chat.until(/❯ first queued\n[^]*First done\.[^]*❯ second queued\n[^]*Second done\./u);
  assert.doesNotMatch(await chat.seen(), /Held:/u);
  assert.equal(chat.server.requests.length, 4);
});

test("a normal end of a turn starts the next queued prompt", async () => {
  await using chat = await screenChat([call("sleep 1"), { text: "Waited." }, { text: "Then this." }], { settings });
  await chat.until("❯");
  chat.type("wait\r");
  await chat.until(/terminal sleep 1/u);
  chat.type("and then\r");
  await chat.until(/Waited\.[^]*❯ and then\n[^]*Then this\./u);
});

test("a resumed session holds the stored queue; it is sent or removed by hand", async () => {
  await using chat = await screenChat([call("sleep 60"), { text: "First done." }, { text: "Second done." }], {
    settings,
  });
  await chat.until("❯");
  chat.type("wait\r");
  await chat.until(/terminal sleep 60/u);
  chat.type("first queued\r");
  chat.type("second queued\r");
  await chat.until(/⋯ first queued\n⋯ second queued/u);
  chat.kill("SIGKILL");
  await chat.code;
  await using again = chat.again(["-c"]);
  await again.until(/Held: 2 queued prompts[^]*⋯ \(held\) first queued\n⋯ \(held\) second queued/u);
  assert.equal(chat.server.requests.length, 1);
  again.type("/queue list\r");
  await again.until(/ {2}1\. \(held\) first queued\n {2}2\. \(held\) second queued\n/u);
  again.type("\r");
  await again.until(/First done\.[^]*Second done\./u);
});

test("a failed turn holds the queued prompts, so that /retry sends the failed one first", async () => {
  const broken = { error: { status: 400, message: "the engine is on fire" }, fault: { delayMs: 2_000 } };
  await using chat = await screenChat([broken, { text: "It works again." }, { text: "Then this." }], { settings });
  await chat.until("❯");
  chat.type("hello\r");
  await chat.until(/❯ hello/u);
  chat.type("and then\r");
  await chat.until(/⋯ and then/u);
  await chat.until(/To send the prompt again: \/retry\n[^]*Held: 1 queued prompt [^]*⋯ \(held\) and then/u);
  assert.equal(chat.server.requests.length, 1);
  chat.type("/retry\r");
  await chat.until(/Again: hello[^]*It works again\.\n[^]*Held: 1 queued prompt [^]*⋯ \(held\) and then/u);
  chat.type("\r");
  await chat.until(/❯ and then\n[^]*Then this\./u);
});
