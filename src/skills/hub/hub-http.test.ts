import assert from "node:assert/strict";
import { test } from "node:test";

import { assertFails } from "../../../test/support/failure.ts";
import { sha256 } from "../../base/digest.ts";
import { ok } from "../../base/result.ts";
import { createGitHub } from "./github-source.ts";
import { createHubHttp } from "./hub-http.ts";
import { createClawHub } from "./market-sources.ts";

const { signal } = new AbortController();

test("a file list that names a file twice, or a file outside the folder, is refused before the download", async () => {
  const fetched: string[] = [];
  const http = createHubHttp({
    async fetch({ url }) {
      fetched.push(url);
      return ok({ url, status: 200, headers: {}, body: Buffer.from("text") });
    },
  });
  const files = (...paths: readonly string[]) =>
    http.files(
      paths.map((path, index) => ({ path, url: `https://site.example/${index}` })),
      signal,
    );
  const whys = [];
  for (const path of ["skill.md", "SKILL.md/x", "../up", "/etc/x", "a/./b", "C:x", "a\\..\\..\\b", "x".repeat(300)]) {
    const result = await files("SKILL.md", path);
    whys.push(result.ok ? "taken" : result.error.message.replace(/ ".*"/u, ""));
  }
  assert.deepEqual(whys, [
    ...Array<string>(2).fill("it names twice, or as a file and as a folder"),
    ...Array<string>(6).fill("it names a file outside its folder:"),
  ]);
  assert.deepEqual([...new Set(fetched)], ["https://site.example/0"]);
  assert.ok((await files("SKILL.md", "a/SKILL.md")).ok);
});

/** Responds to URLs with these endings, with JSON or raw text. */
function answering(answers: Readonly<Record<string, unknown>>) {
  return createHubHttp({
    async fetch({ url }) {
      const [, reply] = Object.entries(answers).find(([end]) => url.endsWith(end)) ?? [];
      const body = Buffer.from(typeof reply === "string" ? reply : JSON.stringify(reply ?? {}));
      return ok({ url, status: reply === undefined ? 404 : 200, headers: {}, body });
    },
  });
}

test("a file that differs from its registry's list, or has half a character in its name, is refused", async () => {
  const text = "---\nname: wave\ndescription: Waves\n---\nHello\n";
  const fetched = (file: Readonly<Record<string, string>>) =>
    createClawHub(
      answering({
        "/skills/wave": { latestVersion: { version: "1" } },
        "/versions/1": { version: { files: [file] } },
        "path=SKILL.md&version=1": text,
      }),
      "https://claw.example",
    ).fetch("clawhub:wave", signal);
  assert.ok((await fetched({ path: "SKILL.md", sha256: sha256(text) })).ok);
  assert.ok((await fetched({ path: "SKILL.md" })).ok);
  const other = await fetched({ path: "SKILL.md", sha256: sha256("other") });
  assert.match(other.ok ? "" : other.error.message, /does not match the hash/u);
  assertFails(await fetched({ path: "\ud800" }), /answered 404/u);
});

test("a repository that GitHub does not list completely is not installed in part", async () => {
  const github = createGitHub({
    http: answering({
      "/commits/HEAD": { sha: "0123456789abcdef" },
      "?recursive=1": { truncated: true, tree: [{ path: "greet/SKILL.md", type: "blob", mode: "100644" }] },
      "SKILL.md": "---\nname: greet\ndescription: Greets\n---\nHello\n",
    }),
    api: "https://api.example",
    raw: "https://raw.example",
    token: undefined,
    taps: async () => [],
  });
  const result = await github.fetch("github:acme/skills/greet", signal);
  assert.match(result.ok ? "" : result.error.message, /install git:https:\/\/github\.com\/acme\/skills#greet instead/u);
});
