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
  /** Declared and granted permissions. */
  readonly permissions: Permissions;
  readonly load: OwnLoadParams;
  readonly onRefused: (refusal: RefusedAccess) => void;
  readonly check: CheckFiles;
}

/**
 * Why the plugin's files differ from those that were checked, if they do. Called when the sandbox is complete and no
 * code of the plugin has run. `root`: where this process sees the root of the sandbox; empty: the sandbox has the same
 * files.
 */
export type CheckFiles = (root: string) => string | undefined;

/** The process adds the socket of its proxy and the permissions of its sandbox. */
export type OwnLoadParams = Omit<LoadParams, "proxySocket" | "permissions">;

/** Something that a plugin tried without the permission. */
export type RefusedAccess = HostNotifications["denied"];

export interface PluginProcess {
  readonly pid: number;
  /** Descriptor 3 of the process. */
  readonly channel: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ProgramExit>;
  stderrTail(): string;
  setKeepsAlive(keepsAlive: boolean): void;
  /** Kills the process and its descendants, and resolves when they have ended. */
  kill(): Promise<void>;
  /** The path of its proxy's socket inside the sandbox. Undefined: it has no network. */
  readonly proxySocket?: string;
  /** Completes "Plugin x …": protection or permissions that this machine does not support. Shown to the user once. */
  readonly weakness?: string;
  /** True if nothing enforces its permissions. */
  readonly isUnconfined?: boolean;
  /** Limits that are watched from outside. */
  readonly limits: { readonly maxMemoryBytes: number; readonly maxProcesses: number; readonly data?: DataLimit };
}
