import assert from "node:assert/strict";
import { test } from "node:test";

import { catalogOf } from "../../../test/support/dispatch-rig.ts";
import { user } from "../../../test/support/turn-rig.ts";
import type { Message } from "../../contracts/model/message.ts";
import { cacheMarks } from "./cache-marks.ts";
import { identity, type PromptFacts, systemPrompt } from "./system-prompt.ts";

const facts: PromptFacts = {
  catalog: catalogOf([]),
  place: ["Commands run here."],
  contextFiles: [{ path: "AGENTS.md", text: "Be brief.\n" }],
  callerText: "The caller wants this.",
  memory: ["What is remembered."],
  date: "2026-01-31",
  model: "test",
};
const text = (more: Partial<PromptFacts> = {}) =>
  systemPrompt({ ...facts, ...more })
    .map((part) => part.text)
    .join("\n\n");

test("the stable parts of the prompt come first: identity, instructions, environment, then the project, then this session", () => {
  const prompt = text();
  const places = [
    identity,
    "- ",
    "Commands run here.",
    "The caller",
    "from AGENTS.md\n\nBe brief.",
    "What is rem",
    "2026-01-31",
  ];
  const offsets = places.map((part) => prompt.indexOf(part));
  assert.ok(!offsets.includes(-1));
  assert.deepEqual(
    offsets,
    offsets.toSorted((a, b) => a - b),
  );
});

test("equal facts produce an identical prompt, and the stable part does not depend on project or session", () => {
  assert.deepEqual(systemPrompt(facts), systemPrompt({ ...facts }));
  const other = systemPrompt({ ...facts, contextFiles: [], memory: [], date: "2027-01-01", model: "other" });
  assert.equal(systemPrompt(facts)[0]?.text, other[0]?.text);
});

test("SOUL.md replaces the identity, unless it is empty", () => {
  assert.ok(text({ soul: "You are Ada." }).startsWith("You are Ada."));
  assert.ok(text({ soul: " \n" }).startsWith(identity));
});

test("instructions about tools that are not available are omitted", () => {
  assert.doesNotMatch(text(), /todo|tool_search|test that shows/u);
});

test("cache marks follow the newest message and the newest message of the previous request", () => {
  const assistant: Message = { role: "assistant", content: [], calls: [], stop: "end" };
  assert.deepEqual(cacheMarks([]), []);
  assert.deepEqual(cacheMarks([user("a")]), [0]);
  assert.deepEqual(cacheMarks([user("a"), assistant, user("b")]), [0, 2]);
});
