import { readFileSync } from "node:fs";
import { join } from "node:path";

import { codeOf } from "../base/files/file-fault.ts";
import { type Home, homeFiles } from "./home.ts";
import type { Problem } from "./problem.ts";

/**
 * A copy of the last readable `config.yaml`. A crash or a full disk can leave the file empty, truncated or missing;
 * without the copy, deny rules and the chosen provider would be lost silently.
 */
export function lastGood({ path }: Home): Buffer | undefined {
  try {
    return readFileSync(join(path, homeFiles.lastConfig));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * The problem if the file has lost its text, so that it must not be used. A file that a person shortened still ends
 * with a line break.
 */
export function lostTextProblem(home: Home, bytes: Buffer | undefined): Problem | undefined {
  const isEmpty = bytes !== undefined && isBlank(bytes);
  if (bytes !== undefined && !isEmpty && bytes.at(-1) === newline) return undefined;
  const good = lastGood(home);
  if (good === undefined || isBlank(good)) return undefined;
  const isCutOff = bytes !== undefined && bytes.length < good.length && good.subarray(0, bytes.length).equals(bytes);
  if (bytes !== undefined && !isEmpty && (!isCutOff || good[bytes.length] === newline)) return undefined;
  const state = bytes === undefined ? "is missing" : isEmpty ? "is empty" : "is cut off in the middle of a line";
  return {
    file: join(home.path, homeFiles.config),
    message: `${state}, and it had settings before`,
    hint: "`hermes config restore` restores the last good settings; `hermes config restore --discard` accepts the file as it is",
  };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte <= 0x20);
}

const newline = 10;
