// covers: src/hosts/cli/screen/editor, src/operations/content, src/media/clipboard
import assert from "node:assert/strict";
import { chmod, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { err } from "../../src/base/result.ts";
import type { Pictures } from "../../src/contracts/media/pictures.ts";
import { editInProgram } from "../../src/hosts/cli/screen/editor/edit-in-program.ts";
import { readClipboard } from "../../src/media/clipboard/clipboard-programs.ts";
import { loadSharp } from "../../src/media/images/load-sharp.ts";
import { pictureLimits } from "../../src/media/images/model-limits.ts";
import { preparePicture } from "../../src/media/images/prepare-picture.ts";
import { promptImage } from "../../src/operations/content/images.ts";
import { tempHome } from "../support/temp-home.ts";

const signal = new AbortController().signal;

async function edited(program: string, text: string) {
  const lent: string[] = [];
  const outcome = await editInProgram(text, {
    env: { VISUAL: program },
    signal,
    async lend(work) {
      lent.push("lent");
      const value = await work();
      lent.push("returned");
      return value;
    },
  });
  return { outcome, lent };
}

test("an editor program changes the draft while it owns the terminal; its file is private and deleted afterwards", async () => {
  const { outcome, lent } = await edited(`sh -c 'stat -c %a "$1" >> "$1"; echo more >> "$1"' --`, "first\nsecond");
  assert.deepEqual(outcome, { ok: true, value: "first\nsecond\n600\nmore" });
  assert.deepEqual(lent, ["lent", "returned"]);
  assert.deepEqual(
    (await readdir(tmpdir())).filter((name) => name.startsWith(`hermes-draft-`) && name.includes(`-${process.pid}.`)),
    [],
  );
});

test("an editor program that fails or does not exist changes nothing", async () => {
  const failed = await edited("false", "text");
  assert.equal(failed.outcome.ok, false);
  const missing = await edited("/nowhere/editor", "text");
  assert.ok(!missing.outcome.ok && /exited with code 127/u.test(missing.outcome.error.message));
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A folder with a program that replaces the clipboard program. */
async function clipboardWith(name: string, script: string) {
  const home = await tempHome();
  const path = join(home.path, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return {
    env: { PATH: `${home.path}:/usr/bin:/bin`, WAYLAND_DISPLAY: "wayland-0" },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

const tools = { loadSharp, convertHeic: async () => err("no program") };
const pictures: Pick<Pictures, "prepare"> = {
  prepare: (bytes, { name }, until) => preparePicture(bytes, { name, limits: pictureLimits("") }, tools, until),
};
const place = { platform: "linux", signal, clock: systemClock };

test("an image in the clipboard is read as bytes; without an image the text is read", async () => {
  await using withImage = await clipboardWith(
    "wl-paste",
    `case "$*" in *list*) printf 'text/plain\\nimage/png\\n';; *png*) echo ${png.toString("base64")} | base64 -d;; *) echo text;; esac`,
  );
  const image = await readClipboard("any", { ...place, env: withImage.env });
  assert.ok(image.ok && "image" in image.value);
  assert.deepEqual(Buffer.from(image.value.image), png);
  const shown = await promptImage(image.value.image, "it", pictures, signal);
  assert.match(shown.ok ? shown.value.label : shown.error.message, /^PNG, 1×1, \d+ B$/u);
  await using withText = await clipboardWith(
    "wl-paste",
    `case "$*" in *list*) echo text/plain;; *) printf 'hällo';; esac`,
  );
  assert.deepEqual(await readClipboard("any", { ...place, env: withText.env }), { ok: true, value: { text: "hällo" } });
  const none = await readClipboard("image", { ...place, env: withText.env });
  assert.ok(!none.ok && none.error.message === "The clipboard has no image.");
});

test("without a clipboard program, the message names one to install; text does not count as an image", async () => {
  const missing = await readClipboard("any", { ...place, env: { PATH: "/nowhere", DISPLAY: ":0" } });
  assert.ok(!missing.ok && missing.error.message.includes("install xclip"));
  const text = await promptImage(Buffer.from("hello"), "note.txt", pictures, signal);
  assert.ok(!text.ok && text.error.message.startsWith("note.txt is not an image"));
});
