import type { EntryId, SessionId } from "../../base/ids.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { Checkpoints } from "../../contracts/knowledge/checkpoint.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import type { Branch, MovedHead, SessionTree } from "../../contracts/session/session-tree.ts";
import type { Entry, EntryBody, SessionStore } from "../../contracts/session/session.ts";
import type { SessionLog } from "../../kernel/loop/record/session-log.ts";
import { storedQueue } from "../../kernel/session/session-state.ts";
import { branchPlace } from "../../sessions/branch-place.ts";
import { mainBranch, treeOf } from "../../sessions/branches.ts";
import { findBranch, readTree } from "../../sessions/find-branch.ts";
import { plainTitle } from "../../sessions/session-title.ts";

export interface HeadDeps {
  readonly id: SessionId;
  readonly store: Pick<SessionStore, "entries" | "path">;
  readonly log: SessionLog;
  /** Undefined: checkpoints are off. */
  readonly checkpoints?: Checkpoints;
  /** Called after the head moved, to rebuild state from the entries of the new path. */
  moved(path: readonly Entry[]): void;
}

/** Moves the head of a session: undo and branches. Moves run one after another. */
export interface HeadMoves extends Pick<Session, "undo" | "branch" | "switchTo" | "tree"> {
  /** Resolves when no move is running. A turn waits for it. */
  settled(): Promise<void>;
}

export function createHeadMoves(deps: HeadDeps): HeadMoves {
  const { id, store, log, checkpoints } = deps;
  let last: Promise<unknown> = Promise.resolve();

  function oneByOne<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  const tree = () => readTree(store, id);

  async function moveTo(move: EntryBody & { readonly type: "head_moved" }): Promise<void> {
    await log.append([move]);
    const path = await store.path(id);
    // Empties the queue of the new path: its prompts have run since, or were removed.
    const isWaiting = storedQueue(path).length > 0;
    if (isWaiting) await log.append([{ type: "state", name: "queue", value: [] }]);
    await log.reload();
    deps.moved(path);
  }

  /** Records the files when a branch is left. Returns the reason when they cannot be recorded. */
  async function recordFiles({ branches }: SessionTree, signal: AbortSignal): Promise<string | undefined> {
    if (!checkpoints) return "checkpoints are off";
    const isRecorded = branches.some(({ isCurrent, checkpoint }) => isCurrent && checkpoint !== undefined);
    if (isRecorded) return undefined;
    try {
      const checkpoint = await checkpoints.mark(undefined, signal, "saved before /undo or another branch");
      if (!checkpoint.ok) return checkpoint.error.message;
      await log.append([{ type: "checkpointed", checkpoint: checkpoint.value.id }]);
      return undefined;
    } catch (thrown) {
      signal.throwIfAborted();
      return reasonOf(thrown);
    }
  }

  /** The first checkpoint of the calls after an entry on the old path. */
  async function firstRecorded(
    to: EntryId | undefined,
    path: readonly Entry[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const index = path.findIndex((entry) => entry.id === to);
    if (!checkpoints || (to !== undefined && index < 0)) return undefined;
    const later = path.slice(index + 1).flatMap((entry) => (entry.type === "dispatched" ? [entry.callId] : []));
    if (later.length === 0) return undefined;
    const calls = new Set(later);
    const listed = await checkpoints.list(maxCheckpoints, signal);
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
        if (!prompt) return err({ message: `there are only ${plural(prompts.length, "exchange")} to undo` });
        const to = prompt.after === undefined ? {} : { to: prompt.after };
        const filesAt = await firstRecorded(prompt.after, await store.path(id), new AbortController().signal);
        await moveTo({ type: "head_moved", ...to, why: `undo ${turns}` });
        return ok({ prompt: prompt.message.content, ...(filesAt !== undefined && { filesAt }) });
      }),
    branch: ({ name, from }, signal) =>
      oneByOne(async (): Promise<Result<MovedHead>> => {
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
    switchTo: (name, signal) =>
      oneByOne(async (): Promise<Result<MovedHead>> => {
        const before = await tree();
        const target = findBranch(name, before);
        if (!target.ok) return target;
        const { tip, isCurrent } = target.value;
        if (isCurrent) return ok({ branch: target.value });
        const unrecorded = await recordFiles(before, signal);
        await moveTo({
          type: "head_moved",
          ...(tip !== undefined && { to: tip }),
          why: `switch to ${target.value.name}`,
        });
        return ok({ branch: await currentBranch(), ...(unrecorded !== undefined && { unrecorded }) });
      }),
  };
}

const maxNameLength = 60;
const maxCheckpoints = 10_000;
/** Words that cannot be branch names, because `/branch` uses them. */
const reserved: ReadonlySet<string> = new Set(["switch", "list", "files", "now"]);

function branchName(requested: string | undefined, { branches }: SessionTree): Result<string> {
  const isTaken = (name: string) => branches.some((each) => each.name.toLowerCase() === name.toLowerCase());
  if (requested === undefined || requested.trim() === "") {
    let count = branches.length + 1;
    while (isTaken(`branch-${count}`)) count++;
    return ok(`branch-${count}`);
  }
  const name = plainTitle(requested, maxNameLength);
  if (name === "" || reserved.has(name) || /^(?:\d+$|-|e\d+$)/u.test(name))
    return err({ message: `"${name}" cannot be the name of a branch` });
  if (isTaken(name)) return err({ message: `there is a branch ${name} already; /branch switch ${name} resumes it` });
  return ok(name);
}
