// covers: src/hosts/cli/screen
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import { eventually } from "../support/eventually.ts";
import { pluginFolder } from "../support/plugin-folder.ts";
import { screenChat } from "../support/screen-chat.ts";

type Screen = Awaited<ReturnType<typeof screenChat>>;

const call = (name: string, args: JsonObject) => ({ calls: [{ name, args }] });
const command = (line: string) => call("terminal", { command: line });

/** Sends a prompt and waits until the question of its call accepts keys. */
async function question(screen: Screen, prompt: string, marked: RegExp): Promise<string> {
  screen.type(`${prompt}\r`);
  return screen.until(marked);
}

test("the user approves, denies and clarifies at a real terminal", async () => {
  await using screen = await screenChat([
    command("rm -rf build"),
    { text: "It is clean." },
    command("rm -rf other"),
    { text: "It stays." },
    call("clarify", { question: "Which one?", choices: ["red", "green"] }),
    { text: "Green it is." },
  ]);
  for (const folder of ["build", "other"]) await mkdir(join(screen.work, folder));
  await screen.until("❯");
  const shown = await question(screen, "clean", /Approval needed: terminal[^]*❯ 4/u);
  assert.match(shown, /│ rm -rf build\n +│ \^+/u);
  assert.match(shown, /cover exactly:\n +rm -rf build/u);
  assert.match(shown, /❯ 4 {2}d {2}Deny/u);
  assert.ok(existsSync(join(screen.work, "build")));
  screen.type("?");
  await screen.until("Hermes asks because");
  screen.type("o");
  await screen.untilWritten("✓ Allowed once: rm -rf build");
  await screen.untilWritten("It is clean.");
  await eventually(() => !existsSync(join(screen.work, "build")));
  await question(screen, "again", /│ rm -rf other[^]*❯ 4/u);
  screen.type("\r");
  await screen.untilWritten("It stays.");
  assert.ok(existsSync(join(screen.work, "other")));
  await question(screen, "choose", /Question from the agent[^]*❯ 1/u);
  screen.type("2");
  await screen.untilWritten("Answered: green");
  await screen.untilWritten("Green it is.");
  assert.match(JSON.stringify(screen.server.requests.at(-1)?.json), /\\"user_response\\":\\"green\\"/u);
  const written = await screen.everything();
  assert.equal(written.split("✓ Allowed once").length, 2, "written once");
  const denials = written.split("\n").filter((line) => /denied/iu.test(line));
  assert.match(denials.join("\n"), /^┊ +denied: deletes a file.*$/u, "written once, below its call");
  screen.type("\x0f");
  await screen.until(/Tool calls[^]*clarify[^]*terminal/u);
  screen.type("\x1b[B\x1b[B\r");
  await screen.until(/Arguments\n +command: rm -rf build/u);
  screen.type("q");
  await screen.until("Tool calls");
  screen.type("\x1b");
  await screen.untilGone("Tool calls");
});

test("at 40x10 an approval fits, and Esc denies", async () => {
  await using screen = await screenChat([command("rm -rf build"), { text: "Fine." }], { columns: 40, rows: 10 });
  await mkdir(join(screen.work, "build"));
  await screen.until("❯");
  const seen = await question(screen, "clean", /❯d deny/u);
  assert.match(seen, /Approval needed/u);
  assert.match(seen, /rm -rf build/u);
  screen.type("\x1b");
  await screen.untilWritten(/✗.*\n?.*denied/u);
  await screen.untilWritten("Fine.");
  assert.ok(existsSync(join(screen.work, "build")));
});

test("the palette, the session list and plugin parts work on the full screen", async () => {
  const code = `export default { setup: () => ({ ui: {
    segments: [{ name: "s", text: () => "seg-" + (20 + 3) }],
    keys: [{ name: "k", chord: "f6", summary: "Say hi", press: () => "hi from f6" }],
  } }) };`;
  await using screen = await screenChat([{ text: "Hello." }], {
    columns: 160,
    settings: { plugins: { enabled: ["marks"] } },
  });
  await pluginFolder(join(screen.home, "plugins"), "marks", "", { "index.mjs": code });
  await screen.until("❯");
  // The session is not open yet.
  screen.type("\x10");
  await screen.until("Palette");
  await using other = screen.again();
  await other.until("seg-23");
  other.type("\x1b[17~");
  await other.untilWritten("hi from f6");
  other.type("hello there\r");
  await other.untilWritten("Hello.");
  other.type("\x10");
  await other.until("Palette");
  other.type("Show this session");
  await other.until(/❯ \/status/u);
  other.type("\x1b");
  await other.untilGone("Palette");
  other.type("\x18");
  await other.until(/Sessions[^]*● hello there/u);
  other.type("\x1b");
  await other.untilGone("type to search");
});
