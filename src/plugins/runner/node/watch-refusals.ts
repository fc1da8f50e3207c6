import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { isInside } from "../../../base/files/path.ts";
import { valueOr } from "../../../base/result.ts";
import type { HostNotifications, LoadParams } from "../../../contracts/plugin/wire.ts";
import type { Callable } from "./check-parts.ts";

type Refusal = HostNotifications["denied"];
type Judge = (thrown: unknown, args: readonly unknown[]) => void;

/**
 * Reports files that the sandbox refuses, so that the user learns about them. The sandbox enforces the permissions;
 * this module only looks at the errors of `node:fs`.
 */
export function watchFiles(load: LoadParams, report: (refusal: Refusal) => void): void {
  if (!load.permissions) return;
  // The original functions are kept, because the plugin may replace functions of `node:fs`.
  const { accessSync, constants } = fs;
  const writable = [load.dataDir, "/proc", "/dev"];
  const visible = [...writable, load.folder];
  const seen = new Set<string>();

  function send({ permission, target }: Refusal): void {
    const key = `${permission} ${target}`;
    if (seen.has(key) || seen.size >= maxReports) return;
    seen.add(key);
    report({ permission, target });
  }

  const canAccess = (path: string, mode?: number) => valueOr(() => (accessSync(path, mode), true), false);

  /** A sandbox with mounts hides files, so that they look missing. The host can tell whether they exist. */
  function isHidden({ permission, target }: Refusal): boolean {
    if (permission === "read") return !canAccess(target, constants.R_OK);
    return !canAccess(canAccess(target) ? target : dirname(target), constants.W_OK);
  }

  function judge(name: string, thrown: unknown, args: readonly unknown[]): void {
    const { code, permission, resource } = thrown as Readonly<Record<string, unknown>>;
    if (code === "ERR_ACCESS_DENIED")
      send({ permission: permission === "FileSystemWrite" ? "write" : "read", target: resolve(String(resource)) });
    if (!refusalCodes.includes(String(code))) return;
    const isMissing = code === "ENOENT";
    const outside = accessesOf(name, args).filter(({ permission: right, target }) => {
      const usable = isMissing || right === "read" ? visible : writable;
      return !usable.some((folder) => isInside(folder, target));
    });
    const hidden = outside.filter(isHidden);
    for (const refusal of isMissing || hidden.length > 0 ? hidden : outside.slice(0, 1)) send(refusal);
  }

  for (const owner of [fs, fs.promises]) {
    const functions = owner as unknown as Record<string, Callable>;
    for (const name of Object.keys(rights))
      for (const form of [name, `${name}Sync`]) {
        const original = functions[form];
        if (original) functions[form] = watchFailures(original, (thrown, args) => judge(name, thrown, args));
      }
  }
  syncBuiltinESMExports();
}

/** Reports attempts to start programs. Without the permission, every sandbox refuses them. */
export function watchPrograms(load: LoadParams, report: (refusal: Refusal) => void): void {
  if (!load.permissions || load.permissions.exec) return;
  function send(file: unknown): void {
    if (typeof file === "string") report({ permission: "exec", target: file });
  }
  process.getBuiltinModule("node:diagnostics_channel").subscribe("tracing:child_process.spawn:start", (message) => {
    const { options } = message as { readonly options: { readonly file?: unknown } };
    send(options.file);
  });
  // The diagnostics channel does not announce calls of these functions.
  const programs = process.getBuiltinModule("node:child_process") as unknown as Record<SyncStart, Callable>;
  for (const name of syncStarts) {
    const original = programs[name];
    programs[name] = (...args) => {
      send(name === "execSync" ? "/bin/sh" : args[0]);
      return original(...args);
    };
  }
  syncBuiltinESMExports();
}

const syncStarts = ["spawnSync", "execFileSync", "execSync"] as const;
type SyncStart = (typeof syncStarts)[number];

/** The error may just mean a missing file; the host can tell. */
const maxReports = 500;
const refusalCodes: readonly string[] = ["ENOENT", "EACCES", "EPERM", "EROFS"];

/** The permission that each function of `node:fs` needs for its first arguments. */
const rights: Readonly<Record<string, readonly ("read" | "write" | undefined)[]>> = {
  open: ["read"],
  readFile: ["read"],
  readdir: ["read"],
  opendir: ["read"],
  readlink: ["read"],
  writeFile: ["write"],
  appendFile: ["write"],
  truncate: ["write"],
  mkdir: ["write"],
  mkdtemp: ["write"],
  rm: ["write"],
  rmdir: ["write"],
  unlink: ["write"],
  chmod: ["write"],
  rename: ["write", "write"],
  copyFile: ["read", "write"],
  cp: ["read", "write"],
  link: ["read", "write"],
  symlink: [undefined, "write"],
};

function accessesOf(name: string, args: readonly unknown[]): readonly Refusal[] {
  const isWriting = name === "open" && writingFlags(args[1]);
  return (rights[name] ?? []).flatMap((right, index) => {
    const path = pathOf(args[index]);
    return right === undefined || path === undefined ? [] : [{ permission: isWriting ? "write" : right, target: path }];
  });
}

function writingFlags(flags: unknown): boolean {
  const { O_WRONLY, O_RDWR, O_CREAT } = fs.constants;
  if (typeof flags === "number") return (flags & (O_WRONLY | O_RDWR | O_CREAT)) !== 0;
  return typeof flags === "string" && /[wa+]/u.test(flags);
}

function pathOf(value: unknown): string | undefined {
  if (typeof value === "string") return resolve(value);
  if (value instanceof URL) return fileURLToPath(value);
  return value instanceof Uint8Array ? resolve(Buffer.from(value).toString()) : undefined;
}

/** Passes the failures of a function to `judge`. */
function watchFailures(original: Callable, judge: Judge): Callable {
  // A failing report must not make the plugin's call fail.
  const consider: Judge = (thrown, args) => valueOr(() => judge(thrown, args), undefined);
  return function watched(this: unknown, ...args) {
    const done = args.at(-1);
    const all =
      typeof done === "function"
        ? args.with(args.length - 1, (...results: readonly unknown[]): unknown => {
            if (results[0]) consider(results[0], args);
            return Reflect.apply(done, undefined, results);
          })
        : args;
    try {
      const result: unknown = Reflect.apply(original, this, all);
      if (!(result instanceof Promise)) return result;
      // The promise with the handler is not returned: a rejection that the plugin does not handle must stay unhandled.
      return result.catch((thrown: unknown) => {
        consider(thrown, args);
        throw thrown;
      });
    } catch (thrown) {
      consider(thrown, args);
      throw thrown;
    }
  };
}
