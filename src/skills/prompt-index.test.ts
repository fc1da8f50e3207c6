import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import type { SkillCard } from "../contracts/knowledge/skill.ts";
import { skillIndex } from "./prompt-index.ts";

const card = (name: string, origin: SkillCard["origin"] = "bundled", description = `About ${name}.`): SkillCard => ({
  name,
  description,
  origin,
  tags: [],
});
const options = { maxChars: 700, scores: new Map<string, number>(), isDeferred: false };

test("the skill index lists the skills, describes as many as fit, and contains no instructions", () => {
  const text = skillIndex([card("b"), card("a", "user")], options);
  assert.equal(text, "Skills: if one fits the task, read it first (skill_view):\n- a: About a.\n- b: About b.");
  assert.doesNotMatch(text, /must|always|mandatory/iu);
});

test("the most successful skills come first in the index, and the omitted ones are counted", () => {
  const many = Array.from({ length: 200 }, (_, index) => card(`skill-number-${String(index).padStart(3, "0")}`));
  const text = skillIndex(many, { ...options, scores: new Map([["skill-number-150", 5]]) });
  assert.ok(text.length <= 700, String(text.length));
  assert.match(text, /\n- skill-number-150/u);
  assert.match(text, /\n\((\d+) more: skills_list\)$/u);
});

test("if tool search defers the skill tool, the index says how to call it", () => {
  assert.match(skillIndex([card("a")], { ...options, isDeferred: true }), /\(tool_call skill_view\)/u);
});

test("without skills or budget, the prompt has no skill section", () => {
  assert.equal(skillIndex([], options), "");
  assert.equal(skillIndex([card("a")], { ...options, maxChars: 0 }), "");
  assert.equal(skillIndex([card("a")], { ...options, maxChars: 60 }), "");
});

test("the index never exceeds its budget and every skill is named or counted", () => {
  const name = fc.stringMatching(/^[a-z][a-z-]{0,40}$/u);
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 60 }), fc.integer({ min: 0, max: 3_000 }), (names, maxChars) => {
      const text = skillIndex(
        names.map((each) => card(each)),
        { ...options, maxChars },
      );
      assert.ok(text.length <= maxChars);
      if (text === "") return;
      const left = Number(/\((\d+) more: skills_list\)$/u.exec(text)?.[1] ?? 0);
      const lines = text.split("\n").slice(1);
      const named = lines
        .filter((line) => line.startsWith("- "))
        .flatMap((line) => (line.includes(": ") ? [line] : line.split(", ")));
      assert.equal(named.length + left, names.length);
    }),
  );
});
