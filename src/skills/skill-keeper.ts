import { basename, join, relative, sep } from "node:path";

import type { Clock } from "../base/clock.ts";
import { withFileLock } from "../base/files/atomic-file.ts";
import { describeFault } from "../base/files/file-fault.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { resolveFolder } from "../base/files/open-beneath.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../base/result.ts";
import type {
  SkillAuthor,
  SkillChange,
  SkillChanged,
  SkillEntry,
  SkillFault,
  SkillJudge,
} from "../contracts/knowledge/skill.ts";
import {
  diffOfStates,
  type FileStates,
  writeStates,
  sameState,
  stateOfBytes,
  readCurrentStates,
  withStates,
} from "./file-states.ts";
import { readSkillText, skillFile } from "./frontmatter.ts";
import { type SkillChangePlan, planChange } from "./plan-change.ts";
import { recordApproval, recordMaker } from "./provenance.ts";
import type { SkillCollection } from "./skill-collection.ts";
import { hashOfEntries, readSkillEntries } from "./skill-folder.ts";
import { addEntry, type HistoryEntry, lastToUndo, readHistory } from "./skill-history.ts";
import { addPending, allPending, type PendingChange, readPending, removePending } from "./skill-overlay.ts";
import { stateFiles } from "./state-files.ts";

export interface KeeperDeps {
  /** The folder of skills of the home. */
  readonly home: string;
  shelf(): Promise<SkillCollection>;
  readonly judge: SkillJudge;
  readonly clock: Clock;
  readonly keepEntries: number;
  /** Whether every change by the model waits for approval. */
  readonly mustApprove: boolean;
  isPinned(name: string): boolean;
}

export interface ChangeBy {
  readonly author: SkillAuthor;
  readonly session?: string;
  /**
   * Asks the user about changes to skills that the model does not own. If undefined, such changes wait for approval.
   */
  readonly confirm?: (
    question: SkillQuestion,
    signal: AbortSignal,
  ) => Promise<{ readonly isAllowed: boolean; readonly reason?: string }>;
}

export interface SkillQuestion {
  /** Describes the change in a few words. */
  readonly text: string;
  readonly reason: string;
  readonly folder: string;
  readonly diff: string;
}

/** Changes skills and records every change, so that it can be reviewed and undone. */
export interface SkillKeeper {
  change(change: SkillChange, by: ChangeBy, signal: AbortSignal): Promise<Result<SkillChanged, SkillFault>>;
  history(skill: string): readonly HistoryEntry[];
  /** Undoes the last change, or the one with that number. With `force`, even if the files changed since. */
  undo(
    skill: string,
    wish: { readonly entry?: number; readonly force: boolean },
    signal: AbortSignal,
  ): Promise<Result<SkillChanged & { readonly undid: number }, SkillFault>>;
  pending(): readonly PendingChange[];
  /** Diff of a pending change against the current skill. */
  pendingDiff(skill: string): Result<string, SkillFault>;
  approve(skill: string, force: boolean, signal: AbortSignal): Promise<Result<SkillChanged, SkillFault>>;
  reject(skill: string, signal: AbortSignal): Promise<Result<PendingChange, SkillFault>>;
  /**
   * Replaces the content of the skill at `path` (relative to the skills folder) by these files. Undoable like any change.
   * Does nothing and returns undefined if the content is already the same.
   */
  restore(
    path: string,
    entries: readonly SkillEntry[],
    signal: AbortSignal,
  ): Promise<Result<SkillChanged | undefined, SkillFault>>;
  /** Allows loading the skill in its current state despite the scan. */
  allow(
    skill: { readonly name: string; readonly hash: string },
    signal: AbortSignal,
  ): Promise<Result<void, SkillFault>>;
}

const lockTimeoutMs = 30_000;

export function createSkillKeeper(deps: KeeperDeps): SkillKeeper {
  const { judge, clock } = deps;
  const home = resolveFolder(deps.home);

  async function locked<T>(
    work: () => Promise<Result<T, SkillFault>>,
    signal: AbortSignal,
  ): Promise<Result<T, SkillFault>> {
    try {
      await makeFolder(home, 0o700);
      const held = await withFileLock(join(home, stateFiles.lock), work, { signal, clock, timeoutMs: lockTimeoutMs });
      return held.ok ? held.value : failed(held.error.message);
    } catch (thrown) {
      return failed(reasonOf(thrown));
    }
  }

  /** The caller must hold the lock. */
  async function make(
    { skill, folder, files }: Pick<SkillChangePlan, "skill" | "folder" | "files">,
    about: Pick<HistoryEntry, "action" | "by" | "session" | "undoes">,
    isForced: boolean,
  ): Promise<Result<SkillChanged, SkillFault>> {
    const before = readCurrentStates(folder, Object.keys(files));
    const entries = withStates(entriesNow(folder), files);
    const danger = entries.length === 0 || isForced ? undefined : await judge(entries);
    if (danger !== undefined)
      return err({
        kind: "dangerous",
        message: `Nothing was changed, because the skill would not load: ${danger}.`,
      });
    const path = relative(home, folder).split(sep).join("/");
    const entry = await addEntry(
      home,
      skill,
      { ...about, at: clock.now(), path, before, after: files },
      deps.keepEntries,
    );
    if (!entry.ok) return failed(entry.error.message);
    const put = await writeStates(folder, files);
    if (!put.ok)
      return failed(`${put.error.message}. \`hermes skills undo ${skill} --force\` restores the previous state.`);
    const action =
      about.action === "undo" || about.action === "approve" || about.action === "reset" ? "edit" : about.action;
    return ok({ skill, action, folder, entry: entry.value, diff: diffOfStates(before, files) });
  }

  async function rememberAgent({ of, skill, folder, files }: SkillChangePlan, by: SkillAuthor): Promise<void> {
    const hash = hashOfEntries(withStates(entriesNow(folder), files));
    await recordMaker(home, of?.name ?? skill, { hash, by, at: clock.now(), ...(of && { previous: of.hash }) });
  }

  async function stage(
    planned: SkillChangePlan,
    change: SkillChange,
    by: ChangeBy,
  ): Promise<Result<never, SkillFault>> {
    const { skill, folder, files } = planned;
    const entries = withStates(entriesNow(folder), { ...readPending(home, skill)?.files, ...files });
    const danger = await judge(entries);
    if (danger !== undefined) return err({ kind: "dangerous", message: `Nothing was saved: ${danger}.` });
    const kept = await addPending(home, {
      skill,
      path: relative(home, folder).split(sep).join("/"),
      at: clock.now(),
      by: by.author,
      ...(by.session !== undefined && { session: by.session }),
      actions: [change.action],
      seen: readCurrentStates(folder, Object.keys(files)),
      files,
    });
    if (!kept.ok) return failed(kept.error.message);
    return err({
      kind: "staged",
      message: `The change to ${skill} waits for approval: \`hermes skills diff ${skill}\`, then approve or reject. The skill itself is unchanged.`,
    });
  }

  return {
    async change(change, by, signal) {
      const plan = async (): Promise<Result<SkillChangePlan, SkillFault>> => {
        try {
          const shelf = await deps.shelf();
          return await planChange(change, { home, shelf, by: by.author, isPinned: deps.isPinned });
        } catch (thrown) {
          return failed(describeFault(thrown, home).message);
        }
      };
      const first = await plan();
      if (!first.ok) return first;
      const { of, skill, files, folder } = first.value;
      const isOwn = !of || of.origin === "agent";
      if (by.author !== "user" && (!isOwn || deps.mustApprove)) {
        const { confirm } = by;
        if (by.author === "background" || !confirm) return locked(() => stage(first.value, change, by), signal);
        const answer = await confirm(
          {
            text: `${actionWords[change.action]} the skill ${skill}`,
            reason: isOwn ? "skills.write_approval asks before every change" : `${skill} does not belong to the agent`,
            folder,
            diff: shownChange(folder, files),
          },
          signal,
        );
        if (!answer.isAllowed) {
          const why = answer.reason === undefined ? "." : `: ${answer.reason}`;
          return err({ kind: "refused", message: `The user rejected the change to ${skill}${why}` });
        }
      }
      return locked(async () => {
        // Another change may have happened while the user decided or the lock was busy.
        const planned = await plan();
        if (!planned.ok) return planned;
        if (planned.value.of?.origin !== of?.origin)
          return err({ kind: "refused", message: `${skill} was changed meanwhile. Read it again.` });
        const isRemembered = isOwn && by.author !== "user";
        // The owner is recorded before writing, so that the skill still counts as the agent's after a crash in between.
        if (isRemembered && change.action !== "delete") await rememberAgent(planned.value, by.author);
        const session = by.session === undefined ? {} : { session: by.session };
        const about = { action: change.action, by: by.author, ...session };
        const result = await make(planned.value, about, by.author === "user");
        if (result.ok && isRemembered && change.action === "delete")
          await recordMaker(home, of?.name ?? skill, undefined);
        return result;
      }, signal);
    },
    history: (skill) => readHistory(home, skill),
    undo: (skill, { entry: requested, force }, signal) =>
      locked(async () => {
        const entries = readHistory(home, skill);
        const entry =
          requested === undefined ? lastToUndo(entries) : entries.find(({ number }) => number === requested);
        if (!entry) return err({ kind: "unknown", message: nothingToUndo(skill, requested, entries) });
        const folder = join(home, entry.path);
        const now = readCurrentStates(folder, Object.keys(entry.after));
        const moved = Object.keys(entry.after).filter((path) => !sameState(now[path], entry.after[path]));
        if (moved.length > 0 && !force)
          return err({
            kind: "refused",
            message: `${moved.join(", ")} changed since change ${entry.number}. \`hermes skills undo ${skill} --entry ${entry.number} --force\` restores the state before it.`,
          });
        const result = await make(
          { skill, folder, files: entry.before },
          { action: "undo", by: "user", undoes: entry.number },
          true,
        );
        return result.ok ? ok({ ...result.value, undid: entry.number }) : result;
      }, signal),
    pending: () => allPending(home),
    pendingDiff(skill) {
      const pending = readPending(home, skill);
      if (!pending) return nothingWaits(skill);
      try {
        return ok(diffOfStates(readCurrentStates(join(home, pending.path), Object.keys(pending.files)), pending.files));
      } catch (thrown) {
        return failed(reasonOf(thrown));
      }
    },
    approve: (skill, force, signal) =>
      locked(async () => {
        const pending = readPending(home, skill);
        if (!pending) return nothingWaits(skill);
        const folder = join(home, pending.path);
        const now = readCurrentStates(folder, Object.keys(pending.files));
        const moved = Object.keys(pending.files).filter((path) => !sameState(now[path], pending.seen[path]));
        if (moved.length > 0 && !force)
          return err({
            kind: "refused",
            message: `${moved.join(", ")} changed after the change was proposed. Check \`hermes skills diff ${skill}\`; --force applies it anyway.`,
          });
        const fault = await brokenHead(pending.files, skill);
        if (fault !== undefined) return failed(fault);
        const session = pending.session === undefined ? {} : { session: pending.session };
        const result = await make(
          { skill, folder, files: pending.files },
          { action: "approve", by: pending.by, ...session },
          force,
        );
        if (!result.ok) return result;
        await removePending(home, skill);
        const isNew =
          Object.values(pending.seen).every((state) => state === null) && Object.hasOwn(pending.seen, skillFile);
        if (isNew)
          await recordMaker(home, skill, {
            hash: hashOfEntries(readSkillEntries(folder)),
            by: pending.by,
            at: clock.now(),
          });
        return result;
      }, signal),
    reject: (skill, signal) =>
      locked(async () => {
        const pending = readPending(home, skill);
        if (!pending) return nothingWaits(skill);
        await removePending(home, skill);
        return ok(pending);
      }, signal),
    restore: (path, entries, signal) =>
      locked<SkillChanged | undefined>(async () => {
        const folder = join(home, path);
        const requested = Object.fromEntries(
          entries.flatMap((entry) =>
            entry.kind === "file"
              ? [[entry.path, stateOfBytes(entry.bytes, entry.isExecutable ?? isScript(entry.bytes))]]
              : [],
          ),
        );
        const now = readCurrentStates(folder, Object.keys(requested));
        const changed = Object.entries(requested).filter(([file, state]) => !sameState(now[file], state));
        const removed = entriesNow(folder).flatMap((entry) =>
          entry.kind === "file" && !Object.hasOwn(requested, entry.path) ? [[entry.path, null] as const] : [],
        );
        const files = Object.fromEntries([...changed, ...removed]);
        if (Object.keys(files).length === 0) return ok(undefined);
        return make({ skill: basename(path), folder, files }, { action: "reset", by: "user" }, true);
      }, signal),
    allow: ({ name, hash }, signal) =>
      locked(async () => {
        const kept = await recordApproval(home, name, { hash, at: clock.now() });
        return kept.ok ? ok(undefined) : failed(kept.error.message);
      }, signal),
  };
}

const actionWords: Readonly<Record<SkillChange["action"], string>> = {
  create: "create",
  edit: "change",
  delete: "delete",
  write_file: "change a file of",
  remove_file: "remove a file of",
};

/** Never throws: problems are reported when the change is applied. */
function shownChange(folder: string, files: FileStates): string {
  try {
    return diffOfStates(readCurrentStates(folder, Object.keys(files)), files);
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

function isScript(bytes: Uint8Array): boolean {
  return bytes[0] === 0x23 && bytes[1] === 0x21;
}

function entriesNow(folder: string): ReturnType<typeof readSkillEntries> {
  return valueOr(() => readSkillEntries(folder), []);
}

async function brokenHead(files: FileStates, skill: string): Promise<string | undefined> {
  const text = files[skillFile]?.text;
  if (text === undefined) return undefined;
  const read = await readSkillText(text, basename(skill));
  return read.ok ? undefined : `SKILL.md: ${read.error}`;
}

function nothingToUndo(skill: string, requested: number | undefined, entries: readonly HistoryEntry[]): string {
  if (requested !== undefined && entries.length > 0)
    return `${skill} has no change ${requested}; \`hermes skills history ${skill}\` lists them.`;
  return `${skill} has no ${entries.length > 0 ? "more changes to undo" : "recorded changes"}.`;
}

function nothingWaits(skill: string): Result<never, SkillFault> {
  return err({ kind: "unknown", message: `No change to ${skill} waits for approval.` });
}

function failed(message: string): Result<never, SkillFault> {
  return err({ kind: "failed", message });
}
