import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import { prepareStore } from "./open-database.ts";

test("a store that another process creates at the same moment is not mistaken for a file of another program", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const other = new DatabaseSync(path, { timeout: 0 });
  const ours = new DatabaseSync(path, { timeout: 0 });
  const prepare = ours.prepare.bind(ours);
  let tries = 0;
  ours.prepare = (sql) => {
    const statement = prepare(sql);
    if (!sql.includes("sqlite_schema")) return statement;
    tries++;
    try {
      prepareStore(other, path);
    } catch (thrown) {
      assert.match(String(thrown), /locked/u, "it has to wait while the file is read");
    }
    return statement;
  };
  prepareStore(ours, path);
  assert.equal(tries, 1);
  prepareStore(other, path);
  ours.close();
  other.close();
});
