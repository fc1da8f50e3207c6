import { sleep } from "../base/async/abort.ts";
import type { Clock } from "../base/clock.ts";
import { asId, type CallId, type SessionId } from "../base/ids.ts";
import type { Erased, EraseOutsideData } from "../contracts/session/session.ts";
import type { GroupCommit } from "./group-commit.ts";
import { asRows, type Statements } from "./statements.ts";

export interface EraseDeps {
  readonly commit: GroupCommit;
  readonly sql: Statements;
  readonly clock: Clock;
}

export interface Erasable {
  readonly pk: number;
  readonly id: SessionId;
}

/**
 * Erases sessions in small steps, so that other processes can write in between. The first step hides the sessions;
 * then `beside` removes their data outside the store; finally their entries are deleted. A later call finishes an
 * interrupted erase.
 */
export async function eraseStoredSessions(
  sessions: readonly Erasable[],
  { commit, sql, clock }: EraseDeps,
  signal: AbortSignal,
  beside: EraseOutsideData = async () => {},
): Promise<Erased> {
  await Promise.all(
    sessions.map(({ pk }) =>
      commit.write(() => {
        sql.orphan().run(pk);
        sql.dropBegan().run(pk);
        sql.hideForGood().run(pk);
      }),
    ),
  );
  const calls: CallId[] = [];
  const outputs: string[] = [];
  for (const { pk } of sessions) await findTraces(pk, { calls, outputs }, sql);
  const ids = sessions.map(({ id }) => id);
  if (ids.length > 0) await beside({ sessions: ids, calls, outputs }, signal);
  let bytes = 0;
  for (const { pk } of sessions) {
    while (!signal.aborted) {
      const step = await commit.write(() => eraseStep(pk, sql));
      bytes += step.bytes;
      if (step.isDone) break;
      await sleep(pauseMs, never, clock);
    }
  }
  return { sessions: ids, calls, outputs, bytes };
}

/** The id of a session before its erase started. */
export function erasedId(id: string): SessionId {
  return asId<SessionId>(id.replace(/^erased:/u, ""));
}

/** The number of rows per step, which limits a step to a few milliseconds. */
const maxRows = 40;
const maxBytes = 32 * 1024;
const pauseMs = 8;
const never = new AbortController().signal;

/** Matches the file names that environments/output/spill-folder.ts creates. */
const outputName = /\bout-\d+-[0-9a-f]{12}(?:-[a-z0-9-]{1,80})?\.[a-z0-9]{1,10}\b/gu;

async function findTraces(pk: number, result: { calls: CallId[]; outputs: string[] }, sql: Statements): Promise<void> {
  interface Trace {
    readonly pk: number;
    readonly type: string;
    readonly body: string;
  }
  for (let last = 0; ;) {
    const rows = asRows<Trace>(sql.traces().all(pk, last, maxRows));
    for (const { type, body } of rows) {
      if (type !== "dispatched") result.outputs.push(...(body.match(outputName) ?? []));
      // A nested call may have no earlier entry with its id.
      if (type === "dispatched" || (type === "settled" && body.includes('"parentCallId":')))
        result.calls.push(callIn(body));
    }
    const { pk: newest } = rows.at(-1) ?? {};
    if (newest === undefined) return;
    last = newest;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function eraseStep(pk: number, sql: Statements): { readonly bytes: number; readonly isDone: boolean } {
  const rows = asRows<{ readonly pk: number; readonly bytes: number }>(sql.sizes().all(pk, maxRows));
  let bytes = 0;
  let last = 0;
  let count = 0;
  for (const row of rows) {
    if (bytes > maxBytes) break;
    bytes += row.bytes;
    last = row.pk;
    count++;
  }
  sql.dropUsage().run(pk, last);
  sql.dropEntries().run(pk, last);
  const isDone = count === rows.length && rows.length < maxRows;
  if (isDone) sql.dropSession().run(pk);
  return { bytes, isDone };
}

function callIn(body: string): CallId {
  const [, text = '""'] = /"callId":("(?:[^"\\]|\\.)*")/u.exec(body) ?? [];
  return asId<CallId>(String(JSON.parse(text)));
}
