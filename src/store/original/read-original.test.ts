import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { originalVersions, type OriginalRows, writeOriginalDatabase } from "../../../test/support/original-database.ts";
import { createHistory } from "../../kernel/loop/record/history.ts";
import { openOriginal } from "./open-original.ts";
import { originalSessions } from "./read-original.ts";

const owner = { id: "local:anna" };

const rows: OriginalRows = {
  sessions: [
    // The child is inserted first, because a child may be older than its parent.
    { id: "20260102_090000_bbbbbb", source: "cli", started_at: 100, parent_session_id: "20260101_090000_aaaaaa" },
    {
      id: "20260101_090000_aaaaaa",
      source: "cli",
      started_at: 200,
      title: "Grüße",
      model: "claude",
      cwd: "/srv/app",
      input_tokens: 70,
      output_tokens: 7,
      estimated_cost_usd: 0.5,
    },
    { id: "20260103_090000_cccccc", source: "telegram", user_id: "4711", started_at: 300, archived: 1 },
  ],
  messages: [
    message("20260101_090000_aaaaaa", "user", "old question", { active: 0, compacted: 1 }),
    message("20260101_090000_aaaaaa", "assistant", "old answer", { active: 0, compacted: 1 }),
    message("20260101_090000_aaaaaa", "user", "[summary] of what was"),
    message("20260101_090000_aaaaaa", "assistant", "", {
      reasoning: "let me look",
      tool_calls: JSON.stringify([
        { id: "call_1", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } },
      ]),
    }),
    message("20260101_090000_aaaaaa", "tool", "a.txt", { tool_call_id: "call_1", tool_name: "terminal" }),
    message("20260101_090000_aaaaaa", "user", "undone", { active: 0 }),
    message("20260101_090000_aaaaaa", "assistant", "undone too", { active: 0 }),
    message("20260101_090000_aaaaaa", "user", "and now?"),
    message("20260101_090000_aaaaaa", "assistant", "done 世界"),
    message("20260103_090000_cccccc", "system", "prompt"),
    message(
      "20260103_090000_cccccc",
      "user",
      JSON.stringify([
        { type: "text", text: "what is it" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ]),
    ),
  ],
  usage: [
    {
      session_id: "20260101_090000_aaaaaa",
      model: "claude",
      billing_provider: "anthropic",
      task: "",
      input_tokens: 70,
      output_tokens: 7,
      actual_cost_usd: 0.25,
      estimated_cost_usd: 0.5,
    },
  ],
};

for (const version of originalVersions) {
  test(`version ${version} of the original's store is read without changing any file`, async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "state.db");
      writeOriginalDatabase(path, version, rows);
      const before = [readdirSync(folder), readFileSync(path)];
      const opened = await openOriginal(path);
      assert.ok(opened.ok);
      assert.equal(opened.value.version, version);
      const sessions = [...originalSessions(opened.value.database, owner)];
      const parts = sessions.map((each) => ({ ...each.session, entries: each.entries() }));
      opened.value[Symbol.dispose]();
      assert.deepEqual([readdirSync(folder), readFileSync(path)], before);

      assert.deepEqual(
        parts.map(({ id, principal, parent }) => [id, principal.id, parent]),
        [
          ["20260101_090000_aaaaaa", "local:anna", undefined],
          ["20260102_090000_bbbbbb", "local:anna", "20260101_090000_aaaaaa"],
          ["20260103_090000_cccccc", "telegram:4711", undefined],
        ],
      );
      const [first, , third] = parts;
      assert.equal(first?.title, "Grüße");
      assert.equal(first.cwd, version >= 16 ? "/srv/app" : undefined);
      const texts = createHistory(onPath(first.entries)).messages.map(({ role, content }) => {
        const [part] = content;
        return `${role}: ${part?.type === "text" ? part.text : ""}`;
      });
      // Version 11 has no column that hides messages.
      const hidden = (lines: readonly string[]) => (version >= 16 ? [] : lines);
      assert.deepEqual(texts, [
        ...hidden(["user: old question", "assistant: old answer"]),
        "user: [summary] of what was",
        "assistant: ",
        "tool: a.txt",
        ...hidden(["user: undone", "assistant: undone too"]),
        "user: and now?",
        "assistant: done 世界",
      ]);
      const all = first.entries.flatMap((entry) => (entry.type === "message" ? entry.message.content : []));
      assert.ok(
        all.some((part) => part.type === "text" && part.text === "undone"),
        "nothing is left out",
      );
      const usage = first.entries.find((entry) => entry.type === "usage");
      assert.equal(usage?.usage.costUsd, version >= 20 ? 0.25 : 0.5);
      assert.deepEqual(third?.entries[0]?.type === "message" && third.entries[0].message.content, [
        { type: "text", text: "what is it" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
      ]);
    });
  });
}

test("a database with a write-ahead log is read completely, from a copy", async () => {
  await inFolder(async (folder) => {
    const { DatabaseSync } = await import("node:sqlite");
    const path = join(folder, "state.db");
    writeOriginalDatabase(path, 25, rows);
    using writer = new DatabaseSync(path);
    writer.exec("INSERT INTO sessions (id, source, started_at) VALUES ('20260104_090000_dddddd', 'cli', 400)");
    const before = readdirSync(folder);
    const opened = await openOriginal(path);
    assert.ok(opened.ok);
    using original = opened.value;
    const ids = Array.from(originalSessions(original.database, owner), ({ session }) => session.id);
    assert.ok(ids.some((id) => id === "20260104_090000_dddddd"));
    assert.deepEqual(readdirSync(folder), before);
  });
});

test("a file that is not a Hermes database is rejected with a reason", async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "text.db"), "no database at all, but long enough to look at it");
    const text = await openOriginal(join(folder, "text.db"));
    assert.ok(!text.ok && /cannot be read/u.test(text.error.message));
    const missing = await openOriginal(join(folder, "none.db"));
    assert.ok(!missing.ok && /does not exist/u.test(missing.error.message));
  });
});

function message(session: string, role: string, content: string, more: Record<string, string | number> = {}) {
  return { session_id: session, role, content, timestamp: 1_700_000_000, active: 1, compacted: 0, ...more };
}

function onPath<E extends { readonly id: string; readonly parent?: string }>(entries: readonly E[]): readonly E[] {
  const byId = new Map<string, E>(entries.map((entry) => [entry.id, entry]));
  const path: E[] = [];
  for (let index = entries.at(-1); index; index = index.parent === undefined ? undefined : byId.get(index.parent))
    path.push(index);
  return path.toReversed();
}

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-original-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
