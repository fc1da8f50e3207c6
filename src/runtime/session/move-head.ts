import type { EntryId, SessionId } from "../../base/ids.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { Checkpoints } from "../../contracts/knowledge/checkpoint.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import type { Branch, MovedHead, SessionTree } from "../../contracts/session/session-tree.ts";
import type { Entry, EntryBody, SessionStore } from "../../contracts/session/session.ts";
import type { SessionLog } from "../../kernel/loop/session-log.ts";
import { restoredQueue } from "../../kernel/session/session-state.ts";
import { branchPlace } from "../../sessions/branch-place.ts";
import { mainBranch, treeOf } from "../../sessions/branches.ts";
import { findBranch, readTree } from "../../sessions/find-branch.ts";
import { plainTitle } from "../../sessions/session-title.ts";

export interface HeadDeps {
  readonly id: SessionId;
  readonly store: Pick<SessionStore, "entries" | "path">;
  readonly log: SessionLog;
  /** Left out: files are not recorded. */
  readonly checkpoints?: Checkpoints;
  /** The conversation goes on from these entries: what was made of others is made anew. */
  moved(path: readonly Entry[]): void;
}

/** Where the conversation goes on: undo, branches. One move after the other. */
export interface HeadMoves extends Pick<Session, "undo" | "branch" | "switchTo" | "tree"> {
  /** When no move is under way. A turn waits for it. */
  settled(): Promise<void>;
}

export function createHeadMoves(deps: HeadDeps): HeadMoves {
  const { id, store, log, checkpoints } = deps;
  let last: Promise<unknown> = Promise.resolve();

  function oneByOne<T>(work: () => Promise<Result<T, HeadFault>>): Promise<Result<T, HeadFault>> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  const tree = () => readTree(store, id);

  async function moveTo(move: EntryBody & { readonly type: "head_moved" }): Promise<void> {
    await log.append([move]);
    const path = await store.path(id);
    // What waited there was asked since, or taken off the queue.
    const isWaiting = restoredQueue(path).length > 0;
    if (isWaiting) await log.append([{ type: "state", name: "queue", value: [] }]);
    await log.reload();
    deps.moved(path);
  }

  /** The files as they are when a branch is left. Why they are not kept, if so. */
  async function recordFiles({ branches }: SessionTree, signal: AbortSignal): Promise<string | undefined> {
    if (!checkpoints) return "checkpoints are off";
    const isRecorded = branches.some(({ isCurrent, checkpoint }) => isCurrent && checkpoint !== undefined);
    if (isRecorded) return undefined;
    try {
      const made = await checkpoints.mark(undefined, signal);
      if (!made.ok) return made.error.message;
      await log.append([{ type: "checkpointed", checkpoint: made.value.id }]);
      return undefined;
    } catch (thrown) {
      signal.throwIfAborted();
      return reasonOf(thrown);
    }
  }

  /** Of the calls behind an entry of the way that is left. */
  async function firstRecorded(
    to: EntryId | undefined,
    path: readonly Entry[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const at = path.findIndex((entry) => entry.id === to);
    if (!checkpoints || (to !== undefined && at < 0)) return undefined;
    const behind = path.slice(at + 1).flatMap((entry) => (entry.type === "dispatched" ? [entry.callId] : []));
    if (behind.length === 0) return undefined;
    const calls = new Set(behind);
    const listed = await checkpoints.list(mostRecords, signal);
    const recorded = listed.ok ? listed.value : [];
    return recorded.findLast(({ sessionId, callId }) => sessionId === id && callId !== undefined && calls.has(callId))
      ?.id;
  }

  async function currentBranch(): Promise<Branch> {
    const current = (await tree()).branches.find(({ isCurrent }) => isCurrent);
    return current ?? { name: mainBranch, kind: "main", changedAt: 0, isCurrent: true };
  }

  return {
    settled: async () => void (await last),
    tree,
    undo: (turns) =>
      oneByOne(async () => {
        const { prompts } = log.history;
        const prompt = prompts.at(-turns);
        if (!prompt) return err({ message: `there are only ${plural(prompts.length, "exchange")} to take back` });
        const to = prompt.after === undefined ? {} : { to: prompt.after };
        await moveTo({ type: "head_moved", ...to, why: `undo ${turns}` });
        return ok({ prompt: prompt.message.content });
      }),
    branch: ({ name, from }, signal) =>
      oneByOne(async (): Promise<Result<MovedHead, HeadFault>> => {
        const entries = await store.entries(id);
        const before = treeOf(entries);
        const named = branchName(name, before);
        if (!named.ok) return named;
        const place = from === undefined ? undefined : branchPlace(from, entries, before);
        if (place?.ok === false) return place;
        const unrecorded = await recordFiles(before, signal);
        const path = await store.path(id);
        const to = place ? place.value.to : path.at(-1)?.id;
        const filesAt = await firstRecorded(to, path, signal);
        await moveTo({ type: "head_moved", ...(to !== undefined && { to }), why: "branch", branch: named.value });
        const prompt = place?.value.prompt;
        return ok({
          branch: await currentBranch(),
          ...(prompt && { prompt }),
          ...(filesAt !== undefined && { filesAt }),
          ...(unrecorded !== undefined && { unrecorded }),
        });
      }),
    switchTo: (wanted, signal) =>
      oneByOne(async (): Promise<Result<MovedHead, HeadFault>> => {
        const before = await tree();
        const found = findBranch(wanted, before);
        if (!found.ok) return found;
        const { name, tip, isCurrent } = found.value;
        if (isCurrent) return ok({ branch: found.value });
        const unrecorded = await recordFiles(before, signal);
        await moveTo({ type: "head_moved", ...(tip !== undefined && { to: tip }), why: `switch to ${name}` });
        return ok({ branch: await currentBranch(), ...(unrecorded !== undefined && { unrecorded }) });
      }),
  };
}

interface HeadFault {
  readonly message: string;
}

const longestName = 60;
/** Older ones are not looked through. */
const mostRecords = 10_000;
/** They would be read as something else. */
const reserved: ReadonlySet<string> = new Set(["switch", "list", "files", "now"]);

function branchName(asked: string | undefined, { branches }: SessionTree): Result<string, HeadFault> {
  const isTaken = (name: string) => branches.some((each) => each.name.toLowerCase() === name.toLowerCase());
  if (asked === undefined || asked.trim() === "") {
    let count = branches.length + 1;
    while (isTaken(`branch-${count}`)) count++;
    return ok(`branch-${count}`);
  }
  const name = plainTitle(asked, longestName);
  if (name === "" || reserved.has(name) || /^(?:\d+$|-|e\d+$)/u.test(name))
    return err({ message: `"${name}" cannot be the name of a branch` });
  if (isTaken(name))
    return err({ message: `there is a branch ${name} already; /branch switch ${name} goes on with it` });
  return ok(name);
}
