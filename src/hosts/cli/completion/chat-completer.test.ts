import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { ok } from "../../../base/result.ts";
import type { SlashContext } from "../../../commands/slash-command.ts";
import type { Command } from "../../../contracts/host/command.ts";
import type { RunOperation } from "../../../operations/run-operation.ts";
import { createChatCompleter } from "./chat-completer.ts";

const command = (name: string, more: Partial<Command> = {}): Command => ({
  name,
  summary: `about ${name}`,
  run: async () => ({ text: "" }),
  ...more,
});

/** Outputs of the fake operations, by name. */
function completing(outputs: Readonly<Record<string, object>> = {}) {
  // These replace the real operations of the same names.
  const run = (async (name: string) => ok(outputs[name] ?? {})) as unknown as RunOperation;
  const completer = createChatCompleter({
    commands: () => [
      command("help"),
      command("history", { args: "[count]" }),
      command("busy", { args: "[queue|steer|interrupt|status] [--global]" }),
      command("skin", { args: "[name]", choices: async () => [{ value: "ares", summary: "red" }, "mono"] }),
      command("goal", { args: "<text> | status | draft <text> | gate add CMD, list | wait PID" }),
      command("new", { aliases: ["reset"], args: "[title]" }),
    ],
    names: () => [{ name: "review-code", description: "a skill" }],
    run: () => run,
    slash: () => ({}) as SlashContext,
    hasServers: () => outputs["servers.prompts"] !== undefined,
    folder: () => "/nowhere",
    clock: fakeClock(),
  });
  const labels = (offer: { readonly items: readonly { readonly label: string }[] } | undefined) =>
    offer?.items.map(({ label }) => label);
  const signal = new AbortController().signal;
  return {
    completer,
    now: (before: string) => labels(completer.now(before)),
    later: async (before: string) => labels(await completer.later?.(before, signal)),
    signal,
  };
}

test("names of commands and skills match fuzzily, prefixes first; aliases complete to their command", () => {
  const { now, completer } = completing();
  assert.deepEqual(now("/h"), ["/help", "/history"]);
  assert.deepEqual(now("/rvw"), ["/review-code"]);
  assert.deepEqual(now("/reset"), ["/new"]);
  assert.deepEqual(completer.now("/hel")?.items[0], {
    name: "help",
    label: "/help",
    detail: "about help",
    insert: "/help",
    isWhole: true,
  });
  assert.equal(now("hello"), undefined);
  assert.equal(now("/usr/bin"), undefined);
});

test("argument completions come from the command, or else from its usage text", async () => {
  const { now, later, completer } = completing();
  assert.deepEqual(now("/busy "), ["queue", "steer", "interrupt", "status"]);
  assert.deepEqual(now("/busy st"), ["steer", "status"]);
  assert.equal(completer.now("/busy ")?.help, "/busy [queue|steer|interrupt|status] [--global] · about busy");
  assert.deepEqual(now("/goal "), ["status", "draft", "gate", "wait"]);
  assert.deepEqual(now("/history "), []);
  assert.deepEqual(now("/skin "), []);
  assert.deepEqual(await later("/skin m"), ["mono"]);
});

test("prompts of MCP servers are completed too", async () => {
  const prompts = [{ name: "lab:summary", description: "of a server" }];
  const { later } = completing({ "servers.prompts": { prompts }, "servers.completions": { lines: [] } });
  assert.deepEqual(await later("/lab"), ["/lab:summary"]);
});

test("an @ lists kinds of references and files; names with spaces are quoted", async () => {
  const files = ["src/editor.ts", "src/edit/undo.ts", "my notes.md", "README.md"];
  const { now, later, completer, signal } = completing({ "references.files": { folder: "/nowhere", files } });
  assert.deepEqual(now("see @f"), ["@file:", "@folder:"]);
  assert.deepEqual(now("@git:1"), ["@git:1", "@git:10"]);
  assert.deepEqual(await later("see @undo"), ["@src/edit/undo.ts"]);
  assert.deepEqual((await later("@edit"))?.slice(0, 2), ["@src/editor.ts", "@src/edit/undo.ts"]);
  assert.deepEqual(await later("@folder:e"), ["@folder:src/edit/"]);
  const offer = await completer.later?.("@file:note", signal);
  assert.deepEqual([offer?.from, offer?.items[0]?.insert], [0, '@file:"my notes.md" ']);
  assert.equal(now("me@example"), undefined);
});

test("Enter accepts a file only if it continues the typed word", async () => {
  const { completer, signal } = completing({ "references.files": { folder: "/nowhere", files: ["src/a/licence.ts"] } });
  assert.equal((await completer.later?.("@alice", signal))?.takesFirst, false);
  assert.equal((await completer.later?.("@lic", signal))?.takesFirst, true);
});
