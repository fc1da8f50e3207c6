import assert from "node:assert/strict";
import { test } from "node:test";

import { dispatchRig } from "../../../test/support/dispatch-rig.ts";
import { asId, type SessionId, type TurnId } from "../../base/ids.ts";
import type { PendingCall } from "../../contracts/tool/dispatch.ts";
import { fail, json, text, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { createVerification, isCheck } from "./verification.ts";

function rig(verifyOnStop = true) {
  const { hooks } = dispatchRig([]);
  const verification = createVerification({
    verifyOnStop,
    sessionId: asId<SessionId>("ses"),
    hooks,
    model: () => ({ model: "m" }),
  });
  verification.begin();
  const note = (name: string, args: object, effects: PendingCall["effects"], result: ToolResult) =>
    verification.note({ tool: { name }, prepared: { args }, effects } as unknown as PendingCall, result);
  return {
    hooks,
    verification,
    write: (path: string, result: ToolResult = text("ok")) =>
      note("write_file", { path }, [{ kind: "write", path }], result),
    run: (command: string, exitCode = 0) => note("terminal", { command }, [], json({ exit_code: exitCode })),
    ask: () => verification.unfinished({ turnId: asId<TurnId>("turn"), answer: "Done.", attempt: 0 }),
  };
}

test("unchecked code changes are mentioned once for each set of changes", async () => {
  const { write, ask } = rig();
  write("/p/a.ts");
  assert.match((await ask()) ?? "", /changed a\.ts and have not checked/u);
  assert.equal(await ask(), undefined);
  write("/p/b.py");
  assert.match((await ask()) ?? "", /changed b\.py/u);
});

test("a check that runs after the change counts, whatever its result, and a check before the change does not", async () => {
  const { write, run, ask } = rig();
  run("npm test");
  write("/p/a.ts");
  run("npm test", 1);
  assert.equal(await ask(), undefined);
  write("/p/a.ts");
  assert.ok(await ask());
});

test("no check is required for documents, failed writes, or when the setting is off", async () => {
  const { write, ask } = rig();
  write("/p/notes.md");
  write("/p/a.ts", fail("no"));
  assert.equal(await ask(), undefined);
  const off = rig(false);
  off.write("/p/a.ts");
  assert.equal(await off.ask(), undefined);
});

test("a hook can continue a turn that changed files", async () => {
  const { hooks, write, ask } = rig(false);
  hooks.add("test", { beforeVerify: ({ changedPaths }) => ({ continueWith: `look at ${changedPaths.join()}` }) });
  assert.equal(await ask(), undefined);
  write("/p/a.ts");
  assert.equal(await ask(), "look at /p/a.ts");
});

test("files that could not be changed are listed at the end, unless a later attempt succeeded or a person denied the change", () => {
  const { write, verification } = rig();
  write("/p/a.ts", fail("the text was not found"));
  write("/p/b.ts", fail("it changed meanwhile"));
  write("/p/c.ts", fail("nobody allowed it", "denied"));
  write("/p/b.ts");
  assert.deepEqual(verification.leftovers(), {
    text: "1 file could not be changed in this turn: /p/a.ts (the text was not found)",
    unwritten: ["/p/a.ts"],
  });
  verification.begin();
  assert.equal(verification.leftovers(), undefined);
});

test("commands that test, build or lint are recognised by their names", () => {
  for (const command of [
    "npm test",
    "cd app && pnpm run lint",
    "cargo clippy --all",
    "go vet ./...",
    "python -m pytest -q tests",
    "node --test src/a.test.ts",
    "./gradlew build",
    "node_modules/.bin/tsc -p .",
    "make",
    "uv run ruff check",
  ]) {
    assert.ok(isCheck(command), command);
  }
  for (const command of ["ls", "cat test.txt", "git commit -m 'test'", "npm install", "echo build", "node server.js"]) {
    assert.ok(!isCheck(command), command);
  }
});
