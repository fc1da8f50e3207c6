import type { Duplex, Readable } from "node:stream";

import type { ProgramExit } from "../../base/process/child-program.ts";
import type { Result } from "../../base/result.ts";
import type { FoundPlugin, Permissions } from "../../contracts/plugin/manifest.ts";
import type { HostNotifications, LoadParams } from "../../contracts/plugin/wire.ts";
import type { DataLimit } from "./watch-data.ts";
import type { UsageLimits } from "./watch-usage.ts";

/** Starts the process of a plugin in its sandbox. The runtime provides the implementation. Never rejects. */
export type StartPlugin = (start: PluginStart) => Promise<Result<PluginProcess, string>>;

export interface PluginStart {
  readonly plugin: FoundPlugin;
  /** The permissions that the plugin declares and the user granted. */
  readonly permissions: Permissions;
  readonly load: OwnLoadParams;
  readonly onRefused: (refusal: RefusedAccess) => void;
  readonly check: CheckFiles;
}

/**
 * Returns why the plugin's files differ from those that were checked; undefined if they do not. Called when the
 * sandbox is complete and before code of the plugin runs. `root` is the sandbox root as this process sees it; empty
 * if the sandbox sees the same files.
 */
export type CheckFiles = (root: string) => string | undefined;

/**
 * Environment variables of the process. The process itself adds the socket of its proxy and the permissions of its
 * sandbox.
 */
export type OwnLoadParams = Omit<LoadParams, "proxySocket" | "permissions">;

/** An access that a plugin attempted without permission. */
export type RefusedAccess = HostNotifications["denied"];

export interface PluginProcess {
  readonly pid: number;
  /** The stream of file descriptor 3 of the process. */
  readonly channel: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ProgramExit>;
  stderrTail(): string;
  setKeepsAlive(keepsAlive: boolean): void;
  /** Kills the process and its descendants. Resolves when they have ended. */
  kill(): Promise<void>;
  /** The path of the proxy's socket inside the sandbox; undefined if the process has no network. */
  readonly proxySocket?: string;
  /**
   * Completes "Plugin x …": names protection or permissions that this machine does not support. Shown to the user
   * once.
   */
  readonly weakness?: string;
  /** True if nothing enforces the plugin's permissions. */
  readonly isUnconfined?: boolean;
  /** Limits that Hermes enforces from outside the process. */
  readonly limits: UsageLimits & { readonly data?: DataLimit };
}
