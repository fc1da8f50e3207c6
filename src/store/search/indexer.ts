import { systemClock } from "../../base/clock.ts";
import { takeFileLock } from "../../base/files/file-lock.ts";
import type { SearchPaths } from "./finder.ts";
import { createTextIndex, type TextIndex } from "./index-texts.ts";
import { isBroken, openToRead, openToWrite, removeSearchFile, type SearchFile } from "./search-file.ts";
import type { CatchUpResult } from "./search-task.ts";
import { createSearchWords } from "./search-words.ts";
import { openSessionFeed, type SessionFeed } from "./session-feed.ts";
import type { Splitter } from "./split-words.ts";

/** Writes the search file. Only one process writes at a time; in the others, calls return "elsewhere". */
export interface Indexer {
  catchUp(all: boolean): Promise<CatchUpResult>;
  forgetErased(): Promise<CatchUpResult>;
  makeAgain(): Promise<CatchUpResult>;
}

interface Opened {
  readonly file: SearchFile;
  readonly index: TextIndex;
}

/** `isOver` is checked during a step; if it returns true, the step is rolled back. */
export function createIndexer(paths: SearchPaths, splitter: Splitter, isOver: () => boolean): Indexer {
  const { sessionsPath, searchPath } = paths;
  const signal = new AbortController().signal;
  let feed: SessionFeed | undefined;
  let opened: Opened | undefined;
  let working: Promise<CatchUpResult> | undefined;
  /** The running merge step. While it runs, this process holds the lock. */
  let tidying: Promise<CatchUpResult> | undefined;
  /** The last row that a caller waits for. Other processes may write further rows. */
  let targetPlace = 0;

  function close(): void {
    opened?.file[Symbol.dispose]();
    opened = undefined;
  }

  async function open(): Promise<Opened> {
    if (opened && !opened.file.isGone()) return opened;
    close();
    feed ??= await openSessionFeed(sessionsPath);
    const created = await openIndex(feed);
    if (!created.index.isOfAnotherStore()) return (opened = created);
    created.file[Symbol.dispose]();
    removeSearchFile(searchPath);
    return (opened = await openIndex(feed));
  }

  async function openIndex(from: SessionFeed): Promise<Opened> {
    const file = await openToWrite(searchPath);
    return { file, index: createTextIndex(file.database, from, splitter, isOver) };
  }

  /** Runs work with the lock held. If the file is damaged, rebuilds it and runs the work again. */
  async function alone(work: () => Promise<void>): Promise<CatchUpResult> {
    const lock = await takeFileLock(searchPath, { signal, timeoutMs: 0, clock: systemClock });
    if (!lock.ok) {
      if (lock.error.code === "ETIMEDOUT") return "elsewhere";
      throw new Error(lock.error.message);
    }
    using _lock = lock.value;
    try {
      await work();
    } catch (thrown) {
      close();
      if (!isBroken(thrown)) throw thrown;
      removeSearchFile(searchPath);
      await work();
    }
    return "done";
  }

  async function readWanted(): Promise<void> {
    for (;;) {
      const { index } = await open();
      if (isOver() || index.step(entriesOfStep) === 0 || index.place() >= targetPlace) return;
      // Pauses, so that requests can run in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** How many entries up to a row are not indexed; at least one before the first check. */
  async function behindBy(newest: number): Promise<number> {
    if (opened && !opened.file.isGone()) return newest - opened.index.place();
    const place = await placeRead();
    return Math.max(1, place > newest ? newest : newest - place);
  }

  async function placeRead(): Promise<number> {
    try {
      using file = await openToRead(searchPath);
      return file ? createSearchWords(file.database).place() : 0;
    } catch {
      // The error is ignored here, because the writing process reports it.
      return 0;
    }
  }

  function work(): Promise<CatchUpResult> {
    return (working ??= afterTidying(readWanted).finally(() => {
      working = undefined;
      // Runs in the background. A later caller gets the same error.
      tidy().catch(() => {});
    }));
  }

  async function afterTidying(task: () => Promise<void>): Promise<CatchUpResult> {
    await tidying?.catch(() => {});
    return alone(task);
  }

  /** Merges segments while the thread is idle. */
  async function tidy(): Promise<void> {
    if (tidying) return;
    try {
      for (;;) {
        if (working || isOver()) return;
        const step = { isMore: false };
        tidying = alone(async () => void (step.isMore = (await open()).index.tidyStep()));
        if ((await tidying) === "elsewhere" || !step.isMore) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      tidying = undefined;
    }
  }

  return {
    async catchUp(all) {
      feed ??= await openSessionFeed(sessionsPath);
      const newest = feed.newest();
      targetPlace = Math.max(targetPlace, newest);
      for (let tries = 0; ; tries++) {
        const behind = await behindBy(newest);
        if (behind <= 0) return "done";
        const done = work();
        if (!all && behind > soon) {
          // The error is ignored here, because the next request reports it.
          done.catch(() => {});
          return "far";
        }
        const how = await done;
        if (how !== "done" || tries > 2 || isOver()) return how;
      }
    },
    async forgetErased() {
      await working;
      return afterTidying(async () => {
        const { index } = await open();
        index.forgetErased();
        // Long work waits until the thread is idle.
        const until = systemClock.elapsed() + tidyingMs;
        while (!isOver() && systemClock.elapsed() < until && index.tidyStep());
      });
    },
    async makeAgain() {
      await working;
      return afterTidying(async () => {
        // Another process has rebuilt the file.
        const isNew = opened?.file.isGone() === true;
        close();
        if (!isNew) removeSearchFile(searchPath);
        await open();
      });
    },
  };
}

/** Larger steps rewrite less data; smaller steps make entries searchable sooner. */
const entriesOfStep = 5_000;
const tidyingMs = 2_000;
/** The number of new entries that can be indexed within a moment. */
const soon = 4_000;
