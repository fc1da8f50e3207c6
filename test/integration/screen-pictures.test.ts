// covers: src/hosts/cli, src/media/terminal, src/operations/content
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import sharp from "sharp";

import { screenChat } from "../support/screen-chat.ts";
import { seenChat } from "../support/seen-chat.ts";
import { tempHome } from "../support/temp-home.ts";

const turns = [
  { calls: [{ name: "image_generate", args: { prompt: "a red square" } }] },
  { text: "Here it is." },
  { text: "Again." },
];

/** Settings with a generator of this machine that copies a picture. */
async function settingsFor(file: string, pictures: string): Promise<object> {
  await sharp({ create: { width: 40, height: 40, channels: 3, background: "#ff0000" } })
    .png()
    .toFile(file);
  const draw = { command: `cp ${file} {output_path}` };
  return {
    toolsets: ["image_gen"],
    image_gen: { provider: "draw", providers: { draw } },
    display: { pictures },
  };
}

const picture = "\x1b_Ga=T,f=100,q=2,m=0;";
/** The call with its path, then the picture, then the first words of the answer. */
const orderedPicture = new RegExp(`image_generate.*\\.png.*${picture}.*Here`, "su");

test("the full screen draws a picture once, below its call and above the prompt", async () => {
  await using temporary = await tempHome();
  const settings = await settingsFor(join(temporary.path, "red.png"), "kitty");
  await using chat = await screenChat(turns, { settings });
  await chat.until("❯");
  chat.type("draw it\r");
  await chat.untilWritten("Here it is.");
  assert.match(chat.raw(), orderedPicture, "the answer waits for the picture");
  chat.type("next\r");
  await chat.untilWritten("Again.");
  chat.resize(60, 20);
  chat.type("\x04");
  assert.equal(await chat.code, 0);
  assert.equal(chat.raw().split(picture).length, 2, "drawn once, even after a resize");
  const written = await chat.everything();
  for (const line of ["draw it", "Here it is.", "next", "Again."])
    assert.equal(written.split(line).length, 2, `${line} is there once:\n${written}`);
});

test("the plain chat draws it too, and a terminal without pictures shows only the path", async () => {
  await using temporary = await tempHome();
  for (const [pictures, count] of [
    ["kitty", 1],
    ["off", 0],
  ] as const) {
    const settings = await settingsFor(join(temporary.path, `${pictures}.png`), pictures);
    await using chat = await seenChat(turns, { settings });
    await chat.until(/❯$/u);
    chat.type("draw it\r");
    await chat.until(/\.png\n[^]*Here it is\.[^]*❯$/u);
    if (count > 0) assert.match(chat.raw(), orderedPicture, "the answer waits for the picture");
    chat.type("next\r");
    await chat.until(/Again\.[^]*❯$/u);
    assert.equal(chat.raw().split(picture).length - 1, count);
  }
});
