import assert from "node:assert/strict";
import { test } from "node:test";

import { createScreen } from "./screen.ts";

test("a screen shows what a user would see after all writes", async () => {
  const answers: string[] = [];
  const screen = await createScreen(
    { columns: 10, rows: 3 },
    { answer: (bytes) => answers.push(Buffer.from(bytes).toString()), onReady() {} },
  );
  screen.add(Buffer.from("one\r\ntwo\r\nthree\r\nfour \x1b[6n\x1b]2;title\x07"));
  assert.deepEqual(await screen.read(), {
    columns: 10,
    rows: 3,
    lines: ["two", "three", "four"],
    cursor: { column: 5, row: 2 },
    title: "title",
  });
  assert.deepEqual(answers, ["\x1b[3;6R"]);
  screen.resize({ columns: 4, rows: 2 });
  const { columns, rows, lines } = await screen.read();
  assert.deepEqual({ columns, rows, lines: lines.length }, { columns: 4, rows: 2, lines: 2 });
  screen.close();
});

test("a screen signals when it falls behind and when it is ready again", async () => {
  const ready = Promise.withResolvers<void>();
  const screen = await createScreen({ columns: 80, rows: 24 }, { answer() {}, onReady: ready.resolve });
  const chunk = Buffer.from("x".repeat(16_000));
  while (screen.add(chunk));
  await ready.promise;
  assert.equal(screen.add(Buffer.from("end")), true);
  assert.match((await screen.read()).lines.join(""), /xend$/);
  screen.close();
});
