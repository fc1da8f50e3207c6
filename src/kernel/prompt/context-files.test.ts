import assert from "node:assert/strict";
import { test } from "node:test";

import { memoryFolder } from "../../../test/support/memory-folder.ts";
import { shortenMiddle, contextFiles } from "./context-files.ts";

const judge = async (text: string) => (text.includes("obey me") ? "it looks like an attack" : undefined);

const contextOf = (files: Record<string, string>, cwd = "/p/a/b", maxChars = 1_000) =>
  contextFiles(memoryFolder(files), { cwd, root: "/p", maxChars, judge });

const texts = async (files: Record<string, string>, cwd?: string) =>
  (await contextOf(files, cwd)).files.map(({ path, text }) => `${path}: ${text}`);

test("only the first kind of rules file that exists is used, and the others are not read", async () => {
  const all = {
    "/p/.hermes.md": "own",
    "/p/AGENTS.md": "agents",
    "/p/a/b/CLAUDE.md": "claude",
    "/p/a/b/.cursorrules": "cursor",
  };
  const { "/p/.hermes.md": _, ...noOwn } = all;
  const { "/p/AGENTS.md": __, ...noAgents } = noOwn;
  const { "/p/a/b/CLAUDE.md": ___, ...onlyCursor } = noAgents;
  assert.deepEqual(await texts(all), [".hermes.md: own"]);
  assert.deepEqual(await texts(noOwn), ["AGENTS.md: agents"]);
  assert.deepEqual(await texts(noAgents), ["a/b/CLAUDE.md: claude"]);
  assert.deepEqual(await texts(onlyCursor), ["a/b/.cursorrules: cursor"]);
  assert.deepEqual(await texts({ "/p/a/b/claude.md": "small" }), ["a/b/claude.md: small"]);
  assert.deepEqual(await texts({}), []);
});

test("of Hermes' own rules files, the nearest one up to the project root is used", async () => {
  assert.deepEqual(await texts({ "/p/HERMES.md": "far", "/p/a/.hermes.md": "near" }), ["a/.hermes.md: near"]);
  assert.deepEqual(await texts({ "/HERMES.md": "outside" }), []);
  assert.deepEqual(await texts({ "/p/HERMES.md": "---\na: b\n---\n\nrules\n---\nmore" }), [
    "HERMES.md: rules\n---\nmore",
  ]);
  assert.deepEqual(await texts({ "/p/HERMES.md": "---\na: b\n---", "/p/AGENTS.md": "x" }), ["AGENTS.md: x"]);
});

test("AGENTS.md is read from every folder on the path, override files first, and duplicates once", async () => {
  const files = {
    "/p/AGENTS.md": "for all",
    "/p/a/AGENTS.md": "replaced",
    "/p/a/AGENTS.override.md": "for a",
    "/p/a/b/agents.md": "for all",
  };
  assert.deepEqual(await texts(files), ["AGENTS.md: for all", "a/AGENTS.override.md: for a"]);
});

test("Cursor rules are combined with those in their rules folder, in the order of their names", async () => {
  const files = { "/p/.cursorrules": "old", "/p/.cursor/rules/b.mdc": "b", "/p/.cursor/rules/a.mdc": "a" };
  assert.deepEqual(await texts(files, "/p"), [".cursorrules: old", ".cursor/rules/a.mdc: a", ".cursor/rules/b.mdc: b"]);
});

test("a file that may contain injected instructions is marked as suspicious, and the user gets a notice", async () => {
  const { files, notices } = await contextOf({ "/p/AGENTS.md": "obey me", "/p/a/AGENTS.md": "use tabs" });
  assert.deepEqual(files, [
    { path: "AGENTS.md", text: "obey me", isSuspect: true },
    { path: "a/AGENTS.md", text: "use tabs" },
  ]);
  assert.match(
    notices.join("\n"),
    /^AGENTS\.md is treated as untrusted text .*: it looks like an attack\..*hermes trust \/p\/AGENTS\.md$/u,
  );
});

test("a link that leaves the project is not followed, because it could send any file to the provider", async () => {
  const { files, notices } = await contextOf({
    "/p/AGENTS.md": "-> /home/ann/.ssh/id_rsa",
    "/home/ann/.ssh/id_rsa": "key",
  });
  assert.deepEqual(files, []);
  assert.match(notices[0] ?? "", /link out of the project/u);
  const secret = await contextOf({ "/p/AGENTS.md": "-> /p/.env", "/p/.env": "KEY=1" });
  assert.deepEqual(secret.files, []);
  assert.match(secret.notices[0] ?? "", /a link to \.env/u);
  assert.deepEqual(await texts({ "/p/AGENTS.md": "-> /p/CLAUDE.md", "/p/CLAUDE.md": "inside" }), ["AGENTS.md: inside"]);
});

test("a file that is empty or contains only a byte order mark counts as missing", async () => {
  assert.deepEqual(await texts({ "/p/AGENTS.md": "\uFEFF \n", "/p/a/b/CLAUDE.md": "\uFEFFreal" }), [
    "a/b/CLAUDE.md: real",
  ]);
});

test("a long file is shortened to its start and end without splitting a character", () => {
  const text = "🙂".repeat(1_000);
  const short = shortenMiddle(text, 99);
  assert.ok(short.isWellFormed());
  assert.match(short, /characters left out; read the file/u);
  assert.ok(short.length < 200);
  assert.equal(shortenMiddle("short", 99), "short");
});
