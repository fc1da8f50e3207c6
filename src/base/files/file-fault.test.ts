import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { describeFault, FileError } from "./file-fault.ts";

test("every common error code has a message with the path and a hint", () => {
  const codes = "ENOENT EACCES EPERM EROFS ENOSPC EDQUOT EISDIR ENOTDIR EEXIST EMFILE ELOOP ENAMETOOLONG".split(" ");
  for (const code of codes) {
    const fault = describeFault(new FileError(code), "/a/file");
    assert.equal(fault.code, code);
    assert.match(fault.message, /^\/a\/file .+; .+[a-z)]$/u);
  }
});

test("an error of the system is described by its code", async () => {
  const thrown = await readFile("/nowhere/at/all").catch((error: unknown) => error);
  assert.deepEqual(describeFault(thrown, "/nowhere/at/all"), {
    code: "ENOENT",
    message: "/nowhere/at/all does not exist; check the path",
  });
});

test("any other error keeps its own message", () => {
  const odd = [new Error("odd"), "a string", undefined, new FileError("toString"), new FileError("__proto__")];
  assert.deepEqual(
    odd.map((error) => describeFault(error, "f")),
    [
      { code: "EUNKNOWN", message: "f could not be used: odd" },
      { code: "EUNKNOWN", message: "f could not be used: a string" },
      { code: "EUNKNOWN", message: "f could not be used: undefined" },
      { code: "toString", message: "f could not be used: toString" },
      { code: "__proto__", message: "f could not be used: __proto__" },
    ],
  );
});
