import assert from "node:assert/strict";
import { test } from "node:test";

import { slashRun } from "../../test/support/slash-run.ts";
import { asId, type SessionId } from "../base/ids.ts";
import { err, ok } from "../base/result.ts";
import type { SkillDesk } from "../contracts/knowledge/skill.ts";
import type { OperationServices } from "../operations/operation.ts";
import { builtinCommands } from "./builtin-commands.ts";
import { nameCompletions } from "./resolve-command.ts";
import { runCommand } from "./run-command.ts";
import type { SlashContext } from "./slash-command.ts";

const unknown = () => err({ kind: "unknown" as const, message: "There is none." });
const changed = { skill: "mine", action: "edit" as const, folder: "/h/mine", entry: 3, diff: "-a\n+b" };

function context(confirms = true): { readonly ctx: SlashContext; readonly done: readonly string[] } {
  const done: string[] = [];
  const desk: SkillDesk = {
    list: async () => ({
      skills: [{ name: "mine", description: "About mine.", origin: "user", tags: [] }],
      hidden: [{ name: "evil", why: "it looks dangerous" }],
      categories: [],
    }),
    view: async (name) => (name === "mine" ? err({ kind: "failed", message: "cannot be read" }) : unknown()),
    usable: () => [{ name: "mine", description: "About mine." }],
    use: async (name, request) => (name === "mine" || name === "st" ? ok(`text of ${name}: ${request}`) : unknown()),
    preload: async () => unknown(),
    pending: async () => [{ skill: "mine", at: 0, by: "background", files: ["SKILL.md"] }],
    pendingDiff: async (name) => (name === "mine" ? ok("-a\n+b") : unknown()),
    async approve(name, force) {
      done.push(`approve ${name} ${force}`);
      return ok(changed);
    },
    async reject(name) {
      done.push(`reject ${name}`);
      return ok(undefined);
    },
    history: async (name) =>
      name === "mine" ? [{ number: 3, at: 0, by: "model", action: "edit", files: ["SKILL.md"], diff: "" }] : [],
    async undo(name, { force }) {
      done.push(`undo ${name} ${force}`);
      return ok({ ...changed, undid: 3 });
    },
  };
  const opened = async () => ({
    library: () => ({ list: (_query: object, signal: AbortSignal) => desk.list(signal) }),
  });
  // Only what these operations use is there.
  const skills = { desk, opened } as unknown as OperationServices["skills"];
  const ctx: SlashContext = {
    run: slashRun({ skills }),
    sessionId: asId<SessionId>("ses_1"),
    commands: builtinCommands,
    answersAs: "the test",
    columns: 80,
    confirm: async () => confirms,
    signal: new AbortController().signal,
  };
  return { ctx, done };
}

const reply = async (line: string, confirms = true) =>
  (await runCommand(line, true, { turn: undefined }, context(confirms).ctx)).text;

test("a skill is used by its name with what was typed, and commands of that name come first", async () => {
  const { ctx } = context();
  const used = await runCommand("/mine tidy up\nplease", true, { turn: undefined }, ctx);
  assert.deepEqual(used.effect, { kind: "prompt", content: [{ type: "text", text: "text of mine: tidy up\nplease" }] });
  const shorter = await runCommand("/st", true, { turn: undefined }, ctx);
  assert.deepEqual(shorter.effect, { kind: "prompt", content: [{ type: "text", text: "text of st: " }] });
  assert.match(
    await reply("/skills"),
    /mine +About mine\.[\s\S]*Not offered here:\n +evil: it looks dangerous[\s\S]*1 pending change/u,
  );
  assert.match(await reply("/minee"), /Did you mean \/mine\?/u);
});

test("changes that wait are shown, taken and dropped, and made ones taken back after a question", async () => {
  assert.match(await reply("/skills pending"), /mine +SKILL\.md \(background\)/u);
  assert.equal(await reply("/skills diff mine"), "-a\n+b");
  assert.match(await reply("/skills history mine"), /3 +1970-01-01T00:00 edit by model: SKILL\.md/u);
  const { ctx, done } = context();
  for (const line of [
    "/skills approve mine",
    "/skills approve mine --force",
    "/skills reject mine",
    "/skills undo mine",
  ])
    await runCommand(line, true, { turn: undefined }, ctx);
  assert.deepEqual(done, ["approve mine false", "approve mine true", "reject mine", "undo mine false"]);
  assert.equal(await reply("/skills undo mine", false), "Nothing was undone.");
});

test("what is not there or not understood is said", async () => {
  const { ctx } = context();
  for (const line of ["/skills view none", "/skills dance", "/skills use none", "/skills diff none", "/skills undo"])
    assert.equal((await runCommand(line, true, { turn: undefined }, ctx)).failed, true, line);
});

test("names of skills complete a line", () => {
  const usable = [{ name: "code-review" }, { name: "codebase-tour" }, { name: "one/notes" }];
  assert.deepEqual(nameCompletions("/code", usable), ["/code-review ", "/codebase-tour "]);
  assert.deepEqual(nameCompletions("/o", usable), []);
  assert.deepEqual(nameCompletions("/", usable), []);
  assert.deepEqual(nameCompletions("/code-review x", usable), []);
});
