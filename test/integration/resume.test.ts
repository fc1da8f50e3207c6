// covers: src/hosts, src/commands, src/store, src/runtime
import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runHere } from "../support/run-here.ts";
import { atTerminal } from "../support/talking-program.ts";
import { tempHome } from "../support/temp-home.ts";

/** Two folders and the built-in model. */
async function twoFolders() {
  const folder = await tempHome();
  const [first, second] = [join(folder.path, "first"), join(folder.path, "second")];
  await mkdir(first);
  await mkdir(second);
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder.path, HERMES_HOME: join(folder.path, "home") };
  return {
    first,
    second,
    run: (cwd: string, ...args: readonly string[]) => runHere({ work: cwd, env }, args),
    terminal: (cwd: string, ...args: readonly string[]) => atTerminal(args, cwd, env),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Says one thing in a chat and leaves; returns everything shown. */
async function talk(terminal: ReturnType<typeof atTerminal>, ...lines: readonly string[]): Promise<string> {
  await using chat = terminal;
  await chat.until("❯");
  for (const line of lines) {
    chat.type(`${line}\r`);
    await chat.until(/offline\/rules · \d|session \d{8}_\S+ · |\/resume NUMBER/u);
  }
  chat.type("/quit\r");
  await chat.code;
  return chat.said();
}

test("--continue resumes a conversation of this folder, never a one-shot, and mentions a newer one elsewhere", async () => {
  await using at = await twoFolders();
  assert.equal((await at.run(at.first, "-z", "say one-shot")).code, 0);
  const alone = await at.run(at.first, "-c", "-z", "say more");
  assert.equal(alone.code, 1);
  assert.match(
    alone.stderr,
    /There is no conversation in .*first\.\nThe newest session is one prompt in .*first: hermes -r \S+ \(say one-shot\)/u,
  );
  await talk(at.terminal(at.first), "say alpha");
  assert.equal((await at.run(at.first, "-z", "say one-shot")).code, 0);
  const elsewhere = await at.run(at.second, "--continue", "-z", "say more");
  assert.equal(elsewhere.code, 1);
  const id =
    /^The newest conversation is in .*first: hermes -r (\S+) \(say alpha\)$/mu.exec(elsewhere.stderr)?.[1] ?? "";
  const here = await talk(at.terminal(at.first, "--continue"), "run pwd");
  assert.match(here, new RegExp(`first · ${id}`, "u"));
  assert.doesNotMatch(here, /note:/u);
  const listed = await at.run(at.first, "sessions", "list");
  assert.deepEqual(
    listed.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ", 1)[0]),
    [id],
  );
  assert.equal((await at.run(at.first, "sessions", "list", "--all")).stdout.trim().split("\n").length, 3);
});

test("resuming a session of another folder prints a notice, and banner and tools agree on the folder", async () => {
  await using at = await twoFolders();
  await talk(at.terminal(at.first), "say alpha");
  const resumed = await talk(at.terminal(at.second, "-r", "latest"), "run pwd");
  assert.match(
    resumed,
    /note: This session works in \S+first\.\s+To use the current folder: hermes -r \S+\s+--cwd \./u,
  );
  assert.match(resumed, /Hermes \S+ · offline\/rules \(no AI\) · \S+first · /u);
  const moved = await talk(at.terminal(at.second, "-r", "latest", "--cwd", "."), "run pwd");
  assert.match(moved, /note: This session started in \S+first and now works in\s+\S+second\./u);
  assert.match(moved, /Hermes \S+ · offline\/rules \(no AI\) · \S+second · /u);
  const set = await talk(at.terminal(at.second, "-r", "latest", "--set", `terminal.cwd=${at.first}`, "--cwd", "."));
  assert.match(set, /Hermes \S+ · offline\/rules \(no AI\) · \S+first · /u);
  await rm(at.first, { recursive: true });
  const removed = await talk(at.terminal(at.second, "-r", "latest"), "run pwd");
  assert.match(
    removed,
    /note: The folder of this session no longer exists\s+\(\S+first\): it now works in\s+\S+second\./u,
  );
});

test("/resume lists number, id, age and folder; the number selects from the shown list; a resumed one-shot becomes a conversation", async () => {
  await using at = await twoFolders();
  await talk(at.terminal(at.first), "say alpha");
  await at.run(at.second, "-z", "say one-shot");
  await talk(at.terminal(at.second, "-r", "latest"), "say beta");
  const shown = await talk(at.terminal(at.second), "/resume", "/resume 2");
  assert.match(
    shown,
    / 1 {2}\d{8}_\S+ {2}\d+ s ago · \S+second · \d messages · say beta\r?\n {3}2 {2}\d{8}_\S+ {2}\d+ s ago · \S+first · \d messages · say alpha/u,
  );
  assert.match(shown, /session \d{8}_\S+ · \S+first/u);
});
