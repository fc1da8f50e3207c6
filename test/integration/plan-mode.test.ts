// covers: src/sessions, src/runtime/session, src/commands/goals, src/safety/policy
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { planSteps } from "../../src/sessions/plan-mode.ts";
import { type RequestWithoutModel, type ScriptedAnswer, scriptedModel } from "../support/scripted-model.ts";
import { slashSession } from "../support/slash-session.ts";
import { tempHome } from "../support/temp-home.ts";

const program = join(import.meta.dirname, "..", "fixtures", "mcp-servers", "writer.mjs");

/** Every way to change something, each in a separate call. */
const attacks: readonly { readonly name: string; readonly args: JsonObject }[] = [
  { name: "write_file", args: { path: "stolen-1", content: "x" } },
  { name: "patch", args: { mode: "replace", path: "kept.txt", old_string: "kept", new_string: "lost" } },
  { name: "terminal", args: { command: "touch stolen-2" } },
  { name: "terminal", args: { command: "echo x > stolen-3; rm kept.txt" } },
  { name: "terminal", args: { command: "touch stolen-4", background: true } },
  { name: "terminal", args: { command: "touch stolen-5", outside: true } },
  { name: "terminal", args: { command: "cat kept.txt | tee stolen-6" } },
  { name: "execute_code", args: { code: "open('stolen-7', 'w').write('x')" } },
  { name: "execute_code", args: { code: "import hermes_tools as t\nprint(t.write_file('stolen-8', 'x'))" } },
  { name: "execute_code", args: { code: "import hermes_tools as t\nprint(t.terminal('touch stolen-9'))" } },
  { name: "memory", args: { action: "add", target: "memory", content: "stolen-10" } },
  { name: "skill_manage", args: { action: "create", name: "stolen-11", content: "---\nname: stolen-11\n---\nx" } },
  { name: "tool_call", args: { name: "mcp__writer__write", arguments: { name: "stolen-12" } } },
  { name: "delegate_task", args: { goal: "write the file stolen-14" } },
];

test("in plan mode no tool changes anything, in any approval mode; an approved plan fills the todo list and runs", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  await writeFile(join(folder, "kept.txt"), "kept\n");
  let step = 0;
  let isApproved = false;
  const isChild = ({ system }: RequestWithoutModel) => !JSON.stringify(system).includes("delegate_task");
  const model = scriptedModel((request): ScriptedAnswer => {
    const last = request.messages.at(-1);
    const first = JSON.stringify(request.messages[0]);
    if (first.includes("write the file stolen-14") && isChild(request))
      return last?.role === "tool"
        ? { text: "refused" }
        : { calls: [{ name: "write_file", args: { path: "stolen-14", content: "x" } }] };
    if (isApproved && last?.role === "user")
      return { calls: [{ name: "write_file", args: { path: "made.txt", content: "made\n" } }] };
    const attack = isApproved ? undefined : attacks[step++];
    return attack ? { calls: [attack] } : { text: "Do it simply.\n\n1. **Write** made.txt\n2. Check it\n   - by hand" };
  });
  await using rig = await slashSession({
    folder,
    cwd: folder,
    model,
    settings: {
      "approvals.mode": "yolo",
      mcp_discovery_timeout: 60,
      mcp_servers: { writer: { command: process.execPath, args: [program, folder] } },
    },
  });
  rig.session.approvals.attach({ name: "test", ask: async () => ({ scope: "once" }) });
  await rig.command("/plan make a file");
  await rig.command("/yolo");
  await rig.noticed(/This is the plan; nothing was changed/u);
  await rig.idle();
  const results = rig.session
    .history()
    .flatMap((message) => (message.role === "tool" ? [JSON.stringify(message.content)] : []));
  for (const [index, { name, args }] of attacks.entries()) {
    // A script without rights writes only into its own folder; its calls and those of a child are refused.
    const isRefused = /Only reading is allowed|1 denied/u.test(results[index] ?? "");
    const isOwnFolder = name === "execute_code" && JSON.stringify(args).includes("open(");
    assert.ok(isRefused || isOwnFolder, `${name} ${JSON.stringify(args)}: ${results[index]}`);
  }
  assert.equal(step, attacks.length + 1, "every attack was tried");
  const left = (await readdir(folder)).filter((name) => name.startsWith("stolen") || name === "made.txt");
  assert.deepEqual(left, []);
  assert.equal(await readFile(join(folder, "kept.txt"), "utf8"), "kept\n");
  assert.match((await rig.command("/plan show")).text, /1\. \*\*Write\*\* made\.txt/u);
  assert.deepEqual((await rig.command("/memory")).text.includes("stolen"), false);
  assert.equal(
    rig.session.history().some(({ content }) => JSON.stringify(content).includes("not available")),
    false,
  );
  isApproved = true;
  assert.match((await rig.command("/plan approve")).text, /approved: 2 steps in the todo list/u);
  await rig.idle();
  assert.deepEqual(
    rig.session.todos().map(({ content }) => content),
    ["Write made.txt", "Check it"],
  );
  assert.equal(await readFile(join(folder, "made.txt"), "utf8"), "made\n");
  assert.equal(rig.session.planning.status(), undefined);
});

test("plan mode survives a restart, and a rejected plan is not executed", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const model = scriptedModel((request) =>
    request.messages.at(-1)?.role === "tool"
      ? { text: "1. one step" }
      : { calls: [{ name: "write_file", args: { path: "early.txt", content: "x" } }] },
  );
  {
    await using rig = await slashSession({ folder, model });
    await rig.command("/plan");
  }
  await using lister = await slashSession({ folder, model, home: join(folder, ".hermes") });
  const [, newest] = await lister.runtime.sessions.list({ limit: 2 }, localPrincipal());
  assert.ok(newest);
  await using rig = await slashSession({ folder, model, session: { resume: newest.id } });
  await rig.noticed(/This session is in plan mode/u);
  await rig.ask("write early.txt");
  assert.equal((await readdir(folder)).includes("early.txt"), false);
  assert.match((await rig.command("/plan reject")).text, /Plan mode is off/u);
  await rig.ask("write early.txt");
  assert.equal((await readdir(folder)).includes("early.txt"), true);
});

test("the steps of a plan are its numbered list, or its bullets if there is none", () => {
  assert.deepEqual(planSteps("Intro\n1. a\n   - deep\n2) `b`\n- bullet"), ["a", "b"]);
  assert.deepEqual(planSteps("- a\n  - deep\n* b"), ["a", "b"]);
  assert.deepEqual(planSteps("no list"), []);
  assert.equal(planSteps("1. x\n".repeat(500)).length, 50);
  assert.ok((planSteps(`1. ${"x".repeat(1_000_000)}`)[0] ?? "").length <= 301);
});
