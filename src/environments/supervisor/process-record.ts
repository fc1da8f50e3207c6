import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isObject } from "../../base/json.ts";
import type { ProcessEnding, ProcessOwner, Screen } from "../../contracts/environment/environment.ts";

/** What is written down about a process, in a folder of its own: it outlasts the process and the supervisor. */
export interface ProcessRecord {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly place: string;
  readonly backend: string;
  readonly owner: ProcessOwner;
  readonly startedAt: number;
  readonly isTerminal: boolean;
  readonly isConfined?: boolean;
  readonly marker: string;
  /** To be removed when it has ended. */
  readonly files: readonly string[];
  /** With the moment it was started, in ticks of the system, its identity. Missing until it has been started. */
  readonly pid?: number;
  readonly startedTicks?: number;
}

/** The records of one home. All of it is small and at once; all but reading throws. */
export interface ProcessRecords {
  /** The folder of one process. Its log is `output` in it. */
  folderOf(id: string): string;
  ids(): readonly string[];
  read(id: string): ProcessRecord | undefined;
  create(record: ProcessRecord): void;
  update(record: ProcessRecord): void;
  ending(id: string): ProcessEnding | undefined;
  end(id: string, ending: ProcessEnding): void;
  /** The last one of a terminal that is closed. */
  screen(id: string): Screen | undefined;
  keepScreen(id: string, screen: Screen): void;
  /** Of its output and all else. */
  bytesOf(id: string): number;
  remove(id: string): void;
}

export const processIdPattern = /^proc_[0-9a-f]{12}$/u;

export function createProcessRecords(folder: string): ProcessRecords {
  const folderOf = (id: string) => {
    // Never a way out of the folder.
    if (!processIdPattern.test(id)) throw new Error(`${JSON.stringify(id)} is not the id of a process`);
    return join(folder, id);
  };
  const fileOf = (id: string, name: string) => join(folderOf(id), name);

  function replace(id: string, name: string, value: object): void {
    const path = fileOf(id, name);
    writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** A record is only ever replaced whole. The cast holds because nobody else writes here. */
  function valueOf<T>(id: string, name: string, isRight: (value: Record<string, unknown>) => boolean): T | undefined {
    try {
      // Most are asked for an ending that is not there yet, and throwing is slow.
      if (!existsSync(fileOf(id, name))) return undefined;
      const value: unknown = JSON.parse(readFileSync(fileOf(id, name), "utf8"));
      return isObject(value) && isRight(value) ? (value as T) : undefined;
    } catch {
      return undefined;
    }
  }

  const read = (id: string) => valueOf<ProcessRecord>(id, "record", (value) => value["id"] === id && isRecord(value));

  return {
    folderOf,
    read,
    ids() {
      try {
        return readdirSync(folder).filter((name) => processIdPattern.test(name));
      } catch {
        return [];
      }
    },
    create(record) {
      mkdirSync(folderOf(record.id), { mode: 0o700 });
      replace(record.id, "record", record);
    },
    update: (record) => replace(record.id, "record", record),
    ending: (id) => valueOf<ProcessEnding>(id, "ending", (value) => typeof value["endedAt"] === "number"),
    end: (id, ending) => replace(id, "ending", ending),
    screen: (id) => valueOf<Screen>(id, "screen", (value) => Array.isArray(value["lines"])),
    keepScreen: (id, screen) => replace(id, "screen", screen),
    bytesOf(id) {
      try {
        return readdirSync(folderOf(id)).reduce((sum, name) => sum + statSync(fileOf(id, name)).size, 0);
      } catch {
        return 0;
      }
    },
    remove: (id) => rmSync(folderOf(id), { recursive: true, force: true, maxRetries: 3 }),
  };
}

function isRecord(value: Record<string, unknown>): boolean {
  const texts = ["command", "cwd", "place", "backend", "marker"];
  return (
    texts.every((name) => typeof value[name] === "string") &&
    typeof value["startedAt"] === "number" &&
    isObject(value["owner"]) &&
    Array.isArray(value["files"])
  );
}
