import assert from "node:assert/strict";
import { test } from "node:test";

import { grantWarning } from "./grant-warning.ts";

const places = { person: { home: "/home/ada", userId: 1000, env: {} }, hermesHomes: ["/home/ada/.hermes"] };
const warningOf = (permission: "read" | "write", path: string) => grantWarning(permission, path, places) ?? "";

test("granting a plugin access to keys, private data, files of Hermes or start-up files causes a warning, and other paths do not", () => {
  for (const name of [
    ".ssh/id_x",
    ".aws/credentials",
    ".mozilla/x",
    ".bash_history",
    "work/.env",
    "work/id_rsa",
    ".ssh",
  ])
    assert.match(warningOf("read", `/home/ada/${name}`), /may hold keys/u, name);
  for (const name of [".hermes/plugins/other/index.ts", ".hermes"])
    assert.match(warningOf("write", `/home/ada/${name}`), /belongs to Hermes/u, name);
  for (const name of [".bashrc", "work/.git/hooks/pre-commit"]) {
    assert.match(warningOf("write", `/home/ada/${name}`), /can run code as you/u, name);
    assert.equal(warningOf("read", `/home/ada/${name}`), "", name);
  }
  for (const name of ["notes", "notes/keys.md", "work/src/index.ts"])
    assert.equal(warningOf("write", `/home/ada/${name}`), "", name);
});
