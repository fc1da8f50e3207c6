import { constants, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

import { codeOf, FileError } from "../../base/files/file-fault.ts";

/** Opens a regular file. Does not follow a link, and does not wait for a pipe without a writer. */
export async function openRegular(path: string): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (thrown) {
    throw openFault(thrown);
  }
}

/** Like `openRegular`, as a descriptor. */
export function openRegularSync(path: string): number {
  try {
    return openSync(path, flags);
  } catch (thrown) {
    throw openFault(thrown);
  }
}

const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

function openFault(thrown: unknown): unknown {
  return codeOf(thrown) === "ELOOP" ? new FileError("ELINKED") : thrown;
}
