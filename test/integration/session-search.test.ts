// covers: src/store, src/hosts
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { nodeFlags } from "../../scripts/setup.mjs";
import { systemClock as clock } from "../../src/base/clock.ts";
import type { SessionId } from "../../src/base/ids.ts";
import { userName } from "../../src/base/this-user.ts";
import type { SessionSearch } from "../../src/contracts/session/session-search.ts";
import type { EntryBody, SessionStore } from "../../src/contracts/session/session.ts";
import { openSessionSearch } from "../../src/store/search/session-search.ts";
import { openSessionStore } from "../../src/store/session-store.ts";
import { sourceFlags } from "../support/child-process.ts";
import { createCorpus } from "../support/conversation-corpus.ts";
import { eventually } from "../support/eventually.ts";
import { runProgram } from "../support/run-program.ts";

const me = { id: "local:me" };
const root = join(import.meta.dirname, "..", "..");
const signal = new AbortController().signal;

interface Scene extends AsyncDisposable {
  readonly folder: string;
  readonly paths: { readonly sessionsPath: string; readonly searchPath: string };
  readonly store: SessionStore;
  begin(texts: readonly string[]): Promise<SessionId>;
  open(): SessionSearch;
}

async function scene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-search-"));
  const paths = { sessionsPath: join(folder, "sessions.db"), searchPath: join(folder, "sessions-search.db") };
  const store = await openSessionStore(paths.sessionsPath, { clock });
  const opened: SessionSearch[] = [];
  return {
    folder,
    paths,
    store,
    async begin(texts) {
      const { id } = await store.create({ source: "cli", principal: me });
      const lease = await store.lease(id, "test");
      assert.ok(lease.ok);
      await store.append(id, texts.map(messageEntry));
      await lease.value[Symbol.asyncDispose]();
      return id;
    },
    open() {
      const search = openSessionSearch(paths, { clock });
      opened.push(search);
      return search;
    },
    async [Symbol.asyncDispose]() {
      for (const search of opened) await search[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

function messageEntry(text: string): EntryBody {
  return { type: "message", message: { role: "user", content: [{ type: "text", text }] } };
}

async function match(search: SessionSearch, text: string): Promise<readonly string[]> {
  const { hits, behind } = await search.search({ text, limit: 10 }, me, signal);
  assert.equal(behind, 0, "everything is searchable");
  return hits.map(({ sessionId }) => sessionId);
}

test("a search waits for earlier writes, not for writers that continue", async () => {
  await using at = await scene();
  const search = at.open();
  const walrus = await at.begin(["a walrus"]);
  assert.deepEqual(await match(search, "walrus"), [walrus]);
  const { id } = await at.store.create({ source: "cli", principal: me });
  const lease = await at.store.lease(id, "test");
  assert.ok(lease.ok);
  const writing = { isOver: false, count: 0 };
  const writer = (async () => {
    while (!writing.isOver) await at.store.append(id, [messageEntry(`number ${writing.count++}`)]);
  })();
  for (let n = 0; n < 10; n++) {
    const { hits } = await search.search({ text: "walrus", limit: 10 }, me, signal);
    assert.deepEqual(
      hits.map(({ sessionId }) => sessionId),
      [walrus],
    );
  }
  writing.isOver = true;
  await writer;
  await lease.value[Symbol.asyncDispose]();
  // Concurrent writes are merged into a few segments automatically.
  await search.ready(signal);
  await eventually(() => partsOf(at.paths.searchPath) <= 3);
});

/** The number of index segments with words of texts. */
function partsOf(searchPath: string): number {
  using database = new DatabaseSync(searchPath, { readOnly: true });
  return Number(database.prepare("SELECT count(DISTINCT segid) AS parts FROM texts_idx").get()?.["parts"]);
}

test("a new message is searchable immediately, a hundred parallel searches succeed, and a search can be aborted", async () => {
  await using at = await scene();
  const search = at.open();
  const first = await at.begin(["a walrus"]);
  assert.deepEqual(await match(search, "walrus"), [first]);
  const second = await at.begin(["a giraffe"]);
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => match(search, n % 2 ? "walrus" : "giraffe")));
  for (const [n, answer] of answers.entries()) assert.deepEqual(answer, [n % 2 ? first : second]);
  await assert.rejects(
    search.search({ text: "walrus", limit: 1 }, me, AbortSignal.abort(new Error("enough"))),
    /enough/u,
  );
  await search[Symbol.asyncDispose]();
  await assert.rejects(search.search({ text: "walrus", limit: 1 }, me, signal), /closed/u);
});

test("a search file that was deleted, emptied, damaged or truncated is rebuilt", async () => {
  await using at = await scene();
  const session = await at.begin(["the walrus sleeps", ...Array.from({ length: 300 }, (_, n) => `filler number ${n}`)]);
  const search = at.open();
  assert.deepEqual(await match(search, "walrus"), [session]);
  const { searchPath } = at.paths;
  const remove = () => {
    for (const each of [searchPath, `${searchPath}-wal`, `${searchPath}-shm`]) rmSync(each, { force: true });
  };
  remove();
  assert.deepEqual(await match(search, "walrus"), [session]);
  await search[Symbol.asyncDispose]();

  remove();
  mkdirSync(searchPath);
  const blocked = at.open();
  await assert.rejects(blocked.search({ text: "walrus", limit: 1 }, me, signal), /is not a file; move it away/u);
  rmdirSync(searchPath);
  assert.deepEqual(await match(blocked, "walrus"), [session]);
  await blocked[Symbol.asyncDispose]();

  const harms: readonly ((bytes: Buffer) => Buffer)[] = [
    (bytes) => bytes.subarray(0, 0),
    (bytes) => bytes.fill(0),
    (bytes) => bytes.fill(0x5a),
    (bytes) => bytes.subarray(0, bytes.length / 2),
    (bytes) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x5a)]),
  ];
  for (const [n, harm] of harms.entries()) {
    const next = at.open();
    await next.ready(signal);
    await next[Symbol.asyncDispose]();
    const bytes = readFileSync(searchPath);
    remove();
    writeFileSync(searchPath, harm(bytes));
    const again = at.open();
    assert.deepEqual(await match(again, "walrus"), [session], `harm ${n}`);
    await again[Symbol.asyncDispose]();
  }
});

test("two programs that search one store find each other's writes, and neither finds erased sessions", async () => {
  await using at = await scene();
  const [one, two] = [at.open(), at.open()];
  const ids: SessionId[] = [];
  for (let n = 0; n < 6; n++) {
    ids.push(await at.begin([`otter number${n}`]));
    const both = await Promise.all([match(one, `number${n}`), match(two, `number${n}`)]);
    assert.deepEqual(both, [[ids[n]], [ids[n]]]);
  }
  await at.store.erase([ids[0]!], me);
  await one.forgetErased(signal);
  assert.deepEqual(await Promise.all([match(one, "number0"), match(two, "number0")]), [[], []]);
});

test("the search file alone can be deleted while two programs have it open, and both continue", async () => {
  await using at = await scene();
  const session = await at.begin(["the walrus sleeps", ...Array.from({ length: 300 }, (_, n) => `filler number ${n}`)]);
  const search = at.open();
  const other = spawn(process.execPath, [...sourceFlags, "--input-type=module", "-e", otherProgram(at.paths)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  using _other = { [Symbol.dispose]: () => void other.kill("SIGKILL") };
  const ended = once(other, "exit");
  const answers = createInterface({ input: other.stdout })[Symbol.asyncIterator]();
  const foundThere = async () => {
    other.stdin.write("walrus\n");
    return (await answers.next()).value;
  };
  for (let times = 0; times < 3; times++) {
    assert.deepEqual([await foundThere(), await match(search, "walrus")], [session, [session]]);
    rmSync(at.paths.searchPath);
    assert.deepEqual([await match(search, "walrus"), await foundThere()], [[session], session]);
  }
  other.stdin.end();
  assert.deepEqual(await ended, [0, null]);
});

test("without its write-ahead log a search file is rebuilt while programs have it open, and erasing continues", async () => {
  await using at = await scene();
  const removed = await at.begin(["the otter swims"]);
  const session = await at.begin(["the walrus sleeps", ...Array.from({ length: 300 }, (_, n) => `filler number ${n}`)]);
  const [one, two] = [at.open(), at.open()];
  assert.deepEqual(await Promise.all([match(one, "walrus"), match(two, "walrus")]), [[session], [session]]);
  rmSync(`${at.paths.searchPath}-wal`, { force: true });
  await at.store.erase([removed], me);
  const another = at.open();
  await another.forgetErased(signal);
  for (const search of [another, one, two]) assert.deepEqual(await match(search, "walrus"), [session]);
  rmSync(`${at.paths.searchPath}-wal`, { force: true });
  for (const search of [at.open(), one, two]) assert.deepEqual(await match(search, "otter"), []);
});

/** Searches for each line of its input, and prints the results. */
function otherProgram(paths: Scene["paths"]): string {
  return `import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
    import { openSessionSearch } from ${JSON.stringify(join(root, "src/store/search/session-search.ts"))};
    import { systemClock as clock } from ${JSON.stringify(join(root, "src/base/clock.ts"))};
    const search = openSessionSearch(${JSON.stringify(paths)}, { clock });
    for await (const text of createInterface({ input: process.stdin })) {
      const asked = search.search({ text, limit: 10 }, ${JSON.stringify(me)}, new AbortController().signal);
      console.log(await asked.then(({ hits }) => hits.map(({ sessionId }) => sessionId).join(), String));
    }
    await search[Symbol.asyncDispose]();`;
}

test("a program killed while indexing leaves a file that the next program continues", async () => {
  await using at = await scene();
  const corpus = createCorpus(3, ["english", "chinese"], 2_000);
  const ids: SessionId[] = [];
  for (let n = 0; n < 4; n++) {
    const texts = Array.from({ length: 30 }, () => corpus.conversation().messages.map(({ text }) => text)).flat();
    ids.push(await at.begin([`needle${n}`, ...texts]));
  }
  const script = `import { openSessionSearch } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/search/session-search.ts"))};
    import { systemClock as clock } from ${JSON.stringify(join(import.meta.dirname, "../../src/base/clock.ts"))};
    const search = openSessionSearch(${JSON.stringify(at.paths)}, { clock });
    process.stdout.write("started");
    await search.ready(new AbortController().signal);
    process.stdout.write("done");`;
  for (const afterMs of [0, 100, 400]) {
    const child = spawn(process.execPath, [...sourceFlags, "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    // The program may have finished before it is killed.
    const ended = once(child, "exit");
    await Promise.race([once(child.stdout, "data"), ended]);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    child.kill("SIGKILL");
    await ended;
  }
  const search = at.open();
  await search.ready(signal);
  for (const [n, id] of ids.entries()) assert.deepEqual(await match(search, `needle${n}`), [id]);
  assert.ok(statSync(at.paths.searchPath).size > 0);
});

test("hermes sessions search prints text or JSON and explains errors; so does the tool", async () => {
  await using at = await scene();
  const { id } = await at.store.create({ source: "cli", principal: { id: `local:${userName()}` } });
  const lease = await at.store.lease(id, "test");
  assert.ok(lease.ok);
  await at.store.append(id, [messageEntry("the walrus sleeps in the harbour")]);
  await lease.value[Symbol.asyncDispose]();
  const hermes = (...args: readonly string[]) =>
    runProgram(process.execPath, [...nodeFlags, join(root, "dist/hermes.js"), ...args], {
      cwd: at.folder,
      env: { ...process.env, HERMES_HOME: at.folder },
    });
  const shown = await hermes("sessions", "search", "walrus", "harbour");
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, new RegExp(`${id}.*walrus sleeps`, "su"));
  const { sessions, behind } = JSON.parse((await hermes("sessions", "search", "walrsu", "--json")).stdout);
  assert.deepEqual([sessions[0].id, behind], [id, 0]);
  assert.match((await hermes("sessions", "search", "zebra")).stdout, /No matches/u);
  const wrong = await hermes("sessions", "search", "walrus", "--since", "someday");
  assert.deepEqual([wrong.code, /write a date/u.test(wrong.stderr)], [2, true]);
  const called = await hermes("tools", "call", "session_search", "--args", '{"query":"harbour"}');
  assert.deepEqual([called.code, JSON.parse(called.stdout).results[0].session_id], [0, id], called.stderr);
});
