import { lstat, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Clock } from "../../../base/clock.ts";
import { sha256 } from "../../../base/digest.ts";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { isInside } from "../../../base/files/path.ts";
import { err, ok, reasonOf, type Result } from "../../../base/result.ts";
import type { EnvironmentError } from "../../../contracts/environment/environment.ts";
import { resolveLinks } from "../../real-paths.ts";
import type { Link } from "../link.ts";
import { environmentError, runScript } from "../run-script.ts";
import { createLocalScan, isSafePath, type LocalFile, type SyncedTree } from "./local-files-to-sync.ts";
import { compareScript, fetchScript, listScript, transferLines, sendScript, syncCodes } from "./sync-scripts.ts";

/**
 * Synchronizes files of this machine with their copies below `~/.hermes` on a backend, by content. Never overwrites a
 * change silently: a file that changed on both sides is reported, and both versions are kept.
 */
export interface FileSync {
  /** Sends local changes. Needs one round trip if nothing changed, and none if that was checked a moment ago. */
  push(signal: AbortSignal): Promise<Result<PushReport, EnvironmentError>>;
  /** Copies changes from the backend to this machine. */
  pull(signal: AbortSignal): Promise<Result<PullReport, EnvironmentError>>;
}

export interface PushReport {
  readonly sent: readonly string[];
  readonly removed: readonly string[];
  /** Files that also changed on the backend. They are not overwritten before `pull`. */
  readonly conflicts: readonly string[];
  /** Files that were not sent, each with the reason. */
  readonly skipped: readonly string[];
}

export interface PullReport {
  /** Paths on this machine that were written. */
  readonly taken: readonly string[];
  /** Changed on both sides: `kept` is this machine's version, `beside` the other one. */
  readonly conflicts: readonly { readonly kept: string; readonly beside: string }[];
  readonly skipped: readonly string[];
}

export interface FileSyncDeps {
  /** Names the synchronization data of this program's home on the backend. */
  readonly homeId: string;
  /** The current files. */
  readonly trees: () => readonly SyncedTree[];
  readonly clock: Clock;
}

export function createFileSync(link: Link, { homeId, trees, clock }: FileSyncDeps): FileSync {
  const scan = createLocalScan();
  let latest: { readonly digest: string; readonly at: number } | undefined;
  /**
   * Backend versions of files that `pull` has saved beside the local ones, so the next push may overwrite them on the
   * backend.
   */
  const settled = new Map<string, string>();

  async function pushOnce(signal: AbortSignal): Promise<Result<PushReport, EnvironmentError> | "raced"> {
    const named = trees();
    if (named.length === 0 && !latest) return ok({ sent: [], removed: [], conflicts: [], skipped: [] });
    const { files, skipped } = await scan(named);
    const manifest: Manifest = files;
    const digest = sha256(manifestText(manifest));
    const nothing = { sent: [], removed: [], conflicts: [], skipped };
    // Without files to synchronize, the first check stays valid; otherwise it is repeated after a pause.
    const isFresh = latest !== undefined && (files.size === 0 || clock.elapsed() - latest.at < quietMs);
    if (latest?.digest === digest && isFresh) return ok(nothing);
    const compared = await runScript(link, compareScript(homeId, digest), { signal });
    if (!compared.ok) return err(environmentError(compared.error));
    if (compared.value.exitCode === syncCodes.same) {
      latest = { digest, at: clock.elapsed() };
      return ok(nothing);
    }
    if (compared.value.exitCode !== 0) return err(failed(link, compared.value.exitCode, compared.value.errorText));
    const answer = compared.value.out.toString();
    let seen = answer.slice(0, answer.indexOf("\n"));
    const before = readManifest(answer.slice(answer.indexOf("\n") + 1));
    const changed = [...files.values()].filter(({ to, hash }) => before.get(to)?.hash !== hash);
    const removed = [...before].filter(([to]) => !files.has(to)).map(([to, { hash }]) => ({ to, before: hash }));
    const conflicts: string[] = [];
    let now = new Map(before);
    const batches = inBatches(changed);
    for (const [index, batch] of batches.entries()) {
      const deletions = index === batches.length - 1 ? removed : [];
      const next = new Map(now);
      for (const { to, hash, isReadOnly } of batch) next.set(to, { hash, isReadOnly });
      for (const { to } of deletions) next.delete(to);
      const text = Buffer.from(manifestText(next));
      const contents = await readAll(batch);
      if (!contents) return "raced";
      const code = Buffer.from(
        transferLines(
          batch.map((file) => ({ ...file, before: settled.get(file.to) ?? before.get(file.to)?.hash })),
          deletions,
        ),
      );
      const stdin = Buffer.concat([code, ...contents, text]);
      const nextDigest = sha256(text);
      const script = sendScript({
        homeId,
        seen,
        ordersBytes: code.length,
        manifestBytes: text.length,
        bytes: stdin.length,
        digest: nextDigest,
      });
      const sent = await runScript(link, script, { signal, stdin });
      if (!sent.ok) return err(environmentError(sent.error));
      if (sent.value.exitCode === syncCodes.raced) return "raced";
      if (sent.value.exitCode !== 0) return err(failed(link, sent.value.exitCode, sent.value.errorText));
      const refused = sent.value.out.toString().split("\n").slice(0, -1);
      conflicts.push(...refused);
      if (refused.length === 0) {
        seen = nextDigest;
        now = next;
      }
    }
    if (conflicts.length === 0) latest = { digest, at: clock.elapsed() };
    const isDone = ({ to }: { readonly to: string }) => !conflicts.includes(to);
    return ok({
      sent: changed.filter(isDone).map(({ to }) => to),
      removed: removed.filter(isDone).map(({ to }) => to),
      conflicts,
      skipped,
    });
  }

  /** The local path for a remote path. Undefined: there is none, or the file is not copied back. */
  function homeOf(to: string): { readonly path: string; readonly tree: SyncedTree } | undefined {
    const tree = trees().find((one) => !one.isReadOnly && (to === one.to || to.startsWith(`${one.to}/`)));
    return tree && isSafePath(to) ? { path: join(tree.from, to.slice(tree.to.length)), tree } : undefined;
  }

  async function takeOver(to: string, bytes: Uint8Array, sentHash: string | undefined): Promise<Taken> {
    const place = homeOf(to);
    if (!place) return { skipped: `${to}: it has no path on this machine` };
    const { path, tree } = place;
    const [real, root] = [await resolveLinks(path), await resolveLinks(tree.within)];
    if (!real.ok || !root.ok || !isInside(root.value, real.value))
      return { skipped: `${path}: it leads out of ${tree.within}` };
    const isLink = await lstat(path).then(
      (match) => match.isSymbolicLink(),
      () => false,
    );
    if (isLink) return { skipped: `${path}: it is a link here` };
    const here = await readFile(path).then(sha256, () => undefined);
    const there = sha256(bytes);
    if (here === there) return {};
    const isConflict = here !== undefined && here !== sentHash;
    const target = isConflict ? `${path}.remote-${there.slice(0, 8)}` : path;
    try {
      await makeFolder(dirname(target), 0o755);
    } catch (thrown) {
      return { skipped: `${target}: ${reasonOf(thrown)}` };
    }
    const written = await writeFileAtomic(target, bytes);
    if (!written.ok) return { skipped: written.error.message };
    if (isConflict) settled.set(to, there);
    return isConflict ? { conflict: { kept: path, beside: target } } : { taken: target };
  }

  return {
    async push(signal) {
      for (let round = 0; round < maxRounds; round++) {
        const pushed = await pushOnce(signal);
        if (pushed !== "raced") return pushed;
      }
      return err({ kind: "unreachable", message: "the files change faster than they can be sent", hint: "Try again." });
    },
    async pull(signal) {
      const places = trees()
        .filter(({ isReadOnly }) => !isReadOnly)
        .map(({ to }) => to);
      const report = {
        taken: [] as string[],
        conflicts: [] as PullReport["conflicts"][number][],
        skipped: [] as string[],
      };
      if (places.length === 0) return ok(report);
      const looked = await runScript(link, listScript(homeId, places), { signal });
      if (!looked.ok) return err(environmentError(looked.error));
      if (looked.value.exitCode !== 0) return err(failed(link, looked.value.exitCode, looked.value.errorText));
      const [manifest = "", listed = ""] = looked.value.out.toString().split(/^---\n/mu, 2);
      const before = readManifest(manifest);
      const changed: string[] = [];
      for (const line of listed.split("\n").slice(0, -1)) {
        const [, hash = "", path = ""] = /^([0-9a-f]{64}) [ *](.+)$/u.exec(line) ?? [];
        if (!isSafePath(path)) report.skipped.push(`${line.slice(66)}: a file with this name is not copied`);
        else if (before.get(path)?.hash !== hash) changed.push(path);
      }
      for (let start = 0; start < changed.length; start += maxFetched) {
        const paths = changed.slice(start, start + maxFetched);
        const fetched = await runScript(link, fetchScript(homeId, paths), { signal });
        if (!fetched.ok) return err(environmentError(fetched.error));
        const { out } = fetched.value;
        const head = out.indexOf("---\n");
        const sizes = out.subarray(0, head).toString().trim().split("\n");
        let offset = head + 4;
        for (const [index, path] of paths.entries()) {
          const size = Number(sizes[index]);
          if (!Number.isInteger(size)) continue;
          const imported = await takeOver(path, out.subarray(offset, offset + size), before.get(path)?.hash);
          offset += size;
          if (imported.taken !== undefined) report.taken.push(imported.taken);
          if (imported.conflict) report.conflicts.push(imported.conflict);
          if (imported.skipped !== undefined) report.skipped.push(imported.skipped);
        }
      }
      return ok(report);
    },
  };
}

interface Taken {
  readonly taken?: string;
  readonly conflict?: PullReport["conflicts"][number];
  readonly skipped?: string;
}

const quietMs = 5_000;
const maxRounds = 5;
const maxFetched = 100;
const maxBatchBytes = 32 * 1024 * 1024;

function inBatches(files: readonly LocalFile[]): readonly (readonly LocalFile[])[] {
  const batches: LocalFile[][] = [[]];
  let bytes = 0;
  for (const file of files) {
    if (bytes + file.bytes > maxBatchBytes && batches.at(-1)?.length !== 0) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(file);
    bytes += file.bytes;
  }
  return batches;
}

/** Reads the contents of files. Undefined: one of the files changed since the scan. */
async function readAll(files: readonly LocalFile[]): Promise<readonly Buffer[] | undefined> {
  const contents: Buffer[] = [];
  for (const { path, hash } of files) {
    const content = await readFile(path).catch(() => undefined);
    if (!content || sha256(content) !== hash) return undefined;
    contents.push(content);
  }
  return contents;
}

function failed(link: Link, exitCode: number, stderr: string): EnvironmentError {
  const reasons: Readonly<Record<number, string>> = {
    [syncCodes.locked]: "another program is still sending files",
    [syncCodes.cut]: "the connection broke before all files had arrived",
    [syncCodes.noSpace]: "the disk is full",
  };
  const reason = reasons[exitCode] ?? (stderr || `exit code ${exitCode}`);
  return { kind: "unreachable", message: `files could not be sent to the ${link.kind} backend: ${reason}` };
}

/** The files that were sent last, by remote path. Stored on the backend, so that all programs of the home share it. */
type Manifest = ReadonlyMap<string, { readonly hash: string; readonly isReadOnly: boolean }>;

export function manifestText(manifest: Manifest): string {
  const lines = [...manifest].map(([path, { hash, isReadOnly }]) => `${hash} ${isReadOnly ? "r" : "w"} ${path}\n`);
  return lines.toSorted().join("");
}

/** Skips invalid lines: other programs on the backend may have written them. */
export function readManifest(text: string): Manifest {
  const manifest = new Map<string, { readonly hash: string; readonly isReadOnly: boolean }>();
  for (const line of text.split("\n")) {
    const [, hash = "", flag = "", path = ""] = /^([0-9a-f]{64}) ([rw]) (.+)$/u.exec(line) ?? [];
    if (isSafePath(path)) manifest.set(path, { hash, isReadOnly: flag === "r" });
  }
  return manifest;
}
