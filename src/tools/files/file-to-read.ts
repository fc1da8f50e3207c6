import { sha256 } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Environment, FileStat } from "../../contracts/environment/environment.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import { type FileCall, fileFailure, realPathOf } from "./file-on-disk.ts";
import { lookAlikes } from "./look-alikes.ts";
import { toolPath } from "./tool-path.ts";

/** An existing file that can be opened without blocking. */
export interface FileToRead {
  readonly path: string;
  readonly bytes: number;
  /** Tells the model how the file was located. */
  readonly note?: string;
}

export interface ReadBytes {
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** True if the file grew while it was read, so that its end is missing. */
  readonly hasGrown: boolean;
}

/**
 * Finds a file to read. Folders, devices and missing files are failures; for missing ones, the failure lists similar
 * names.
 */
export async function fileToRead(path: string, call: FileCall): Promise<Result<FileToRead, ToolFailure>> {
  const { environment, signal } = call;
  const { cwd } = await environment.state(signal);
  const spelled = toolPath(path, { cwd, backend: environment.kind });
  const refusal = spelled.ok ? specialFile(spelled.value) : undefined;
  if (refusal !== undefined) return fail(refusal);
  const real = await realPathOf(path, call);
  if (!real.ok) return real;
  const stat = await environment.files.stat(real.value, signal);
  if (stat.ok) return openable(real.value, stat.value);
  if (stat.error.kind !== "missing" && stat.error.kind !== "not_a_folder") return fileFailure(stat.error);
  return instead(real.value, environment, signal);
}

/** Reads the file up to its size at opening; for a system file, which reports size 0, a limited part. */
export async function readBytes(
  { path, bytes: size }: FileToRead,
  { files }: Environment,
  signal: AbortSignal,
): Promise<Result<ReadBytes, ToolFailure>> {
  const max = size > 0 ? size : maxUnknownBytes;
  const read = await files.read(path, signal, { from: 0, bytes: max + 1 });
  if (!read.ok) return fileFailure(read.error);
  const bytes = read.value.subarray(0, max);
  return ok({ bytes, hash: sha256(bytes), hasGrown: read.value.length > max });
}

function openable(path: string, { kind, bytes }: FileStat): Result<FileToRead, ToolFailure> {
  if (kind === "folder") return fail(`${path} is a folder, not a file. Name a file in it.`);
  if (kind !== "file")
    return fail(`${path} is a device, pipe or socket, not a file. It is not opened: reading it could wait forever.`);
  const refusal = specialFile(path);
  return refusal === undefined ? ok({ path, bytes }) : fail(refusal);
}

/** Returns the file with the same name in another Unicode form, or a failure that lists similar names. */
async function instead(
  path: string,
  { files }: Environment,
  signal: AbortSignal,
): Promise<Result<FileToRead, ToolFailure>> {
  const { same, similar } = await lookAlikes(path, files, signal);
  const stat = same === undefined ? undefined : await files.stat(same, signal);
  if (same !== undefined && stat?.ok) {
    const match = openable(same, stat.value);
    const note = `The name of the file is written in another Unicode form than you asked for: ${JSON.stringify(same)}.`;
    return match.ok ? ok({ ...match.value, note }) : match;
  }
  const others = similar.length > 0 ? `There is: ${similar.join(", ")}` : "Check the path, or search for the name.";
  return err(fail(`${path} does not exist. ${others}`, "failed", { data: { similar_files: similar } }).error);
}

const maxUnknownBytes = 4_000_000;

/** Returns why a path is not opened although it looks like a file: it blocks, never ends, or exposes system data. */
export function specialFile(path: string): string | undefined {
  if (
    /^\/dev\/(?:fd\/|std(?:in|out|err)$)/u.test(path) ||
    /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:fd|map_files)\//u.test(path)
  )
    return `${path} is an open file of a running program: a device, pipe or socket, not a file. It is not opened.`;
  if (/^\/proc\/[^/]+\/(?:task\/[^/]+\/)?environ$/u.test(path))
    return `${path} has the variables of a running program, keys among them. It is not opened.`;
  const isMemory =
    /^\/proc\/(?:kcore|kmsg|kpage\w+|sysrq-trigger)$/u.test(path) ||
    /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:mem|pagemap|clear_refs)$/u.test(path) ||
    /^\/sys\/kernel\/(?:debug\/)?tracing\/.*pipe/u.test(path);
  return isMemory ? `${path} is a special file of the system, like a device. It is not opened.` : undefined;
}
