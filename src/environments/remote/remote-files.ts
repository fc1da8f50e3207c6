import { isAbsolute, resolve } from "node:path/posix";

import { randomHex } from "../../base/digest.ts";
import { describeFault, FileError } from "../../base/files/file-fault.ts";
import { isInside } from "../../base/files/path.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileStat, FileSystem, FileSystemError } from "../../contracts/environment/environment.ts";
import {
  deleteScript,
  fileCodes,
  listFilesScript,
  moveScript,
  readScript,
  realPathScript,
  statScript,
  writeScript,
} from "./file-scripts.ts";
import type { Link } from "./link.ts";
import { environmentError, runScript } from "./run-script.ts";

export interface RemoteFilesDeps {
  readonly link: Link;
  /** The folder that relative paths start in. */
  readonly cwd: () => string;
  /** Folder of this machine with long outputs of commands: reads below it are local. */
  readonly spills: { readonly folder: string; readonly files: Pick<FileSystem, "read" | "stat"> };
}

/** The files of the backend, one round trip per call. */
export function remoteFiles({ link, cwd, spills }: RemoteFilesDeps): FileSystem {
  const absolute = (path: string) => resolve(cwd(), path);
  const isSpill = (path: string) => isAbsolute(path) && isInside(spills.folder, path);

  async function attempt(
    path: string,
    script: () => string,
    signal: AbortSignal,
    more: { readonly stdin?: Uint8Array; readonly target?: string } = {},
  ): Promise<Result<Buffer, FileSystemError>> {
    if (signal.aborted) return err(interrupted);
    if (path.includes("\0") || more.target?.includes("\0")) {
      return err({ kind: "failed", message: describeFault(new FileError("EINVAL"), shown(path)).message });
    }
    const ran = await runScript(link, script(), { signal, ...(more.stdin && { stdin: more.stdin }) });
    if (!ran.ok) {
      if (ran.error.how === "aborted") return err(interrupted);
      const { message, hint } = environmentError(ran.error);
      return err({ kind: "unreachable", message: hint === undefined ? message : `${message}. ${hint}` });
    }
    const { exitCode, out, errorText: stderr } = ran.value;
    return exitCode === 0 ? ok(out) : err(faultOf(exitCode, stderr, path, more.target ?? path));
  }

  return {
    async read(path, signal, range) {
      if (isSpill(path)) return spills.files.read(path, signal, range);
      return attempt(absolute(path), () => readScript(absolute(path), range), signal);
    },
    async write(path, bytes, signal) {
      const temp = `.hermes-${randomHex(8)}.tmp`;
      const written = await attempt(absolute(path), () => writeScript(absolute(path), bytes.length, temp), signal, {
        stdin: bytes,
      });
      return written.ok ? ok(undefined) : written;
    },
    async list(path, signal) {
      const listed = await attempt(absolute(path), () => listFilesScript(absolute(path)), signal);
      if (!listed.ok) return listed;
      const entries = listed.value.toString().split("\0").slice(0, -1);
      return ok(
        entries
          .map((entry) => ({ name: entry.slice(1), kind: kinds[entry[0] ?? ""] ?? ("other" as const) }))
          .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
      );
    },
    async stat(path, signal) {
      if (isSpill(path)) return spills.files.stat(path, signal);
      const result = await attempt(absolute(path), () => statScript(absolute(path)), signal);
      if (!result.ok) return result;
      const [mode = "0", bytes = "0", modified = "0", changed = modified] = result.value.toString().trim().split(" ");
      const bits = Number.parseInt(mode, 16);
      return ok({
        kind: typeOf.get(bits & 0o170000) ?? ("other" as const),
        bytes: Number(bytes),
        modifiedAt: Number(modified) * 1000,
        changedAt: Number(changed) * 1000,
        mode: bits & 0o7777,
      });
    },
    async delete(path, signal) {
      const deleted = await attempt(absolute(path), () => deleteScript(absolute(path)), signal);
      return deleted.ok ? ok(undefined) : deleted;
    },
    async move(from, to, signal) {
      const moved = await attempt(absolute(from), () => moveScript(absolute(from), absolute(to)), signal, {
        target: absolute(to),
      });
      return moved.ok ? ok(undefined) : moved;
    },
    async realPath(path, signal) {
      const result = await attempt(absolute(path), () => realPathScript(absolute(path)), signal);
      return result.ok ? ok(result.value.subarray(0, -1).toString() || "/") : result;
    },
  };
}

const interrupted: FileSystemError = { kind: "aborted", message: "interrupted" };

const kinds: Readonly<Record<string, FileStat["kind"]>> = { f: "file", d: "folder", l: "link", o: "other" };

const typeOf: ReadonlyMap<number, FileStat["kind"]> = new Map([
  [0o100000, "file"],
  [0o040000, "folder"],
  [0o120000, "link"],
]);

/** `target`: the path that "exists already" refers to, when it differs. */
function faultOf(exitCode: number, stderr: string, path: string, target: string): FileSystemError {
  if (exitCode === fileCodes.notEmpty) {
    return { kind: "failed", message: `${shown(path)} is a folder that is not empty; empty it first` };
  }
  const fault = faults.get(exitCode);
  if (!fault)
    return { kind: "failed", message: `${shown(path)} could not be used: ${stderr || `exit code ${exitCode}`}` };
  const about = exitCode === fileCodes.exists ? target : path;
  return { kind: fault.kind, message: describeFault(new FileError(fault.code), shown(about)).message };
}

const faults: ReadonlyMap<number, { readonly kind: FileSystemError["kind"]; readonly code: string }> = new Map([
  [fileCodes.missing, { kind: "missing", code: "ENOENT" }],
  [fileCodes.exists, { kind: "exists", code: "EEXIST" }],
  [fileCodes.notAFile, { kind: "not_a_file", code: "EISDIR" }],
  [fileCodes.notAFolder, { kind: "not_a_folder", code: "ENOTDIR" }],
  [fileCodes.notAllowed, { kind: "not_allowed", code: "EACCES" }],
  [fileCodes.noSpace, { kind: "no_space", code: "ENOSPC" }],
  [fileCodes.loop, { kind: "failed", code: "ELOOP" }],
  [fileCodes.linked, { kind: "failed", code: "ELINKED" }],
  [fileCodes.tooLong, { kind: "failed", code: "ENAMETOOLONG" }],
]);

function shown(path: string): string {
  return path.replaceAll("\0", "\\0");
}
