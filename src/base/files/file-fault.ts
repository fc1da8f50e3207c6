import { reasonOf } from "../result.ts";

/** Why a file could not be used. */
export interface FileFault {
  /** The system's error code, such as `ENOSPC`; `EUNKNOWN` if there is none. */
  readonly code: string;
  /** Describes the failure and the next step. */
  readonly message: string;
}

/** Describes an error of a file operation on `path`, with the next step. Never throws. */
export function describeFault(error: unknown, path: string): FileFault {
  const code = codeOf(error);
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return { code, message: sentence ? `${path} ${sentence}` : `${path} could not be used: ${reasonOf(error)}` };
}

/** The system's code of a thrown value, or `EUNKNOWN`. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "EUNKNOWN";
}

/** A failure that has a system error code but was not raised by the system. */
export class FileError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const sentences: Readonly<Record<string, string>> = {
  ENOENT: "does not exist; check the path",
  EACCES: "may not be accessed by this user; change its permissions or run as its owner",
  EPERM: "may not be changed: the system forbids it; check its owner and attributes",
  EROFS: "is on a read-only file system; use another folder or mount it writable",
  ENOSPC: "was not written: the disk is full; free some space and try again",
  EDQUOT: "was not written: the disk quota is used up; free some space and try again",
  EISDIR: "is a folder, not a file; move it away or name a file",
  ENOTDIR: "cannot be reached: a part of the path is a file, not a folder; check the path",
  EEXIST: "exists already; choose another name or move it away",
  EMFILE: "was not opened: this process has too many open files; raise the limit (ulimit -n)",
  ENFILE: "was not opened: the system has too many open files; close some programs",
  ELOOP: "is a symbolic link that leads back to itself; remove the link",
  ELINKED: "is a link or behind one, and links are not followed here; use the path that it leads to",
  ENAMETOOLONG: "has a name that is too long for the file system; choose a shorter one",
  EBUSY: "is in use by the system, perhaps as a mount point; change it where it is mounted from",
  EFTYPE: "is a device, pipe or socket, not a file; name a file",
  EIO: "could not be used: the disk reported an error; check its free space and its health, then try again",
  ERR_INVALID_ARG_VALUE: "is not a path that the file system accepts; check the path",
  EINVAL: "is not a path that the file system accepts; check the path",
};
