import type { Duplex, Readable } from "node:stream";

import type { ProgramExit } from "../../base/process/child-program.ts";
import type { Result } from "../../base/result.ts";
import type { FoundPlugin, Permissions } from "../../contracts/plugin/manifest.ts";
import type { HostNotifications, LoadParams } from "../../contracts/plugin/wire.ts";
import type { DataLimit } from "./watch-data.ts";

/** Starts the process of a plugin in its sandbox. The runtime implements it. Never rejects. */
export type StartPlugin = (start: PluginStart) => Promise<Result<PluginProcess, string>>;

export interface PluginStart {
  readonly plugin: FoundPlugin;
  /** Declared and granted ones. */
  readonly permissions: Permissions;
  readonly load: OwnLoadParams;
  readonly onRefused: (refusal: RefusedAccess) => void;
  readonly check: CheckFiles;
}

/**
 * Why the plugin's files are not those that were checked, if so. Called when the sandbox is complete and no code of the
 * plugin has run. `root`: where this process sees the root of the sandbox; empty: the sandbox has the same files.
 */
export type CheckFiles = (root: string) => string | undefined;

/** The process adds the socket of its proxy and what its sandbox allows. */
export type OwnLoadParams = Omit<LoadParams, "proxySocket" | "permissions">;

/** Something that a plugin tried without the permission. */
export type RefusedAccess = HostNotifications["denied"];

export interface PluginProcess {
  readonly pid: number;
  /** Its descriptor 3. */
  readonly channel: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ProgramExit>;
  stderrTail(): string;
  setKeepsAlive(keepsAlive: boolean): void;
  /** Kills it and everything that it started, and resolves when they are gone. */
  kill(): Promise<void>;
  /** The socket of its proxy, as it sees it. Undefined: it has no network. */
  readonly proxySocket?: string;
  /** Completes "Plugin x …": protection or rights that this machine cannot give. Shown to the person once. */
  readonly weakness?: string;
  /** Nothing enforces its permissions. */
  readonly isUnconfined?: boolean;
  /** Limits that are watched from outside. */
  readonly limits: { readonly maxMemoryBytes: number; readonly maxProcesses: number; readonly data?: DataLimit };
}
