import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileSystem, FileSystemError } from "../../contracts/environment/environment.ts";
import type { FileReads, FileVersion } from "../../contracts/host/ports.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import type { ToolContext } from "../../contracts/tool/tool.ts";
import { decode } from "./file-content.ts";
import { toolPath } from "./tool-path.ts";

export type FileOnDisk =
  | { readonly kind: "missing"; readonly path: string }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly hash: string;
      /** The modification time, read before the content. */
      readonly modifiedAt: number;
      /** The time at which its content, name or mode last changed. */
      readonly changedAt: number;
    };

/** The part of a call that file tools use: the environment, and the effects that the policy has judged. */
export type FileCall = Pick<ToolContext<"environment">, "environment" | "effects" | "signal">;

/** Returns the real path of the caller's path, as checked by the policy, or a failure. */
export async function realPathOf(
  path: string,
  { environment, effects, signal }: FileCall,
): Promise<Result<string, ToolFailure>> {
  const { cwd } = await environment.state(signal);
  const full = toolPath(path, { cwd, backend: environment.kind });
  if (!full.ok) return fail(full.error, "invalid_args");
  const isJudged = (real: string) =>
    effects.some((effect) =>
      effect.kind === "move" ? effect.from === real || effect.to === real : "path" in effect && effect.path === real,
    );
  // The path contains no symbolic links, and no file operation follows one.
  if (isJudged(full.value)) return full;
  const real = await environment.files.realPath(full.value, signal);
  if (!real.ok) return fileFailure(real.error);
  if (isJudged(real.value)) return real;
  const advice = "it was changed after the call was checked. Look at it, then try again.";
  return fail(`${full.value} leads to ${real.value} now: ${advice}`);
}

/** Reads the whole file at a real path, or returns `missing`. Folders, devices and very large files are failures. */
export async function wholeFile(
  path: string,
  files: FileSystem,
  signal: AbortSignal,
): Promise<Result<FileOnDisk, ToolFailure>> {
  const stat = await files.stat(path, signal);
  if (!stat.ok) return stat.error.kind === "missing" ? ok({ kind: "missing", path }) : fileFailure(stat.error);
  if (stat.value.kind === "folder") return fail(`${path} is a folder, not a file. Name a file in it.`);
  if (stat.value.kind !== "file")
    return fail(`${path} is a device, pipe or socket, not a file. It is not opened: reading it could wait forever.`);
  if (stat.value.bytes > maxBytes)
    return fail(
      `${path} has ${stat.value.bytes} bytes; the file tools take files of up to ${maxBytes}. ` +
        `Use the terminal for a part of it, such as: sed -n '1,200p'.`,
    );
  const bytes = await files.read(path, signal);
  if (!bytes.ok) return fileFailure(bytes.error);
  const { modifiedAt, changedAt } = stat.value;
  return ok({ kind: "file", path, bytes: bytes.value, hash: sha256(bytes.value), modifiedAt, changedAt });
}

/** Returns the version of a file for the session's record, without the text of a large file. */
export function seenVersion(bytes: Uint8Array, seenAt: number, hash = sha256(bytes)): FileVersion {
  return bytes.length <= maxKeptBytes ? { hash, at: seenAt, text: decode(bytes) } : { hash, at: seenAt };
}

/** Records the version that this session wrote, and the one before it, which an undo can restore. */
export function recordWrite(
  {
    path,
    before,
    after,
  }: { readonly path: string; readonly before: Uint8Array | undefined; readonly after: Uint8Array },
  { fileReads, clock }: { readonly fileReads: FileReads; readonly clock: Clock },
): void {
  if (before && !fileReads.seen(path)) fileReads.record(path, { hash: sha256(before), at: clock.now() });
  fileReads.record(path, seenVersion(after, clock.now()));
}

export function fileFailure(error: FileSystemError): { readonly ok: false; readonly error: ToolFailure } {
  const { kind, message } = error;
  return err(
    fail(sentence(message), kind === "aborted" ? kind : kind === "unreachable" ? "unavailable" : "failed").error,
  );
}

function sentence(message: string): string {
  return message.endsWith(".") ? message : `${message}.`;
}

const maxBytes = 100_000_000;
const maxKeptBytes = 1_000_000;
