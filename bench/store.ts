/** Speed of durable writes, time to open a large store, and its disk use. */
import { spawnSync } from "node:child_process";
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { systemClock as clock } from "../src/base/clock.ts";
import { asId, type CallId, type SessionId } from "../src/base/ids.ts";
import type { EntryBody, SessionStore } from "../src/contracts/session/session.ts";
import { openSessionSearch } from "../src/store/search/session-search.ts";
import { openSessionStore } from "../src/store/session-store.ts";
import { diskSyncTimes } from "./support/disk-sync.ts";
import { median, quantile, report, rounded } from "./support/measure.ts";

const me = { id: "local:bench" };
const quick = process.argv.includes("--quick");
const opened = process.argv.indexOf("--open");
if (opened >= 0) await openAndList(process.argv[opened + 1] ?? "");
else {
  const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  try {
    await measureAppends(join(folder, "appends.db"));
    await measureUpkeep(join(folder, "upkeep.db"));
    await measureLargeStore(join(folder, "large.db"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One message that requests a call, the call planned and dispatched, its result: four entries in three appends. */
function exchange(sessionId: SessionId, index: number): readonly (readonly EntryBody[])[] {
  const callId = asId<CallId>(`call_${index}`);
  const args = { command: `grep -rn "needle number ${index}" src --include=*.ts | head -20` };
  const reply = `I look for it in the sources first, then I change the ${index}th place. `.repeat(6);
  const result = `src/some/file-${index}.ts:12: a line of the output that a command has printed\n`.repeat(25);
  const call = { id: callId, name: "terminal", args: JSON.stringify(args) };
  return [
    [
      {
        type: "message",
        message: { role: "assistant", content: [{ type: "text", text: reply }], calls: [call], stop: "calls" },
      },
    ],
    [
      {
        type: "planned",
        call: {
          callId,
          sessionId,
          tool: "terminal",
          args,
          effects: [{ kind: "opaque" }],
          origin: "model",
          principal: me,
        },
      },
      { type: "dispatched", callId },
    ],
    [
      {
        type: "settled",
        callId,
        tool: "terminal",
        result: { ok: true, value: { content: [{ type: "text", text: result }] } },
        durationMs: 12,
      },
    ],
  ];
}

/** The text that a person or a model reads. */
function textBytes(appends: readonly (readonly EntryBody[])[]): number {
  return appends.flat().reduce((sum, body) => {
    if (body.type === "message" && body.message.role === "assistant") {
      const [part] = body.message.content;
      const [call] = body.message.calls;
      return sum + (part?.type === "text" ? part.text.length : 0) + JSON.stringify(call?.args).length;
    }
    const [part] = body.type === "settled" && body.result.ok ? body.result.value.content : [];
    return sum + (part?.type === "text" ? part.text.length : 0);
  }, 0);
}

async function newSession(store: SessionStore): Promise<SessionId> {
  const { id } = await store.create({ source: "bench", principal: me });
  const lease = await store.lease(id, "bench");
  if (!lease.ok) throw new Error(lease.error.heldBy);
  return id;
}

async function measureAppends(path: string): Promise<void> {
  let text = 0;
  {
    await using store = await openSessionStore(path, { clock });
    // One writer simulates a chat; many simulate a gateway, subagents and jobs in one process. Each waits for the
    // disk before it continues. In a turn the message is written together with the call that it requests: two waits
    // instead of three.
    for (const { callers, times } of [
      { callers: 1, times: 3 },
      { callers: 1, times: 2 },
      { callers: 8, times: 3 },
      { callers: 64, times: 3 },
    ]) {
      const sessions = await Promise.all(Array.from({ length: callers }, () => newSession(store)));
      const count = (quick ? 3 : callers === 1 ? 500 : 200) * callers;
      const syncs = [...diskSyncTimes(dirname(path), 20)];
      const waits: number[] = [];
      let next = 0;
      const cpu = process.cpuUsage();
      const startedAt = clock.elapsed();
      const caller = async (id: SessionId) => {
        while (next < count) {
          const appends = exchange(id, next++);
          text += textBytes(appends);
          const joined = times === 2 ? store.append(id, appends[0] ?? [], true) : undefined;
          for (const append of appends.slice(joined ? 1 : 0)) {
            const askedAt = clock.elapsed();
            await store.append(id, append);
            waits.push(clock.elapsed() - askedAt);
          }
          await joined;
        }
      };
      await Promise.all(sessions.map(caller));
      const perSecond = (count / (clock.elapsed() - startedAt)) * 1000;
      const { user, system } = process.cpuUsage(cpu);
      syncs.push(...diskSyncTimes(dirname(path), 20));
      report(
        "store",
        `a message and the three states of its call, synchronous=FULL, ${callers} writers, ${times} disk waits each`,
        {
          perSecond: Math.round(perSecond),
          appendP50Ms: rounded(median(waits)),
          appendP99Ms: rounded(quantile(waits, 0.99)),
          cpuUsEach: Math.round((user + system) / count),
          diskSyncP50Ms: rounded(median(syncs)),
          // The limit applies to the throughput of the whole process, not of one writer.
          ...(callers === 64 && { limitPerSecond: 3_000 }),
          holds: callers < 64 || perSecond >= 3_000,
        },
      );
    }
  }
  const search = `${path}-search`;
  {
    await using made = openSessionSearch({ sessionsPath: path, searchPath: search }, { clock });
    await made.ready(new AbortController().signal);
  }
  const [stored, indexed] = [path, search].map((file) => statSync(file).size / text);
  const ratio = (stored ?? 0) + (indexed ?? 0);
  report("store", "disk bytes per byte of text, including ledger and search", {
    store: rounded(stored ?? 0, 2),
    search: rounded(indexed ?? 0, 2),
    beyondText: rounded(ratio - 1, 2),
    limitBeyondText: 1.7,
    holds: ratio - 1 <= 1.7,
  });
}

/** Rows as in a real store, created by SQLite itself: 20,000 sessions with entries of about 1,100 bytes. */
function fillFast(path: string, bytes: number): void {
  using database = new DatabaseSync(path);
  database.exec(
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -200000",
  );
  const sessions = quick ? 50 : 20_000;
  const each = Math.ceil(bytes / 1_250 / sessions);
  database.exec("BEGIN");
  const addSession = database.prepare(
    "INSERT INTO sessions (pk, id, principal, source, created_at, changed_at, head, messages, preview, rank) VALUES (?1, 's' || ?1, ?2, 'bench', ?1, ?1, ?1 * ?3, 10, 'what was asked first', ?1 * ?3)",
  );
  const addEntries = database.prepare(
    'INSERT INTO entries SELECT (?1 - 1) * ?2 + value, ?1, (?1 - 1) * ?2 + value - 1, ?1, \'message\', printf(\'{"message":{"role":"user","content":[{"type":"text","text":"%.1000c"}]}}\', \'x\'), 1 FROM generate(?2)'.replace(
      "generate(?2)",
      "(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?2) SELECT value FROM n)",
    ),
  );
  for (let session = 1; session <= sessions; session++) {
    addSession.run(session, me.id, each);
    addEntries.run(session, each);
  }
  database.exec("COMMIT; PRAGMA journal_mode = WAL");
}

async function measureLargeStore(path: string): Promise<void> {
  await (await openSessionStore(path, { clock }))[Symbol.asyncDispose]();
  fillFast(path, quick ? 4e6 : 5e9);
  {
    await using store = await openSessionStore(path, { clock });
    await store.append(
      await newSession(store),
      Array.from({ length: 10 }, (_, index) => exchange(asId<SessionId>("x"), index)).flat(2),
    );
  }
  // The new file is on disk before the measurement starts.
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
  const times = Array.from({ length: quick ? 2 : 9 }, () => {
    const args = [...process.execArgv, ...process.argv.slice(1), "--open", path];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (stdout === "") throw new Error(stderr);
    return Number(stdout);
  });
  const worst = Math.max(...times);
  report("store", "open a store and list the last 50 sessions, in a new process", {
    storeMb: Math.round(statSync(path).size / 1e6),
    p50Ms: rounded(median(times), 1),
    worstMs: rounded(worst, 1),
    limitMs: 50,
    holds: worst <= 50,
  });
}

/** How long appends wait with and without concurrent erasing and freeing of space. */
async function measureUpkeep(path: string): Promise<void> {
  await using store = await openSessionStore(path, { clock });
  const ids: SessionId[] = [];
  for (let index = 0; index < (quick ? 2 : 40); index++) {
    const { id } = await store.create({ source: "bench", principal: me });
    const lease = await store.lease(id, "bench");
    if (!lease.ok) throw new Error(lease.error.heldBy);
    await using _lease = lease.value;
    await store.append(id, Array.from({ length: 300 }, (_, number) => exchange(id, number)).flat(2));
    ids.push(id);
  }
  const id = await newSession(store);
  const waitsDuring = async (job: Promise<unknown>): Promise<readonly number[]> => {
    const state = { isDone: false };
    const ended = job.then(() => (state.isDone = true));
    const waits: number[] = [];
    while (!state.isDone) {
      const askedAt = clock.elapsed();
      await store.append(id, exchange(id, waits.length)[2] ?? []);
      waits.push(clock.elapsed() - askedAt);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await ended;
    return waits;
  };
  const calm = await waitsDuring(new Promise((resolve) => setTimeout(resolve, quick ? 50 : 3_000)));
  const busy = await waitsDuring(
    (async () => {
      await store.erase(ids, me);
      await store.upkeep.giveBack(new AbortController().signal);
    })(),
  );
  report("store", "append while sessions are erased and space is freed", {
    p50Ms: rounded(median(busy)),
    p99Ms: rounded(quantile(busy, 0.99)),
    calmP50Ms: rounded(median(calm)),
    calmP99Ms: rounded(quantile(calm, 0.99)),
    // Compares the waits in the quiet and in the busy phase, because the speed of the disk affects both.
    moreMs: rounded(Math.max(0, quantile(busy, 0.95) - quantile(calm, 0.95))),
    limitMs: 5,
    holds: quantile(busy, 0.95) - quantile(calm, 0.95) <= 5,
  });
}

async function openAndList(path: string): Promise<void> {
  const startedAt = clock.elapsed();
  await using store = await openSessionStore(path, { clock });
  await store.list({ limit: 50 }, me);
  process.stdout.write(String(clock.elapsed() - startedAt));
}
