/** How fast conversations are written down, safe on the disk; how a large store opens; what it takes on the disk. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { systemClock as clock } from "../src/base/clock.ts";
import { asId, type CallId, type SessionId } from "../src/base/ids.ts";
import type { EntryBody, SessionStore } from "../src/contracts/session.ts";
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
    await measureLargeStore(join(folder, "large.db"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One message that asks for a call, the call planned and dispatched, its result: four entries in three appends. */
function exchange(sessionId: SessionId, at: number): readonly (readonly EntryBody[])[] {
  const callId = asId<CallId>(`call_${at}`);
  const args = { command: `grep -rn "needle number ${at}" src --include=*.ts | head -20` };
  const said = `I look for it in the sources first, then I change the ${at}th place. `.repeat(6);
  const result = `src/some/file-${at}.ts:12: a line of the output that a command has printed\n`.repeat(25);
  const call = { id: callId, name: "terminal", args: JSON.stringify(args) };
  return [
    [
      {
        type: "message",
        message: { role: "assistant", content: [{ type: "text", text: said }], calls: [call], stop: "calls" },
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

/** What a person or a model reads of it. */
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
    // One is a chat; many are a gateway, subagents and jobs in one process. Each waits for the disk before it goes on.
    for (const callers of [1, 8, 64]) {
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
          for (const append of appends) {
            const askedAt = clock.elapsed();
            await store.append(id, append);
            waits.push(clock.elapsed() - askedAt);
          }
        }
      };
      await Promise.all(sessions.map(caller));
      const perSecond = (count / (clock.elapsed() - startedAt)) * 1000;
      const { user, system } = process.cpuUsage(cpu);
      syncs.push(...diskSyncTimes(dirname(path), 20));
      report("store", `message and call in all three states, synchronous=FULL, ${callers} at once`, {
        perSecond: Math.round(perSecond),
        appendsPerSecond: Math.round(perSecond * 3),
        appendP50Ms: rounded(median(waits)),
        appendP99Ms: rounded(quantile(waits, 0.99)),
        cpuUsEach: Math.round((user + system) / count),
        diskSyncP50Ms: rounded(median(syncs)),
        // One waits for the disk three times in each; the limit is for what one process can do.
        ...(callers === 64 && { limitPerSecond: 3_000 }),
        holds: callers < 64 || perSecond >= 3_000,
      });
    }
  }
  const ratio = statSync(path).size / text;
  report("store", "disk for each byte of text, ledger included, search not there yet", {
    ratio: rounded(ratio, 2),
    limit: 1.7,
    holds: ratio <= 1.7,
  });
}

async function measureLargeStore(path: string): Promise<void> {
  const wantedBytes = quick ? 4e6 : 1e9;
  {
    await using store = await openSessionStore(path, { clock });
    while (statSync(path).size < wantedBytes) {
      const id = await newSession(store);
      const appends = Array.from({ length: quick ? 10 : 200 }, (_, at) => exchange(id, at)).flat(2);
      await store.append(id, appends);
    }
  }
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

async function openAndList(path: string): Promise<void> {
  const startedAt = clock.elapsed();
  await using store = await openSessionStore(path, { clock });
  await store.list({ limit: 50 }, me);
  process.stdout.write(String(clock.elapsed() - startedAt));
}
