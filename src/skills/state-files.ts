import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { isObject, type JsonObject } from "../base/json.ts";

/** Names of what is kept beside the skills of a home. The original's own files there are others. */
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

/** A JSON object, or nothing when there is none or it cannot be understood. */
export function readState(folder: string, name: string): JsonObject | undefined {
  try {
    const file = join(folder, name);
    if (statSync(file).size > maxBytes) return undefined;
    // Ours, read at every start: the fast parser.
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(read) ? (read as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

const maxBytes = 16_000_000;
