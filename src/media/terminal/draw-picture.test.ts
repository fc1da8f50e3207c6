import assert from "node:assert/strict";
import { test } from "node:test";

import sharp from "sharp";

import { drawPicture } from "./draw-picture.ts";

const size = { columns: 80, rows: 24 };

async function drawn(protocol: "kitty" | "iterm" | "sixel", width = 1_000, height = 500): Promise<string> {
  const create = { width, height, channels: 3 as const, background: "#ff0000" };
  const text = await drawPicture(await sharp({ create }).jpeg().toBuffer(), protocol, size);
  assert.ok(text.ok, text.ok ? "" : text.error.message);
  return text.value;
}

test("kitty gets a PNG in chunks and sends no reply", async () => {
  const text = await drawn("kitty");
  assert.ok(text.startsWith("\x1b_Ga=T,f=100,q=2,m="));
  const data = text
    .split("\x1b\\")
    .map((piece) => piece.split(";")[1] ?? "")
    .join("");
  const facts = await sharp(Buffer.from(data, "base64")).metadata();
  assert.deepEqual([facts.format, facts.width, facts.height], ["png", 384, 192], "half of the rows");
});

test("iTerm2 gets an inline file", async () => {
  const [, bytes, data = ""] =
    /\]1337;File=inline=1;size=(\d+);[^:]*:([A-Za-z0-9+/=]+)/u.exec(await drawn("iterm")) ?? [];
  assert.equal(Buffer.from(data, "base64").length, Number(bytes));
});

test("sixel output has the size and the colours of the picture", async () => {
  const text = await drawn("sixel", 16, 12);
  assert.ok(text.startsWith('\x1bP0;1;0q"1;1;16;12#0;2;0;0;0'));
  assert.ok(text.endsWith("#180!16~-#180!16~\x1b\\\n"), JSON.stringify(text.slice(-40)));
});

test("drawing a broken image returns an error with a reason", async () => {
  const text = await drawPicture(Buffer.from("nothing"), "kitty", size);
  assert.ok(!text.ok && text.error.message.startsWith("The picture cannot be drawn"));
});
