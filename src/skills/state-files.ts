import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { isObject, type JsonObject } from "../base/json.ts";

/** The names of state files in the skills folder, which differ from those of Python Hermes. */
export const stateFiles = {
  cards: ".hermes-cards.json",
  bundled: ".hermes-bundled.json",
  origins: ".hermes-origins.json",
  history: ".history",
  overlay: ".overlay",
  lock: ".hermes-skills",
  hubLock: ".hermes-hub/lock.json",
  optOut: ".no-bundled-skills",
} as const;

/** A JSON object. Undefined if the file is missing or invalid. */
export function readStateFile(folder: string, name: string): JsonObject | undefined {
  try {
    const file = join(folder, name);
    if (statSync(file).size > maxBytes) return undefined;
    // The file is our own and is read at every start, so the fast parser is used.
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(read) ? (read as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

const maxBytes = 16_000_000;
