// covers: src/hosts/cli, src/safety/policy, src/tools/files, src/skills
import assert from "node:assert/strict";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import { seenChat } from "../support/seen-chat.ts";

const call = (name: string, args: JsonObject) => ({ calls: [{ name, args }] });
const idle = /❯$/u;

/** Answers a question when it accepts keys. */
async function answer(chat: Awaited<ReturnType<typeof seenChat>>, line: string): Promise<void> {
  await chat.until(/\(Enter denies\):$/u);
  chat.type(`${line}\r`);
}

test("the approval question shows size and first lines of a new file, and the diff of a change", async () => {
  const turns = [
    (request: { readonly json: unknown }) =>
      call("write_file", { path: `${homeOf(request)}/.profile`, content: "one\ntwo\n" }),
    (request: { readonly json: unknown }) =>
      call("patch", { path: `${homeOf(request)}/.bashrc`, old_string: "two", new_string: "2" }),
    { text: "Done." },
  ];
  await using chat = await seenChat(turns);
  const profile = join(chat.home, "..", ".profile");
  await writeFile(join(chat.home, "..", ".bashrc"), "one\ntwo\nthree\n");
  await chat.until(idle);
  chat.type(`files in ${join(chat.home, "..")}\r`);
  const created = await chat.until(/\(Enter denies\):$/u);
  assert.match(
    created,
    /│ write_file writes .*\.profile\n\n {2}│ new file: 2 lines, 8 bytes\n {2}│ \+one\n {2}│ \+two\n/u,
  );
  await answer(chat, "no, use .zprofile");
  await chat.until("Your reason was passed to the model.");
  const changed = await chat.until(/\+2[^]*\(Enter denies\):$/u);
  assert.match(changed, / {2}│ @@ -1,3 \+1,3 @@\n {2}│ {2}one\n {2}│ -two\n {2}│ \+2\n {2}│ {2}three\n/u);
  await answer(chat, "o");
  await chat.until(/Allowed: once[^]*Done\./u);
  await assert.rejects(access(profile));
  assert.match(JSON.stringify(chat.server.requests.at(1)?.json), /use \.zprofile/u);
});

test("? at an approval question explains the rule and the answers, then asks again; a word after `no` is the reason", async () => {
  await using chat = await seenChat([call("terminal", { command: "rm -rf build" }), { text: "Kept." }]);
  await mkdir(join(chat.work, "build"));
  await chat.until(idle);
  chat.type("go\r");
  await answer(chat, "?");
  const explained = await chat.until(/Hermes asks because:[^]*\(Enter denies\):$/u);
  assert.match(explained, /delete_recursive: deletes a file or a whole folder/u);
  assert.match(
    explained,
    / {2}o {2}allow this call once\n {2}s {2}also allow[^]* {2}a {2}save the rules[^]* {2}d {2}deny;/u,
  );
  await answer(chat, "d later");
  await chat.until(/Denied\. Your reason was passed to the model\.[^]*Kept\./u);
  await access(join(chat.work, "build"));
  assert.match(JSON.stringify(chat.server.requests.at(-1)?.json), /later/u);
});

test("the approval question about a skill has the same form and shows its diff line by line", async () => {
  const edit = { action: "patch", name: "mine", old_string: "My way.", new_string: "Its way." };
  await using chat = await seenChat([call("skill_manage", edit), call("skill_manage", edit), { text: "Done." }]);
  const file = join(chat.home, "skills", "mine", "SKILL.md");
  await mkdir(join(chat.home, "skills", "mine"), { recursive: true });
  await writeFile(file, "---\nname: mine\ndescription: How I do it, for every kind of work here.\n---\n\nMy way.\n");
  await chat.until(idle);
  chat.type("go\r");
  const shown = await chat.until(/\(Enter denies\):$/u);
  assert.match(shown, /Approval needed for skill_manage/u);
  assert.match(shown, / {2}│ -My way\.\n {2}│ \+Its way\.\n/u);
  assert.doesNotMatch(shown, /\\x0a/u);
  await answer(chat, "n wrong");
  await chat.until("Your reason was passed to the model.");
  await answer(chat, "o");
  await chat.until(/Allowed: once[^]*Done\./u);
  assert.match(await readFile(file, "utf8"), /Its way/u);
  assert.match(JSON.stringify(chat.server.requests.at(1)?.json), /rejected the change to mine: wrong/u);
});

/** The folder that the prompt names. */
function homeOf({ json }: { readonly json: unknown }): string {
  return /files in ([^"\\]+)/u.exec(JSON.stringify(json))?.[1] ?? "";
}
