import assert from "node:assert/strict";
import { test } from "node:test";

import { plainDisplay, slashRun } from "../../../test/support/slash-run.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import type { NamedSkills, SkillLibrary } from "../../contracts/knowledge/skill.ts";
import type { OperationServices } from "../../operations/operation.ts";
import type { SkillKeeper } from "../../skills/skill-keeper.ts";
import { builtinCommands } from "../builtin-commands.ts";
import { nameCompletions } from "../resolve-command.ts";
import { runCommand } from "../run-command.ts";
import type { SlashContext } from "../slash-command.ts";

const unknown = () => err({ kind: "no_skill" as const, message: "There is none." });
const changed = { skill: "mine", action: "edit" as const, folder: "/h/mine", entry: 3, diff: "-a\n+b" };

function context(confirms = true): { readonly ctx: SlashContext; readonly done: readonly string[] } {
  const done: string[] = [];
  const own: Pick<SkillLibrary, "list" | "view"> = {
    list: async () => ({
      skills: [{ name: "mine", description: "About mine.", origin: "user", tags: [] }],
      hidden: [{ name: "evil", why: "it looks dangerous" }],
      categories: [],
    }),
    view: async (name) => (name === "mine" ? err({ kind: "failed", message: "cannot be read" }) : unknown()),
  };
  const named: NamedSkills = {
    usable: () => [{ name: "mine", description: "About mine." }],
    use: async (name, request) => (name === "mine" || name === "st" ? ok(`text of ${name}: ${request}`) : unknown()),
    preload: async () => unknown(),
  };
  const files = { "SKILL.md": { text: "b" } };
  const about = { at: 0, path: "mine" };
  const pending = { ...about, skill: "mine", by: "background" as const, actions: ["edit" as const], seen: {}, files };
  const keeper: Pick<SkillKeeper, "pending" | "pendingDiff" | "approve" | "reject" | "history" | "undo"> = {
    pending: () => [pending],
    pendingDiff: (name) => (name === "mine" ? ok("-a\n+b") : unknown()),
    async approve(name, force) {
      done.push(`approve ${name} ${force}`);
      return ok(changed);
    },
    async reject(name) {
      done.push(`reject ${name}`);
      return ok(pending);
    },
    history: (name) =>
      name === "mine" ? [{ ...about, number: 3, by: "model", action: "edit", before: {}, after: files }] : [],
    async undo(name, { force }) {
      done.push(`undo ${name} ${force}`);
      return ok({ ...changed, undid: 3 });
    },
  };
  const opened = async () => ({ keeper, own });
  // The fake services contain only the members that these operations use.
  const skills = { named, opened } as unknown as OperationServices["skills"];
  const ctx: SlashContext = {
    run: slashRun({ skills, config: { values: { quick_commands: {} } } as never }),
    sessionId: asId<SessionId>("ses_1"),
    commands: builtinCommands,
    offered: {},
    answersAs: "the test",
    columns: 80,
    display: plainDisplay,
    confirm: async () => confirms,
    signal: new AbortController().signal,
  };
  return { ctx, done };
}

const reply = async (line: string, confirms = true) =>
  (await runCommand(line, true, { turn: undefined, stop: () => undefined }, context(confirms).ctx)).text;

test("a skill is called by its name with the rest of the line as input, and a built-in command of that name wins", async () => {
  const { ctx } = context();
  const used = await runCommand("/mine tidy up\nplease", true, { turn: undefined, stop: () => undefined }, ctx);
  assert.deepEqual(used.effect, {
    kind: "prompt",
    content: [{ type: "text", text: "text of mine: tidy up\nplease" }],
    isOrder: true,
  });
  const shorter = await runCommand("/st", true, { turn: undefined, stop: () => undefined }, ctx);
  assert.deepEqual(shorter.effect, {
    kind: "prompt",
    content: [{ type: "text", text: "text of st: " }],
    isOrder: true,
  });
  assert.match(
    await reply("/skills"),
    /mine +About mine\.[\s\S]*Not offered here:\n +evil: it looks dangerous[\s\S]*1 pending change/u,
  );
  assert.match(await reply("/minee"), /Did you mean \/mine\?/u);
});

test("pending changes are listed, approved and rejected, and an approved change is undone after confirmation", async () => {
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
    await runCommand(line, true, { turn: undefined, stop: () => undefined }, ctx);
  assert.deepEqual(done, ["approve mine false", "approve mine true", "reject mine", "undo mine false"]);
  assert.equal(await reply("/skills undo mine", false), "Nothing was undone.");
});

test("unknown skills and invalid arguments are rejected", async () => {
  const { ctx } = context();
  for (const line of ["/skills view none", "/skills dance", "/skills use none", "/skills diff none", "/skills undo"])
    assert.equal((await runCommand(line, true, { turn: undefined, stop: () => undefined }, ctx)).failed, true, line);
});

test("completion offers the names of skills", () => {
  const usable = [{ name: "code-review" }, { name: "codebase-tour" }, { name: "one/notes" }];
  assert.deepEqual(nameCompletions("/code", usable), ["/code-review ", "/codebase-tour "]);
  assert.deepEqual(nameCompletions("/o", usable), []);
  assert.deepEqual(nameCompletions("/", usable), []);
  assert.deepEqual(nameCompletions("/code-review x", usable), []);
});
