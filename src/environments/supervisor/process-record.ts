import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isObject } from "../../base/json.ts";
import { valueOr } from "../../base/result.ts";
import type { ProcessEnding, Screen } from "../../contracts/environment/environment.ts";
import { type SupervisedStart } from "./supervisor.ts";

/** The record of a process, in its own folder. It outlives the process and the supervisor. */
export interface ProcessRecord extends Pick<
  SupervisedStart,
  "command" | "cwd" | "place" | "backend" | "owner" | "isConfined" | "marker"
> {
  readonly id: string;
  readonly startedAt: number;
  readonly isTerminal: boolean;
  /** True: the record is removed when the process ends. */
  readonly files: readonly string[];
  /** The pid and the start time in clock ticks identify a process. Missing until it has started. */
  readonly pid?: number;
  readonly startedTicks?: number;
}

/** The records of one home. All calls are small and synchronous; all except reads throw. */
export interface ProcessRecords {
  /** The folder of one process. Its log is `output` in that folder. */
  folderOf(id: string): string;
  ids(): readonly string[];
  read(id: string): ProcessRecord | undefined;
  create(record: ProcessRecord): void;
  update(record: ProcessRecord): void;
  ending(id: string): ProcessEnding | undefined;
  end(id: string, ending: ProcessEnding): void;
  screen(id: string): Screen | undefined;
  keepScreen(id: string, screen: Screen): void;
  /** Size of its output and all other files. */
  bytesOf(id: string): number;
  remove(id: string): void;
}

export const processIdPattern = /^proc_[0-9a-f]{12}$/u;

export function createProcessRecords(folder: string): ProcessRecords {
  const folderOf = (id: string) => {
    // The id must not point outside the folder.
    if (!processIdPattern.test(id)) throw new Error(`${JSON.stringify(id)} is not a process id`);
    return join(folder, id);
  };
  const fileOf = (id: string, name: string) => join(folderOf(id), name);

  function replace(id: string, name: string, value: object): void {
    const path = fileOf(id, name);
    writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** A record is always replaced as a whole. The cast is safe because no other program writes here. */
  function valueOf<T>(id: string, name: string, isRight: (value: Record<string, unknown>) => boolean): T | undefined {
    try {
      // Checks for existence first: most processes have no ending yet, and throwing is slow.
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
      return valueOr(() => readdirSync(folder).filter((name) => processIdPattern.test(name)), []);
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
      return valueOr(
        () => readdirSync(folderOf(id)).reduce((sum, name) => sum + statSync(fileOf(id, name)).size, 0),
        0,
      );
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
