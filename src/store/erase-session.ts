import { sleep } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { asId, type CallId } from "../base/ids.ts";
import type { Erased } from "../contracts/session.ts";
import type { GroupCommit } from "./group-commit.ts";
import { asRows, type Statements } from "./statements.ts";

export interface EraseDeps {
  readonly commit: GroupCommit;
  readonly sql: Statements;
  readonly clock: Clock;
}

/**
 * Erases the session with that number in small steps, between which others write, until the signal; at the first it is gone for everybody.
 * What is left of it is erased by `eraseSession` again.
 */
export async function eraseSession(
  pk: number,
  { commit, sql, clock }: EraseDeps,
  signal: AbortSignal,
): Promise<Omit<Erased, "sessions">> {
  await commit.write(() => {
    sql.orphan().run(pk);
    sql.dropBegan().run(pk);
    sql.hideForGood().run(pk);
  });
  let bytes = 0;
  const calls: CallId[] = [];
  for (;;) {
    const step = await commit.write(() => eraseStep(pk, sql));
    bytes += step.bytes;
    calls.push(...step.calls);
    if (step.isDone || signal.aborted) return { calls, bytes };
    await sleep(pauseMs, never, clock);
  }
}

/** A step is a few milliseconds. */
const mostRows = 40;
const mostBytes = 32 * 1024;
const pauseMs = 8;
const never = new AbortController().signal;

interface EraseStep extends Omit<Erased, "sessions"> {
  readonly isDone: boolean;
}

function eraseStep(pk: number, sql: Statements): EraseStep {
  const rows = asRows<{ readonly pk: number; readonly bytes: number }>(sql.sizes().all(pk, mostRows));
  let bytes = 0;
  let last = 0;
  let count = 0;
  for (const row of rows) {
    if (bytes > mostBytes) break;
    bytes += row.bytes;
    last = row.pk;
    count++;
  }
  const calls = asRows<{ readonly body: string }>(sql.dispatched().all(pk, last)).map(callIn);
  sql.dropUsage().run(pk, last);
  sql.dropEntries().run(pk, last);
  const isDone = count === rows.length && rows.length < mostRows;
  if (isDone) sql.dropSession().run(pk);
  return { bytes, calls: calls.filter((call) => call !== ""), isDone };
}

function callIn({ body }: { readonly body: string }): CallId {
  const [, text = '""'] = /"callId":("(?:[^"\\]|\\.)*")/u.exec(body) ?? [];
  return asId<CallId>(String(JSON.parse(text)));
}
