import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

import { codeOf, FileError } from "../../base/files/file-fault.ts";

/** Follows no link and does not wait for a pipe without a writer. */
export async function openRegular(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (thrown) {
    throw codeOf(thrown) === "ELOOP" ? new FileError("ELINKED") : thrown;
  }
}
