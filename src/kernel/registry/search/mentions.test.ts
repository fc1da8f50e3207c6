import assert from "node:assert/strict";
import { test } from "node:test";

import { schemaWithoutMentions, withoutMentions } from "../shown-tool.ts";

const isGone = (name: string) => name === "web_search" || name === "terminal" || name === "read-file_x";

test("sentences that mention a missing tool are removed from a description", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["Reads a page.", "Reads a page."],
    ["Reads a page. Prefer web_search for facts. Slow!", "Reads a page. Slow!"],
    ["Reads.\n- web_search finds\n- other_tool reads\n", "Reads.\n- other_tool reads"],
    ["Uses the terminal well.", "Uses the terminal well."],
    ["Like my_web_search_tool and web_search_2.", "Like my_web_search_tool and web_search_2."],
    ["Better than (`web_search`).", "Better than (`another tool`)."],
    ["Faster than others, e.g. web_search. Good.", "Good."],
  ];
  for (const [before, after] of cases) assert.equal(withoutMentions(before, isGone), after);
});

test("a text that mentions no missing tool stays unchanged", () => {
  const body = "  Keeps   its\n\n\nspaces. other_tool. ";
  assert.equal(withoutMentions(body, isGone), body);
});

test("descriptions inside a schema are cleaned, but values are not", () => {
  const schema = {
    type: "object",
    description: "All of it. See web_search.",
    properties: {
      description: { type: "string", description: "Text. As web_search has it.", default: "web_search it" },
      mode: { enum: ["web_search"], examples: [{ description: "Uses web_search." }] },
      list: { type: "array", items: { anyOf: [{ description: "web_search. Or this." }] } },
    },
  };
  assert.deepEqual(schemaWithoutMentions(schema, isGone), {
    type: "object",
    description: "All of it.",
    properties: {
      description: { type: "string", description: "Text.", default: "web_search it" },
      mode: { enum: ["web_search"], examples: [{ description: "Uses web_search." }] },
      list: { type: "array", items: { anyOf: [{ description: "Or this." }] } },
    },
  });
});
