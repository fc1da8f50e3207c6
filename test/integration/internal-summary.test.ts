// covers: src/kernel/context, src/commands/sessions, src/hosts/cli, src/operations/sessions
import assert from "node:assert/strict";
import { test } from "node:test";

import { summaryBegin } from "../../src/contracts/model/context.ts";
import { eventually } from "../support/eventually.ts";
import { talking } from "../support/talking-program.ts";

const notes = "Made without a model";

test("the summary of a compaction is never shown as something that the user typed", async () => {
  let answers = 0;
  // The first answers are long, so that a summary is shorter.
  const answer = () => ({ text: `${answers++ < 2 ? "word ".repeat(3_000) : ""}An answer.`, usage: "none" }) as const;
  await using at = await talking(({ json }) => ("tools" in json ? answer() : { text: "", usage: "none" }));
  const inside = summaryBegin.slice(0, 30);
  await using chat = at.terminal();
  await chat.until("❯");
  for (const prompt of ["first question", "second question", "third question", "fourth question"]) {
    chat.type(`${prompt}\r`);
    await chat.until(/An answer\.[^]*❯/u);
  }
  chat.type("/compress here 1\r");
  await chat.until(/Compacted from [^(]*\(no model wrote the summary/u);
  chat.type("/history\r");
  await chat.until(/hermes sessions show \w+[^]*❯ fourth question[^]*❯/u);
  chat.type("/quit\r");
  assert.equal(await chat.code, 0);
  assert.ok(!chat.said().includes(inside) && !chat.said().includes(notes), chat.said());

  const shown = await at.run(["sessions", "show", "latest"]);
  assert.match(shown.stdout, /first question[^]*fourth question/u);
  const exported = await at.run(["sessions", "list", "--json"]);
  for (const { stdout } of [shown, exported]) assert.doesNotMatch(stdout, /^❯.*(?:Made without a model|summary of)/imu);

  for (const args of [["--continue"], ["--continue", "--tui"]]) {
    await using resumed = at.terminal(args);
    await resumed.until(/fourth question[^]*❯/u);
    assert.ok(!resumed.said().includes(inside) && !resumed.said().includes(notes), resumed.said());
    const chats = () => at.server.requests.filter(({ json }) => "tools" in json);
    const before = chats().length;
    resumed.type("fifth question\r");
    await eventually(() => chats().length > before);
    // The model gets the summary, which shows that the views above leave it out on purpose.
    assert.match(JSON.stringify(chats().at(-1)?.json["messages"]), /Made without a model/u);
  }
});
