import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { createSearchIndex, type Searchable } from "./tool-search.ts";
import { wordsOf } from "./words.ts";

function searchable(
  name: string,
  description: string,
  parameters: readonly string[] = [],
  sourceName = "s",
): Searchable {
  return {
    card: { name, description, source: "mcp", sourceName },
    parameters,
  };
}

const tools = [
  searchable("mcp_github_create_issue", "Open a new issue in a repository.", ["title", "body", "labels"], "github"),
  searchable("mcp_github_list_repos", "List the repositories of a user.", ["owner"], "github"),
  searchable("sendMail", "Deliver an electronic letter.", ["recipient", "subject"]),
  searchable("image-generate", "Make a picture from words.", ["prompt", "aspect_ratio"]),
  searchable("websearch", "Find pages on the internet.", ["query"]),
  searchable("ha_get_state", "Read the state of a light, switch or sensor.", ["entity_id"]),
  searchable("translate", "翻译文本到另一种语言", ["target"]),
];
const index = createSearchIndex(tools);
const best = (query: string) => index.search(query, 5)[0]?.name;

test("synonyms match a tool too, but rank after the author's words", () => {
  const catalog = createSearchIndex([
    searchable("image_generate", "Generate an image from a prompt."),
    searchable("gmail_send", "Send an email."),
    searchable("calendar_create_event", "Create a calendar event."),
    searchable("photo_album", "Sort the photos of a trip."),
    searchable("skills_list", "List the skills that are there.", ["category"]),
  ]);
  const matchesOf = (query: string) => catalog.search(query, 2).map(({ name }) => name);
  assert.deepEqual(matchesOf("draw a picture"), ["image_generate", "photo_album"]);
  assert.deepEqual(matchesOf("photo"), ["photo_album", "image_generate"]);
  assert.equal(matchesOf("mail to the boss")[0], "gmail_send");
  assert.equal(matchesOf("appointment")[0], "calendar_create_event");
});

test("everyday words for a task lead to the right tool", () => {
  const expected: Readonly<Record<string, string>> = {
    "create issue": "mcp_github_create_issue",
    "creating issues": "mcp_github_create_issue",
    "I want to open an issue on GitHub": "mcp_github_create_issue",
    repositories: "mcp_github_list_repos",
    repo: "mcp_github_list_repos",
    "send mail": "sendMail",
    recipients: "sendMail",
    image_generate: "image-generate",
    "generation of images": "image-generate",
    picture: "image-generate",
    "aspect ratio": "image-generate",
    "web search": "websearch",
    pictrue: "image-generate",
    tranlsate: "translate",
    sensors: "ha_get_state",
    "light switch": "ha_get_state",
    翻译: "translate",
    语言: "translate",
  };
  for (const [query, name] of Object.entries(expected)) assert.equal(best(query), name, query);
});

test("the exact name ranks first in any spelling", () => {
  for (const query of ["mcp_github_list_repos", "MCP-GitHub-list-repos", "mcp github list repos"]) {
    assert.equal(best(query), "mcp_github_list_repos");
  }
});

test("a part of a name matches if no word does", () => {
  assert.equal(best("bsear"), "websearch");
});

test("a query without matches returns nothing", () => {
  for (const query of ["", "   ", "xyzzyplugh", "the of and", "!!!", "\u0000", "\ud800"]) {
    assert.deepEqual(index.search(query, 5), [], JSON.stringify(query));
  }
  assert.deepEqual(createSearchIndex([]).search("anything", 5), []);
});

test("the limit applies and ties are sorted by name", () => {
  const same = ["c", "a", "b"].map((name) => searchable(`tool_${name}`, "Paints."));
  const names = (limit: number) =>
    createSearchIndex(same)
      .search("paint", limit)
      .map(({ name }) => name);
  assert.deepEqual(names(2), ["tool_a", "tool_b"]);
  assert.deepEqual(names(5), ["tool_a", "tool_b", "tool_c"]);
});

const anyUnits = fc.array(fc.nat(0xffff), { maxLength: 300 }).map((units) => String.fromCharCode(...units));

test("any query gives a deterministic result with descending scores", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 300 }), anyUnits), (query) => {
      const matches = index.search(query, 10);
      assert.deepEqual(index.search(query, 10), matches);
      for (const [index, { score }] of matches.entries()) assert.ok(index === 0 || score <= matches[index - 1]!.score);
    }),
  );
});

test("the time of a search grows at most linearly with the length of the query", async () => {
  await assertGrowsLinearly(1_000_000, (size) => index.search("create issue ".repeat(size / 13), 5));
  await assertGrowsLinearly(1_000_000, (size) => index.search("x".repeat(size), 5));
});

test("a name is split into the same words in every naming style", () => {
  const words = ["creat", "pull", "request"];
  for (const name of ["create_pull_request", "createPullRequests", "Create-Pull-Request", "creating pulled requests"]) {
    assert.deepEqual(wordsOf(name), words, name);
  }
  assert.deepEqual(wordsOf("HTTPServer"), ["http", "server"]);
});
