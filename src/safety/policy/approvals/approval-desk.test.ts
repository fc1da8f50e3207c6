import assert from "node:assert/strict";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { eventually } from "../../../../test/support/eventually.ts";
import { assertFails } from "../../../../test/support/failure.ts";
import { tempHome } from "../../../../test/support/temp-home.ts";
import { testSize } from "../../../../test/support/test-size.ts";
import { systemClock } from "../../../base/clock.ts";
import { asId, type CallId, type SessionId } from "../../../base/ids.ts";
import { silentLog } from "../../../base/log/log.ts";
import type { Answer, ApprovalSurface, Question } from "../../../contracts/safety/approval.ts";
import { createApprovalDesk } from "./approval-desk.ts";
import { createApprovalStore } from "./approval-store.ts";

const question: Question = {
  sessionId: asId<SessionId>("ses"),
  shownIn: asId<SessionId>("ses"),
  callId: asId<CallId>("call"),
  principal: "local:anna",
  origin: "model",
  tool: "terminal",
  text: "rm -rf build",
  cwd: "/project",
  backend: "local",
  asks: [{ key: "k", rule: "delete_recursive", reason: "deletes", spans: [], covers: "rm -rf build" }],
};

const anna = { id: "local:anna" };
const toAnna = { principal: anna };
const by = (name: string) => ({ principal: anna, name });
const never = new AbortController().signal;

async function house(options: { readonly timeoutMs?: number; readonly alive?: boolean } = {}) {
  const home = await tempHome();
  const folder = join(home.path, "approvals");
  /** Creates a desk. Any number of programs can share the folder. */
  const program = () =>
    createApprovalDesk({
      store: createApprovalStore({ folder, now: systemClock.now, pid: 1, isAlive: () => options.alive ?? true }),
      clock: systemClock,
      log: silentLog,
      timeoutMs: options.timeoutMs ?? 5_000,
      pollMs: 5,
    });
  return { folder, program, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

function surface(answer: (signal: AbortSignal) => Promise<Answer | undefined>, name = "test"): ApprovalSurface {
  return { name, ask: (_pending, signal) => answer(signal) };
}

const silent = (signal: AbortSignal) =>
  new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));

async function untilPending(desk: ReturnType<Awaited<ReturnType<typeof house>>["program"]>) {
  for (;;) {
    const [pending] = await desk.pending(anna);
    if (pending) return pending;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test("a question without a surface is denied, and no file is stored", async () => {
  await using offset = await house();
  assert.deepEqual(await offset.program().ask(question, never), { how: "no_approver" });
  assert.deepEqual(await readdir(offset.folder).catch(() => []), []);
});

test("the first answer is used, the other surfaces are cancelled, and no file is left", async () => {
  await using offset = await house();
  const desk = offset.program();
  let stopped = 0;
  desk.attach(
    surface(async () => ({ scope: "session" }), "quick"),
    toAnna,
  );
  desk.attach(
    surface(async (signal) => {
      await silent(signal);
      stopped += 1;
      return undefined;
    }),
    toAnna,
  );
  assert.deepEqual(await desk.ask(question, never), { how: "answered", answer: { scope: "session" }, by: "quick" });
  await eventually(() => stopped === 1);
  assert.deepEqual(await readdir(offset.folder), []);
});

test("another program can see a question and answer it, once", async () => {
  await using offset = await house();
  const [asking, other] = [offset.program(), offset.program()];
  asking.attach(surface(silent), toAnna);
  const settled = asking.ask(question, never);
  const pending = await untilPending(other);
  assert.deepEqual([pending.text, pending.asks], [question.text, question.asks]);
  if (process.platform !== "win32")
    assert.equal((await stat(join(offset.folder, `${pending.id}.json`))).mode & 0o777, 0o600);
  const both = await Promise.all([
    other.answer(pending.id, { scope: "deny", reason: "no" }, by("a")),
    offset.program().answer(pending.id.slice(0, 12), { scope: "always" }, by("b")),
  ]);
  assert.equal(both.filter(({ ok }) => ok).length, 1);
  const ended = await settled;
  assert.equal(ended.how === "answered" && ended.by, both[0]?.ok ? "a" : "b");
  assertFails(await other.answer(pending.id, { scope: "once" }, by("c")), /nothing waits for an answer under apr_/u);
});

test("a timeout denies the call, and an interrupt ends the question", async () => {
  await using offset = await house({ timeoutMs: 30 });
  const desk = offset.program();
  desk.attach(surface(silent), toAnna);
  assert.deepEqual(await desk.ask(question, never), { how: "timeout" });
  await using longer = await house();
  const other = longer.program();
  other.attach(surface(silent), toAnna);
  const stop = new AbortController();
  const settled = other.ask(question, stop.signal);
  await untilPending(other);
  stop.abort();
  assert.deepEqual(await settled, { how: "aborted" });
  assert.deepEqual(await readdir(longer.folder), []);
});

test("if all surfaces fail the question is denied, and one failing surface does not affect the others", async () => {
  await using offset = await house();
  const desk = offset.program();
  const broken = surface(() => Promise.reject(new Error("closed")), "broken");
  using _broken = desk.attach(broken, toAnna);
  assert.deepEqual(await desk.ask(question, never), { how: "no_approver" });
  desk.attach(
    surface(async () => ({ scope: "once" }), "there"),
    toAnna,
  );
  assert.deepEqual(await desk.ask(question, never), { how: "answered", answer: { scope: "once" }, by: "there" });
});

test("an invalid answer counts as a denial", async () => {
  await using offset = await house();
  const desk = offset.program();
  desk.attach(surface(silent), toAnna);
  for (const text of [
    "nonsense",
    "{}x",
    '{"answer":{"scope":"sure"},"by":"x"}',
    '{"answer":null,"by":"x"}',
    "null",
    "[]",
  ]) {
    const settled = desk.ask(question, never);
    const { id } = await untilPending(desk);
    await writeFile(join(offset.folder, `${id}.answer`), text);
    const ended = await settled;
    assert.ok(ended.how === "answered" && ended.answer.scope === "deny", `${text}: ${JSON.stringify(ended)}`);
  }
});

test("a question of a program that has died is not shown and cannot be answered", async () => {
  await using offset = await house();
  const desk = offset.program();
  desk.attach(surface(silent), toAnna);
  const stop = new AbortController();
  const settled = desk.ask(question, stop.signal);
  const { id } = await untilPending(desk);
  await using _gone = { [Symbol.asyncDispose]: async () => void (stop.abort(), await settled) };
  const store = createApprovalStore({ folder: offset.folder, now: systemClock.now, pid: 2, isAlive: () => false });
  assert.deepEqual(await store.list(), []);
  assertFails(await offset.program().answer(id, { scope: "once" }, by("x")), /nothing waits for an answer under apr_/u);
});

test("a surface that attaches while a question is pending shows it, and can answer it", async () => {
  await using offset = await house();
  const desk = offset.program();
  using _first = desk.attach(surface(silent, "first"), toAnna);
  const asking = desk.ask(question, never);
  await untilPending(desk);
  using _second = desk.attach(
    surface(async () => ({ scope: "once" }), "second"),
    toAnna,
  );
  assert.deepEqual(await asking, { how: "answered", answer: { scope: "once" }, by: "second" });
});

test("a surface shows the questions of its session or of its principal, and no others", async () => {
  await using offset = await house({ timeoutMs: 500 });
  const desk = offset.program();
  const shown: string[] = [];
  const noting = (name: string): ApprovalSurface => ({
    name,
    ask: async ({ text }) => void shown.push(`${name}: ${text}`),
  });
  using _session = desk.attach(noting("session"), { session: asId<SessionId>("ses") });
  using _other = desk.attach(noting("other session"), { session: asId<SessionId>("other") });
  using _anna = desk.attach(noting("anna"), toAnna);
  using _bob = desk.attach(noting("bob"), { principal: { id: "local:bob" } });
  await desk.ask({ ...question, text: "one" }, never);
  await desk.ask({ ...question, text: "of a child", sessionId: asId<SessionId>("child") }, never);
  assert.deepEqual(shown, ["session: one", "anna: one", "session: of a child", "anna: of a child"]);
  const ofCarol = { ...question, principal: "local:carol", shownIn: asId<SessionId>("carols") };
  assert.deepEqual(await desk.ask(ofCarol, never), { how: "no_approver" });
});

test("a question of another principal can be neither listed nor answered", async () => {
  await using offset = await house();
  const desk = offset.program();
  using _attached = desk.attach(surface(silent), toAnna);
  const stop = new AbortController();
  const asking = desk.ask(question, stop.signal);
  const { id } = await untilPending(desk);
  const bob = { id: "local:bob" };
  assert.deepEqual(await desk.pending(bob), []);
  const answered = await desk.answer(id, { scope: "always" }, { principal: bob, name: "bob" });
  assert.deepEqual(answered, { ok: false, error: { message: `nothing waits for an answer under ${id}` } });
  stop.abort();
  assert.deepEqual(await asking, { how: "aborted" });
});

test("if a call is interrupted before its question is shown, the question is never shown", async () => {
  await using offset = await house();
  const desk = offset.program();
  const shown: string[] = [];
  using _attached = desk.attach({ name: "test", ask: async ({ id }) => void shown.push(id) }, toAnna);
  assert.deepEqual(await desk.ask(question, AbortSignal.abort()), { how: "aborted" });
  assert.deepEqual(shown, []);
});

test("an answer that arrives too late leaves no file", async () => {
  await using offset = await house();
  const desk = offset.program();
  using _attached = desk.attach(
    surface(async () => ({ scope: "once" })),
    toAnna,
  );
  await desk.ask(question, never);
  await writeFile(join(offset.folder, "apr_late.answer"), "{}");
  assert.deepEqual(await desk.pending(anna), []);
  assert.deepEqual(await readdir(offset.folder), []);
});

test("many simultaneous questions each get their own answer from another program", async () => {
  await using offset = await house({ timeoutMs: 600_000 });
  const desk = offset.program();
  using _attached = desk.attach(surface(silent), toAnna);
  const count = testSize({ quick: 40, full: 100 });
  const asking = Array.from({ length: count }, (_, index) => desk.ask({ ...question, text: `rm -rf ${index}` }, never));
  const other = offset.program();
  const done = new Set<string>();
  while (done.size < asking.length) {
    for (const { id, text } of await other.pending(anna)) {
      const scope = Number(text.slice(7)) % 2 === 0 ? "once" : "deny";
      if (!done.has(id) && (await other.answer(id, { scope }, by(text))).ok) done.add(id);
    }
  }
  const settled = await Promise.all(asking);
  assert.deepEqual(
    settled,
    settled.map((_, index) => ({
      how: "answered",
      answer: { scope: index % 2 === 0 ? "once" : "deny" },
      by: `rm -rf ${index}`,
    })),
  );
  assert.deepEqual(await readdir(offset.folder), []);
});

test("a surface that shows two sessions still shows the second one when the first closes", async () => {
  await using offset = await house();
  const desk = offset.program();
  const terminal = surface(async () => ({ scope: "once" }));
  const first = desk.attach(terminal, { session: asId<SessionId>("before") });
  using _second = desk.attach(terminal, { session: question.shownIn });
  first[Symbol.dispose]();
  assert.deepEqual(await desk.ask(question, never), { how: "answered", answer: { scope: "once" }, by: "test" });
});
