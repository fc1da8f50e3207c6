import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { raceAgainstSwaps } from "../../test/support/swapped-folder.ts";
import { writeBackup } from "./write-backup.ts";

const none: ReadonlySet<string> = new Set();
const rules = { skipped: none, skippedIfQuick: none, secrets: none, profiles: "profiles", foreign: none };

test("a backup into a folder that a process swaps for a link leaves no temporary files anywhere", async () => {
  let left: readonly string[] = [];
  const { escaped, done } = await raceAgainstSwaps(25, async ({ home: parent, root }) => {
    const home = join(parent, "hermes");
    mkdirSync(home);
    writeFileSync(join(home, "MEMORY.md"), "text");
    using database = new DatabaseSync(join(home, "sessions.db"));
    database.exec("CREATE TABLE t (x)");
    return async (index) => {
      const written = await writeBackup({
        home,
        file: join(root, "folder", `backup-${index}.tar.gz`),
        rules,
        isQuick: false,
        facts: { createdAt: 0, version: "1", profile: "default" },
        signal: new AbortController().signal,
      });
      left = readdirSync(home).filter((name) => name.startsWith("."));
      return { isDone: written.ok };
    };
  });
  // The folder may be a link when the path is resolved: then the whole backup is there.
  assert.deepEqual(
    escaped.filter((name) => !/^backup-\d+\.tar\.gz$/u.test(name)),
    [],
  );
  assert.deepEqual(left, []);
  assert.ok(done > 0, `${done} backups`);
});
