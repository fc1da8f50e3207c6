import { type BigIntStats, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ShellHook } from "./shell-hook.ts";

/** The user's consent to one shell hook. */
export interface HookConsent {
  readonly event: string;
  readonly command: string;
  /** The hash of the command line and of the content of its files. */
  readonly hash: string;
  readonly acceptedAt: number;
}

/** `changed` means that the command line was accepted, but one of its files has new content. */
export type ConsentState = "accepted" | "new" | "changed";

export interface HookConsents {
  stateOf(hook: ShellHook): ConsentState;
  acceptedAt(hook: ShellHook): number | undefined;
  /** Accepts a hook for this run, and permanently if the Hermes home is writable. */
  accept(hooks: readonly ShellHook[], signal: AbortSignal): Promise<Result<void>>;
  /** Removes the consents to a command. Resolves with their number. */
  revoke(command: string, signal: AbortSignal): Promise<Result<number>>;
}

/** `cwd` is the folder of the hooks; words of a command can name files there. */
export function openHookConsents(file: string, cwd: string, clock: Clock): HookConsents {
  const path = file;
  const digests = createFileDigests();
  let consents: readonly HookConsent[] = [];
  let mark: string | undefined;
  /** Hashes that were accepted in this run but not saved. */
  let unstored: readonly HookConsent[] = [];

  /** Reads the file again, because another program may have changed it. */
  function current(): readonly HookConsent[] {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    const now = stat ? markOf(stat) : "";
    if (now !== mark) [consents, mark] = [readConsents(path), now];
    return [...unstored, ...consents];
  }

  async function change(edit: (before: readonly HookConsent[]) => readonly HookConsent[], signal: AbortSignal) {
    await makeFolder(dirname(path), 0o700);
    const locked = await withFileLock(
      path,
      async (): Promise<Result<void>> => {
        const text = `${JSON.stringify({ version: 1, approvals: edit(readConsents(path)) }, undefined, 2)}\n`;
        const written = await writeFileAtomic(path, text, { mode: 0o600 });
        return written.ok ? ok(undefined) : err({ message: written.error.message });
      },
      { signal, timeoutMs: 10_000, clock },
    );
    return locked.ok ? locked.value : err({ message: locked.error.message });
  }

  const isOf =
    ({ event, command }: ShellHook) =>
    (consent: HookConsent) =>
      consent.event === event && consent.command === command;
  const find = (hook: ShellHook) => current().find(isOf(hook));

  return {
    stateOf(hook) {
      const consent = find(hook);
      if (!consent) return "new";
      return consent.hash === hashOf(hook, cwd, digests) ? "accepted" : "changed";
    },
    acceptedAt: (hook) => find(hook)?.acceptedAt,
    async accept(hooks, signal) {
      const accepted = hooks.map((hook) => {
        const { event, command } = hook;
        return { event, command, hash: hashOf(hook, cwd, digests), acceptedAt: clock.now() };
      });
      const stored = await change(
        (before) => [...before.filter((consent) => !hooks.some((hook) => isOf(hook)(consent))), ...accepted],
        signal,
      );
      unstored = stored.ok ? [] : accepted;
      return stored;
    },
    async revoke(command, signal) {
      unstored = unstored.filter((consent) => consent.command !== command);
      const count = readConsents(path).filter((consent) => consent.command === command).length;
      if (count === 0) return ok(0);
      const changed = await change((before) => before.filter((consent) => consent.command !== command), signal);
      return changed.ok ? ok(count) : changed;
    },
  };
}

function readConsents(path: string): readonly HookConsent[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  const { approvals } = parsedObject(text);
  return Array.isArray(approvals) ? approvals.filter(isConsent) : [];
}

function isConsent(value: unknown): value is HookConsent {
  return isObject(value) && [value.event, value.command, value.hash].every((each) => typeof each === "string");
}

/**
 * A program on PATH is identified by its name, because it belongs to the system. Every file in the command is
 * identified by its content.
 */
function hashOf(hook: ShellHook, cwd: string, digestOf: (path: string) => string | undefined): string {
  const files = filesOf(hook, cwd).map((file) => [file, digestOf(file) ?? ""]);
  return sha256(JSON.stringify([hook.command, hook.words, files]));
}

/** The files that a command names. */
export function filesOf({ words: [program, ...args] }: ShellHook, cwd: string): readonly string[] {
  const paths = [...(program.includes("/") ? [program] : []), ...args].map((word) => resolve(cwd, word));
  return paths.filter(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function markOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Reads a file again only if it changed. */
function createFileDigests(): (path: string) => string | undefined {
  const cached = new Map<string, { readonly mark: string; readonly digest: string }>();
  return (path) => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stat?.isFile()) return undefined;
    const mark = markOf(stat);
    const before = cached.get(path);
    if (before?.mark === mark) return before.digest;
    const digest = sha256(readFileSync(path));
    cached.set(path, { mark, digest });
    return digest;
  };
}
