import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file that the agent created and nobody has changed since. */
export interface ScratchFile {
  readonly path: string;
  readonly sessionId: string;
  /** Size and time after the agent's last write. A file that differs was changed by somebody else and is kept. */
  readonly size: number;
  readonly mtimeMs: number;
}

/** A file that was removed, with its copy in the trash. */
export interface RemovedFile {
  readonly path: string;
  readonly copy: string;
  readonly size: number;
  readonly removedAt: number;
}

interface State {
  readonly scratch: readonly ScratchFile[];
  readonly removed: readonly RemovedFile[];
}

export interface ScratchFiles {
  note(path: string, sessionId: string): Promise<void>;
  forget(path: string): Promise<void>;
  list(): Promise<State>;
  /** Moves scratch files to the trash: those of one session, or all. */
  clean(sessionId?: string): Promise<readonly RemovedFile[]>;
  /** Returns the paths of the restored files. A path that exists again is left alone. */
  restore(): Promise<readonly string[]>;
}

const trashMs = 7 * 24 * 60 * 60 * 1000;

/** The list is stored after each change, so that the next session cleans up after a killed one. */
export function openScratchFiles(dataDir: string): ScratchFiles {
  const stateFile = join(dataDir, "state.json");
  const trash = join(dataDir, "trash");
  let queue: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  }

  async function read(): Promise<State> {
    try {
      return JSON.parse(await readFile(stateFile, "utf8")) as State;
    } catch {
      return { scratch: [], removed: [] };
    }
  }

  async function write(state: State): Promise<void> {
    await mkdir(dataDir, { recursive: true });
    await writeFile(`${stateFile}.new`, JSON.stringify(state));
    await rename(`${stateFile}.new`, stateFile);
  }

  async function moveToTrash(file: ScratchFile): Promise<RemovedFile | undefined> {
    const now = await lstat(file.path).catch(() => undefined);
    if (!now?.isFile() || now.size !== file.size || now.mtimeMs !== file.mtimeMs) return undefined;
    const copy = join(trash, `${Date.now()}-${Math.floor(Math.random() * 1e9)}`);
    await mkdir(trash, { recursive: true });
    await copyFile(file.path, copy, constants.COPYFILE_EXCL);
    await rm(file.path);
    return { path: file.path, copy, size: file.size, removedAt: Date.now() };
  }

  return {
    note: (path, sessionId) =>
      inTurn(async () => {
        const { size, mtimeMs } = await lstat(path);
        const state = await read();
        const scratch = state.scratch.filter((each) => each.path !== path);
        await write({ ...state, scratch: [...scratch, { path, sessionId, size, mtimeMs }] });
      }),
    forget: (path) =>
      inTurn(async () => {
        const state = await read();
        await write({ ...state, scratch: state.scratch.filter((each) => each.path !== path) });
      }),
    list: () => inTurn(read),
    clean: (sessionId) =>
      inTurn(async () => {
        const state = await read();
        const chosen = state.scratch.filter((each) => sessionId === undefined || each.sessionId === sessionId);
        const removed: RemovedFile[] = [];
        for (const file of chosen) {
          const gone = await moveToTrash(file).catch(() => undefined);
          if (gone) removed.push(gone);
        }
        const isOld = ({ removedAt }: RemovedFile) => Date.now() - removedAt > trashMs;
        const old = state.removed.filter(isOld);
        if (chosen.length === 0 && old.length === 0) return [];
        for (const { copy } of old) await rm(copy, { force: true });
        await write({
          scratch: state.scratch.filter((each) => !chosen.includes(each)),
          removed: [...state.removed.filter((each) => !isOld(each)), ...removed],
        });
        return removed;
      }),
    restore: () =>
      inTurn(async () => {
        const state = await read();
        const back: RemovedFile[] = [];
        for (const file of state.removed) {
          try {
            await mkdir(dirname(file.path), { recursive: true });
            await copyFile(file.copy, file.path, constants.COPYFILE_EXCL);
            await rm(file.copy, { force: true });
            back.push(file);
          } catch {
            // The path exists, or its folder does not: the copy stays in the trash.
          }
        }
        await write({ ...state, removed: state.removed.filter((each) => !back.includes(each)) });
        return back.map(({ path }) => path);
      }),
  };
}
