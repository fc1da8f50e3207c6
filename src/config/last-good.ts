import { readFileSync } from "node:fs";
import { join } from "node:path";

import { codeOf } from "../base/files/file-fault.ts";
import { type Home, homeFiles } from "./home.ts";
import type { Problem } from "./problem.ts";

/**
 * A copy of the last `config.yaml` that could be read. A crash or a full disk can leave the file empty, cut off or
 * missing, and then deny rules and the chosen provider would be gone without a word.
 */
export function lastGood({ path }: Home): Buffer | undefined {
  try {
    return readFileSync(join(path, homeFiles.lastConfig));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Why the file must not be used: it lost its text. People who shorten it end it at the end of a line. */
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
