// covers: src/store, src/tools
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock as clock } from "../../src/base/clock.ts";
import { asId, type CallId, type SessionId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { EntryBody, SessionStore } from "../../src/contracts/session/session.ts";
import { ownSearch, ownSessions } from "../../src/sessions/own-sessions.ts";
import { openSessionSearch } from "../../src/store/search/session-search.ts";
import { openSessionStore } from "../../src/store/session-store.ts";
import tool from "../../src/tools/agent/session-search.tool.ts";

const me = { id: "local:me" };

/** The tool in a conversation, over a real store with real search. */
async function scene() {
  const folder = mkdtempSync(join(tmpdir(), "hermes-search-"));
  const sessions: SessionStore = await openSessionStore(join(folder, "sessions.db"), { clock });
  const paths = { sessionsPath: join(folder, "sessions.db"), searchPath: join(folder, "sessions-search.db") };
  const sessionSearch = openSessionSearch(paths, { clock });
  async function begin(
    texts: readonly (string | EntryBody)[],
    principal = me,
    more: { readonly title?: string; readonly parent?: SessionId } = {},
  ): Promise<SessionId> {
    const { id } = await sessions.create({ source: "cli", principal, ...more });
    const lease = await sessions.lease(id, "test");
    assert.ok(lease.ok);
    await sessions.append(
      id,
      texts.map((text, index) => (typeof text === "string" ? messageEntry(text, index) : text)),
    );
    await lease.value[Symbol.asyncDispose]();
    return id;
  }
  return {
    sessions,
    begin,
    /** The model's view: the data of the result, or the message of the failure. */
    async call(args: JsonObject, current: SessionId, principal = me) {
      const prepared = await tool.prepare(args);
      assert.ok(prepared.ok);
      const result = await prepared.value.run({
        sessions: ownSessions(sessions, principal),
        sessionSearch: ownSearch(sessionSearch, principal),
        sessionId: current,
        cwd: "/",
        callId: asId<CallId>("call_1"),
        origin: "model",
        principal,
        effects: [],
        signal: new AbortController().signal,
        clock,
        log: silentLog,
        progress() {},
        printed() {},
        secrets: {},
      });
      // The shape is what this test is about.
      return (result.ok ? result.value.data : result.error.message) as never as SearchAnswer & string;
    },
    async [Symbol.asyncDispose]() {
      await sessionSearch[Symbol.asyncDispose]();
      await sessions[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

interface SearchAnswer {
  readonly mode: string;
  readonly note: string;
  readonly session_id: string;
  readonly results: readonly {
    readonly session_id: string;
    readonly match_message_id: string;
    readonly snippet: string;
    readonly messages?: readonly ShownMessage[];
    readonly messages_before?: number;
    readonly bookend_start?: readonly ShownMessage[];
    readonly bookend_end?: readonly ShownMessage[];
  }[];
  readonly messages: readonly ShownMessage[];
  readonly last_messages?: readonly ShownMessage[];
  readonly messages_before: number;
  readonly messages_after: number;
}

interface ShownMessage {
  readonly id: string;
  readonly role: string;
  readonly text: string;
}

function messageEntry(text: string, index: number): EntryBody {
  const content = [{ type: "text" as const, text }];
  if (index % 2 === 0) return { type: "message", message: { role: "user", content } };
  return { type: "message", message: { role: "assistant", content, calls: [], stop: "end" } };
}

const talk = (count: number, about: string) => Array.from({ length: count }, (_, index) => `${about} part ${index}`);

test("a session search returns the first session with its full context and the others abbreviated", async () => {
  await using at = await scene();
  const current = await at.begin(["hello"]);
  const long = talk(40, "small talk");
  long[20] = "the flux capacitor needs the flux capacitor plan";
  const best = await at.begin(long);
  const other = await at.begin(["a flux capacitor, mentioned with a great many other words that say little", "ok"]);
  const { mode, results } = await at.call({ query: "flux capacitor" }, current);
  assert.equal(mode, "discover");
  assert.deepEqual(new Set(results.map(({ session_id }) => session_id)), new Set([best, other]));
  const [first, second] = results;
  assert.equal(first?.session_id, best);
  assert.match(first.snippet, />>>flux<<< >>>capacitor<<</u);
  assert.equal(first.messages?.length, 11);
  assert.equal(first.messages[5]?.id, first.match_message_id);
  assert.equal(first.messages_before, 15);
  assert.deepEqual([first.bookend_start?.length, first.bookend_end?.length], [3, 3]);
  assert.equal(second?.messages, undefined);
  const full = await at.call({ query: "flux capacitor", detail: "full" }, current);
  assert.ok(full.results.every(({ messages }) => messages !== undefined));
});

test("the current session is not found, unless its beginning was compacted", async () => {
  await using at = await scene();
  const current = await at.begin(["the badger digs", "yes", "and now something else", "fine"]);
  assert.deepEqual((await at.call({ query: "badger" }, current)).results, []);
  const [first] = await at.sessions.path(current);
  assert.ok(first);
  assert.match(await at.call({ session_id: current, around_message_id: first.id }, current), /you have it before you/u);
  const lease = await at.sessions.lease(current, "test");
  assert.ok(lease.ok);
  const compacted = { type: "compacted", through: first.id, messages: [], tokensBefore: 9, tokensAfter: 1 } as const;
  await at.sessions.append(current, [compacted]);
  const { results } = await at.call({ query: "badger" }, current);
  assert.deepEqual([results[0]?.session_id, results[0]?.match_message_id], [current, first.id]);
  assert.equal((await at.call({ session_id: current, around_message_id: first.id }, current)).mode, "scroll");
});

test("scrolling shows the neighbours of a message, reading shows the beginning and the end, browsing the last sessions", async () => {
  await using at = await scene();
  const current = await at.begin(["hello"]);
  const id = await at.begin(talk(60, "story"));
  const path = await at.sessions.path(id);
  const middle = path[30]?.id ?? "";
  const scrolled = await at.call({ session_id: id, around_message_id: middle, window: 2 }, current);
  assert.deepEqual(
    scrolled.messages.map(({ text }) => text),
    [28, 29, 30, 31, 32].map((n) => `story part ${n}`),
  );
  assert.deepEqual([scrolled.messages_before, scrolled.messages_after], [28, 27]);
  assert.match(await at.call({ session_id: id, around_message_id: "e999999" }, current), /has no message e999999/u);
  const read = await at.call({ session_id: id.slice(0, 18) }, current);
  assert.equal(read.session_id, id);
  assert.deepEqual([read.messages.length, read.last_messages?.length], [20, 10]);
  const browsed = await at.call({}, current);
  assert.deepEqual([browsed.mode, browsed.results.map(({ session_id }) => session_id)], ["browse", [id]]);
  assert.match(await at.call({ session_id: "nowhere" }, current), /no session/u);
});

test("a message of another session of the same family is shown, one of an unrelated session is not", async () => {
  await using at = await scene();
  const current = await at.begin(["hello"]);
  const first = await at.begin(talk(4, "before"));
  const second = await at.begin(talk(4, "after"), me, { parent: first });
  const other = await at.begin(talk(4, "elsewhere"));
  const idOf = async (id: SessionId) => (await at.sessions.path(id))[1]?.id ?? "";
  const shown = await at.call({ session_id: first, around_message_id: await idOf(second), window: 1 }, current);
  assert.deepEqual(
    [shown.session_id, shown.messages.map(({ text }) => text)],
    [second, ["after part 0", "after part 1", "after part 2"]],
  );
  assert.match(shown.note, /belongs to the same conversation/u);
  const back = await at.call({ session_id: second, around_message_id: await idOf(first) }, current);
  assert.equal(back.session_id, first);
  assert.match(await at.call({ session_id: first, around_message_id: await idOf(other) }, current), /has no message/u);
  for (const wrong of ["e0", "e-1", "e1.5", "nothing", "e99999999999999999999", "e\0"]) {
    assert.match(await at.call({ session_id: first, around_message_id: wrong }, current), /has no message/u);
  }
  const started = await at.begin(["asked for by it"], me, { parent: current });
  const [own] = await at.sessions.path(current);
  assert.match(
    await at.call({ session_id: started, around_message_id: own?.id ?? "" }, current),
    /you have it before you/u,
  );
});

test("sessions of another principal cannot be searched, read or scrolled to", async () => {
  await using at = await scene();
  const bob = { id: "telegram:bob" };
  const own = await at.begin(["hello"]);
  const others = await at.begin(["the canary sings"], bob, { title: "canary" });
  const [entry] = await at.sessions.path(others);
  for (const args of [
    { query: "canary" },
    { query: "canary", role_filter: "user,assistant,tool" },
    { query: "canar*" },
    { query: '"canary sings"' },
    { session_id: others },
    { session_id: "canary" },
    { session_id: others, around_message_id: entry?.id ?? "" },
    {},
  ]) {
    assert.ok(!JSON.stringify(await at.call(args, own)).includes("sings"), JSON.stringify(args));
  }
  assert.equal((await at.call({ query: "canary" }, own, bob)).results.length, 1);
});

test("session search filters by role and time, and invalid filters are errors", async () => {
  await using at = await scene();
  const current = await at.begin(["hello"]);
  const result = {
    ok: true as const,
    value: { content: [{ type: "text" as const, text: "lighthouse in the output" }] },
  };
  const settled: EntryBody = {
    type: "settled",
    callId: asId<CallId>("call_9"),
    tool: "terminal",
    result,
    durationMs: 1,
  };
  const id = await at.begin(["look for it", settled]);
  assert.deepEqual((await at.call({ query: "lighthouse" }, current)).results, []);
  const match = await at.call({ query: "lighthouse", role_filter: "tool", since: "1d" }, current);
  assert.equal(match.results[0]?.session_id, id);
  assert.deepEqual(
    (await at.call({ query: "lighthouse", role_filter: "tool", until: "2020-01-01" }, current)).results,
    [],
  );
  assert.match(await at.call({ query: "x", role_filter: "system" }, current), /"system" is none of/u);
  assert.match(await at.call({ query: "x", since: "yesterday-ish" }, current), /not a date/u);
  // Tool results are shown only on request.
  assert.ok(!JSON.stringify(await at.call({ session_id: id }, current)).includes("lighthouse"));
});
