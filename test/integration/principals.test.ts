// covers: src/runtime, src/sessions, src/safety, src/store, src/kernel
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { Answer, PendingApproval } from "../../src/contracts/safety/approval.ts";
import type { Principal } from "../../src/contracts/safety/principal.ts";
import type { Runtime, Session } from "../../src/contracts/session/runtime.ts";
import { assertFails } from "../support/failure.ts";
import { call, obedientModel, say } from "../support/obedient-model.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { tempHome } from "../support/temp-home.ts";

const anna: Principal = { id: "chat:anna" };
const bob: Principal = { id: "chat:bob" };
const { signal } = new AbortController();

interface Scene extends AsyncDisposable {
  readonly folder: string;
  readonly runtime: Runtime;
  readonly annas: Session;
  readonly bobs: Session;
}

/** One runtime with a session of Anna and one of Bob. The model makes the calls in the JSON of a prompt. */
async function scene(settings: Readonly<Record<string, unknown>> = {}, tool?: string): Promise<Scene> {
  const home = await tempHome();
  if (tool !== undefined) {
    await mkdir(join(home.path, ".hermes", "tools"), { recursive: true, mode: 0o700 });
    await writeFile(join(home.path, ".hermes", "tools", "own.tool.mjs"), tool);
  }
  const runtime = await runtimeRig({ folder: home.path, model: obedientModel(), settings });
  const [annas, bobs] = await Promise.all(
    [anna, bob].map((principal) => runtime.openSession({ source: "test", principal })),
  );
  assert.ok(annas && bobs);
  return {
    folder: home.path,
    runtime,
    annas,
    bobs,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

function answering(session: Session, answer: Answer, questions: PendingApproval[] = []): Disposable {
  return session.approvals.attach({
    name: "test",
    async ask(question) {
      questions.push(question);
      return answer;
    },
  });
}

test("a principal can neither list, find, search, read nor resume sessions of another principal", async () => {
  await using at = await scene();
  const { runtime, annas, bobs } = at;
  await say(annas, "the password of the bakery is marzipan");
  assert.deepEqual(
    (await runtime.sessions.list({ limit: 10 }, bob)).map(({ id }) => id),
    [bobs.id],
  );
  assert.equal(await runtime.sessions.get(annas.id, bob), undefined);
  assertFails(await runtime.sessions.find(annas.id, bob), /There is no session/u);
  await runtime.search.ready(signal);
  const query = { text: "marzipan", limit: 5 };
  assert.equal((await runtime.search.search(query, anna, signal)).hits.length, 1);
  assert.deepEqual((await runtime.search.search(query, bob, signal)).hits, []);
  assert.doesNotMatch(await call(bobs, "session_search", { query: "marzipan" }), /bakery/u);
  assert.doesNotMatch(await call(bobs, "session_search", { session_id: annas.id }), /bakery/u);
  await assert.rejects(
    runtime.openSession({ source: "test", principal: bob, resume: annas.id }),
    /There is no session/u,
  );
  assertFails(await runtime.sessions.mark(annas.id, { deleted: true }, bob), /There is no session/u);
  assert.deepEqual((await runtime.sessions.erase([annas.id], bob)).sessions, []);
});

/** A user's tool that reads as much of a session as it can, and lists everything else that it could call. */
const nosyTool = `
  import { defineTool, json, z } from ${JSON.stringify(join(import.meta.dirname, "..", "..", "src", "plugin.ts"))};
  export default defineTool({
    name: "nosy",
    toolset: "own",
    description: "Reads sessions.",
    input: z.object({ session: z.string() }),
    needs: ["sessions", "sessionSearch"],
    traits: { readOnly: true },
    async run({ session }, { sessions, sessionSearch, signal }) {
      const somebody = { id: "chat:anna" };
      const found = await sessions.find(session, somebody);
      return json({
        listed: (await sessions.list({ limit: 50 }, somebody)).map(({ id }) => id),
        found: found.ok,
        record: (await sessions.get(session, somebody)) !== undefined,
        entries: (await sessions.path(session)).length,
        held: await Promise.all(
          Array.from({ length: 60 }, async (_, index) => (await sessions.holder("e" + (index + 1)))?.id ?? ""),
        ),
        hits: (await sessionSearch.search({ text: "marzipan", limit: 5 }, signal, somebody)).hits.length,
        ports: [...Object.keys(sessions), ...Object.keys(sessionSearch)].toSorted(),
      });
    },
  });`;

test("a tool sees the sessions of its principal, for reading, and no others", async () => {
  await using at = await scene({}, nosyTool);
  const { runtime, annas, bobs } = at;
  await say(annas, "the password of the bakery is marzipan");
  await say(bobs, "good morning");
  await runtime.search.ready(signal);
  const seen = async (session: Session, of: Session) => {
    const raw = await call(session, "nosy", { session: of.id });
    const result = JSON.parse(raw) as { content: { text: string }[] };
    return JSON.parse(result.content[0]?.text ?? "{}") as {
      listed: string[];
      found: boolean;
      record: boolean;
      entries: number;
      held: string[];
      hits: number;
      ports: string[];
    };
  };
  const own = await seen(annas, annas);
  assert.deepEqual([own.listed, own.found, own.record, own.hits], [[annas.id], true, true, 1]);
  assert.ok(own.entries > 2);
  const others = await seen(bobs, annas);
  assert.deepEqual([others.listed, others.found, others.record], [[bobs.id], false, false]);
  assert.deepEqual([others.entries, others.hits], [0, 0]);
  assert.ok(others.held.includes(bobs.id) && !others.held.includes(annas.id));
  assert.deepEqual(others.ports, ["find", "get", "holder", "list", "path", "search"]);
});

test("an approval question appears in its session's interfaces, and only its principal can list or answer it", async () => {
  await using at = await scene();
  const { runtime, annas, bobs, folder } = at;
  await mkdir(join(folder, "build"));
  const shown: PendingApproval[] = [];
  using _bob = answering(bobs, { scope: "once" }, shown);
  using _everyBob = runtime.approvals.attach(
    { name: "bob", ask: async (question) => (shown.push(question), { scope: "once" }) },
    { principal: bob },
  );
  const { promise: shownQuestion, resolve: showQuestion } = Promise.withResolvers<PendingApproval>();
  using _anna = annas.approvals.attach({
    name: "anna",
    ask: (question, until) => {
      showQuestion(question);
      return new Promise((resolve) => until.addEventListener("abort", () => resolve(undefined), { once: true }));
    },
  });
  const turn = call(annas, "terminal", { command: "rm -rf build" });
  const { id, text } = await shownQuestion;
  assert.equal(text, "rm -rf build");
  assert.deepEqual([shown, await runtime.approvals.pending(bob), await bobs.approvals.pending()], [[], [], []]);
  assertFails(await bobs.approvals.answer(id, { scope: "always" }, "bob"), /nothing waits for an answer under apr_/u);
  assertFails(
    await runtime.approvals.answer(id, { scope: "always" }, { principal: bob, name: "bob" }),
    /nothing waits for an answer under apr_/u,
  );
  assert.ok(existsSync(join(folder, "build")));
  assert.deepEqual(
    (await annas.approvals.pending()).map((each) => each.id),
    [id],
  );
  const fromElsewhere = await runtime.approvals.answer(id, { scope: "once" }, { principal: anna, name: "elsewhere" });
  assert.ok(fromElsewhere.ok);
  await turn;
  assert.ok(!existsSync(join(folder, "build")));
});

test("a grant of one principal does not apply in the session of another", async () => {
  await using at = await scene();
  const { runtime, annas, bobs, folder } = at;
  for (const scope of ["session", "always"] as const) {
    const command = `rm -rf ${scope}`;
    await mkdir(join(folder, scope));
    {
      using _yes = answering(annas, { scope });
      assert.doesNotMatch(await call(annas, "terminal", { command }), /denied/iu);
    }
    await mkdir(join(folder, scope));
    assert.match(await call(bobs, "terminal", { command }), /denied/iu);
    assert.ok(existsSync(join(folder, scope)));
    assert.doesNotMatch(await call(annas, "terminal", { command }), /denied/iu);
    await mkdir(join(folder, scope));
  }
  await using next = await runtime.openSession({ source: "test", principal: anna });
  assert.match(await call(next, "terminal", { command: "rm -rf session" }), /denied/iu);
  assert.doesNotMatch(await call(next, "terminal", { command: "rm -rf always" }), /denied/iu);
  const settings = await readFile(join(folder, ".hermes", "config.yaml"), "utf8").catch(() => "");
  assert.doesNotMatch(settings, /rm -rf/u);
});

test("each session has its own todo list", async () => {
  await using at = await scene();
  const todos = [{ id: "1", content: "bake", status: "pending" }];
  await call(at.annas, "todo", { todos });
  assert.equal(at.annas.todos().length, 1);
  assert.deepEqual(at.bobs.todos(), []);
  assert.doesNotMatch(await call(at.bobs, "todo", {}), /bake/u);
});

test("a principal can neither list nor kill background processes of another", async () => {
  await using at = await scene();
  const { annas, bobs } = at;
  const started = await call(annas, "terminal", { command: "sleep 300", background: true });
  const [id = ""] = /proc_\w+/u.exec(started) ?? [];
  assert.notEqual(id, "", started);
  assert.doesNotMatch(await call(bobs, "process", { action: "list" }), /sleep 300/u);
  assert.match(await call(bobs, "process", { action: "kill", session_id: id }), /no process|there is no/iu);
  assert.equal(await bobs.stopProcesses(signal), 0);
  assert.match(await call(annas, "process", { action: "list" }), /sleep 300/u);
  assert.equal(await annas.stopProcesses(signal), 1);
});

test("a principal sees only its own spend, and the daily cap applies to each principal separately", async () => {
  await using at = await scene({ "budget.max_usd_per_day": 1 });
  const { annas, bobs } = at;
  assert.equal((await say(annas, "one")).reason, "answered");
  assert.equal((await say(annas, "two")).reason, "answered");
  assert.equal((await say(annas, "three")).reason, "budget");
  assert.deepEqual((await bobs.usage()).day, { costUsd: 0, tokens: 0, calls: 0, unknownCost: 0 });
  assert.equal((await annas.usage()).day.costUsd, 1);
  assert.equal((await say(bobs, "one")).reason, "answered");
});

test("turning approvals off in a session changes no other session, not even of the same principal", async () => {
  await using at = await scene();
  const { runtime, annas, bobs, folder } = at;
  await using second = await runtime.openSession({ source: "test", principal: anna });
  annas.approvals.setMode("yolo");
  assert.deepEqual(
    [annas, bobs, second].map(({ approvals }) => approvals.mode()),
    ["yolo", "manual", "manual"],
  );
  await mkdir(join(folder, "build"));
  assert.match(await call(bobs, "terminal", { command: "rm -rf build" }), /denied/iu);
  assert.match(await call(second, "terminal", { command: "rm -rf build" }), /denied/iu);
  assert.ok(existsSync(join(folder, "build")));
  await call(annas, "terminal", { command: "rm -rf build" });
  assert.ok(!existsSync(join(folder, "build")));
});
