import assert from "node:assert/strict";
import { test } from "node:test";

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
  await useLanguage("de");
  assert.equal(approval.options.deny, "Deny");
  assert.equal(english.panels.approval.options.deny, "Deny");
});

test("the Chinese texts keep the keys and commands of the English ones", () => {
  const marks =
    /\b(?:Esc|Enter|Tab|Shift-Tab|PgUp|PgDn|Del|F1|Ctrl-[A-Z]|Alt-[A-Z↑])|\/(?:help|quit|tools)\b|hermes \w+(?: \w+)?/gu;
  const keysOf = (text: string) => (text.match(marks) ?? []).toSorted();
  for (const [path, one, other] of pairs(english, chinese, "")) assert.deepEqual(keysOf(other), keysOf(one), path);
});

/** The fixed texts of both languages, by path. */
function pairs(one: unknown, other: unknown, path: string): readonly (readonly [string, string, string])[] {
  if (typeof one === "string" && typeof other === "string") return [[path, one, other]];
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return [];
  const others = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).flatMap(([key, value]) => pairs(value, others.get(key), `${path}.${key}`));
}
