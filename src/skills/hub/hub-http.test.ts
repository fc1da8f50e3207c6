import assert from "node:assert/strict";
import { test } from "node:test";

import { ok } from "../../base/result.ts";
import { createHubHttp } from "./hub-http.ts";

const { signal } = new AbortController();

test("a list that names a file twice, or one outside the folder, is refused before it is fetched", async () => {
  const fetched: string[] = [];
  const http = createHubHttp({
    async fetch({ url }) {
      fetched.push(url);
      return ok({ url, status: 200, headers: {}, body: Buffer.from("text") });
    },
  });
  const files = (...paths: readonly string[]) =>
    http.files(
      paths.map((path, at) => ({ path, url: `https://site.example/${at}` })),
      signal,
    );
  const whys = [];
  for (const path of ["skill.md", "../up", "/etc/x", "a/./b", "C:x", "a\\..\\..\\b"]) {
    const found = await files("SKILL.md", path);
    whys.push(found.ok ? "taken" : found.error.message.replace(/ ".*"/u, ""));
  }
  assert.deepEqual(whys, ["it names twice", ...Array<string>(5).fill("it names a file outside its folder:")]);
  assert.deepEqual([...new Set(fetched)], ["https://site.example/0"]);
  assert.ok((await files("SKILL.md", "a/SKILL.md")).ok);
});
