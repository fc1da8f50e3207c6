import assert from "node:assert/strict";
import { test } from "node:test";

import { builtinCommands } from "../../../../commands/builtin-commands.ts";
import { createKeymap } from "../keymap.ts";
import { createChangingTexts } from "./changing-texts.ts";
import { chinese } from "./chinese.ts";
import { english } from "./english.ts";

test("switching the language changes stored texts, and switching back restores English", async () => {
  const { texts, useLanguage } = createChangingTexts();
  const { approval } = texts.panels;
  assert.equal(approval.options.deny, "Deny");
  await useLanguage("zh");
  assert.equal(approval.options.deny, "拒绝");
  assert.equal(texts.panels.sessions.messages(2), "2 条消息");
  await useLanguage("zh-hant");
  assert.equal(approval.options.deny, "拒绝");
  assert.equal(texts.commands["help"], "列出命令，或说明一个命令");
  await useLanguage("de");
  assert.equal(texts.commands["help"], undefined);
  assert.equal(approval.options.deny, "Deny");
  assert.equal(english.panels.approval.options.deny, "Deny");
});

test("the Chinese texts keep the keys and commands of the English ones", () => {
  const marks =
    /\b(?:Esc|Enter|Tab|Shift-Tab|PgUp|PgDn|Del|F1|Ctrl-[A-Z]|Alt-[A-Z↑])|\/(?:help|quit|tools)\b|hermes \w+(?: \w+)?/gu;
  const keysOf = (text: string) => (text.match(marks) ?? []).toSorted();
  for (const [path, one, other] of pairs(english, chinese, "")) assert.deepEqual(keysOf(other), keysOf(one), path);
});

test("every text of the screen, the commands and the keys has a Chinese translation", () => {
  const isChinese = (text: string) => /\p{Script=Han}/u.test(text);
  const words = /\p{L}{2}/u;
  for (const [path, one, other] of pairs(english, chinese, ""))
    if (words.test(one)) assert.ok(isChinese(other) || same.has(one), `${path}: ${other}`);
  const names = builtinCommands.map(({ name }) => name);
  assert.deepEqual(Object.keys(chinese.commands).toSorted(), names.toSorted());
  const actions = createKeymap({}).actions.map(({ name }) => name);
  assert.deepEqual(Object.keys(chinese.keys).toSorted(), [...new Set(actions)].toSorted());
  for (const text of [...Object.values(chinese.commands), ...Object.values(chinese.keys)])
    assert.ok(isChinese(text), text);
});

/** Names that are the same in every language. */
const same: ReadonlySet<string> = new Set(["⚠ YOLO", "Hermes"]);

/** The fixed texts of both languages, by path. */
function pairs(one: unknown, other: unknown, path: string): readonly (readonly [string, string, string])[] {
  if (typeof one === "string" && typeof other === "string") return [[path, one, other]];
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return [];
  const others = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).flatMap(([key, value]) => pairs(value, others.get(key), `${path}.${key}`));
}
