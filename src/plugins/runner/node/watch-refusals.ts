import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { isInside } from "../../../base/files/path.ts";
import { isObject } from "../../../base/json.ts";
import { valueOr } from "../../../base/result.ts";
import type { HostNotifications, LoadParams } from "../../../contracts/plugin/wire.ts";
import type { Callable } from "./check-parts.ts";

type Report = (refusal: HostNotifications["denied"]) => void;

/**
 * Reports files that the sandbox refuses, so that a person sees it. The sandbox enforces it; nothing is enforced here: this
 * only looks at the errors of `node:fs`. A file that a sandbox hides looks missing.
 */
export function watchRefusals(load: LoadParams, report: Report): void {
  if (!load.permissions) return;
  const own = [load.folder, load.dataDir];
  const seen = new Set<string>();

  function judge(error: unknown, args: readonly unknown[], access: Access): void {
    for (const { permission, path } of refusedPaths(error, args, access)) {
      const key = `${permission} ${path}`;
      // Its own folders are there: what it does not find in them does not exist.
      const isMissing = permission === "read" && own.some((folder) => isInside(folder, path));
      if (isMissing || seen.has(key) || seen.size >= maxReports) continue;
      seen.add(key);
      report({ permission, target: path });
    }
  }

  for (const [owner, suffixes] of [
    [fs, ["", "Sync"]],
    [fs.promises, [""]],
  ] as const) {
    const functions = owner as unknown as Record<string, Callable>;
    for (const suffix of suffixes)
      for (const [name, access] of Object.entries(watched)) {
        const original = functions[`${name}${suffix}`];
        if (original)
          functions[`${name}${suffix}`] = watchedCall(original, (error, args) => judge(error, args, access));
      }
  }
  syncBuiltinESMExports();
}

/** The same for programs. Node announces each before it starts; only `…Sync` functions do not. */
export function watchPrograms(load: LoadParams, report: Report): void {
  if (!load.permissions || load.permissions.exec) return;
  const { subscribe } = process.getBuiltinModule("node:diagnostics_channel");
  subscribe("child_process", (message) => {
    const { process: child } = message as { readonly process: { readonly spawnfile?: string } };
    // It learns its name after this.
    process.nextTick(() => report({ permission: "exec", target: child.spawnfile ?? "a program" }));
  });
}

/** Most may be files that do not exist; the host knows which. */
const maxReports = 500;

function watchedCall(original: Callable, judge: (error: unknown, args: readonly unknown[]) => void): Callable {
  // A report is never the reason why something fails.
  const note = (error: unknown, args: readonly unknown[]) => valueOr(() => judge(error, args), undefined);
  return function watchedFunction(this: unknown, ...args) {
    const given = args.at(-1);
    const done = typeof given === "function" ? (given as Callable) : undefined;
    const all = done
      ? args.with(args.length - 1, (...results: readonly unknown[]) => {
          if (results[0]) note(results[0], args);
          return done(...results);
        })
      : args;
    try {
      const result = Reflect.apply(original, this, all);
      if (result instanceof Promise) result.catch((thrown: unknown) => note(thrown, args));
      return result;
    } catch (thrown) {
      note(thrown, args);
      throw thrown;
    }
  };
}

interface Wish {
  readonly permission: "read" | "write";
  readonly path: string;
}

function refusedPaths(error: unknown, args: readonly unknown[], access: Access): readonly Wish[] {
  const code = isObject(error) ? String(error["code"]) : "";
  if (!refusals.includes(code)) return [];
  const wishes = (typeof access === "function" ? access(args) : access).flatMap((permission, index): Wish[] => {
    const path = pathOf(args[index]);
    return permission === undefined || path === undefined ? [] : [{ permission, path }];
  });
  const inaccessible = wishes.filter((wish) => !isAccessible(wish));
  // A file can be there and be refused all the same.
  return inaccessible.length === 0 && code !== "ENOENT" ? wishes : inaccessible;
}

const refusals: readonly string[] = ["EACCES", "EPERM", "EROFS", "ENOENT", "ERR_ACCESS_DENIED"];

function isAccessible({ permission, path }: Wish): boolean {
  const probe = permission === "read" || fs.existsSync(path) ? path : dirname(path);
  const mode = permission === "read" ? fs.constants.R_OK : fs.constants.W_OK;
  return valueOr(() => (fs.accessSync(probe, mode), true), false);
}

function pathOf(target: unknown): string | undefined {
  if (typeof target === "string") return resolve(target);
  if (target instanceof URL) return fileURLToPath(target);
  return undefined;
}

/** The permissions that a function needs for its first arguments, which are paths. */
type Access = readonly ("read" | "write" | undefined)[] | ((args: readonly unknown[]) => readonly ("read" | "write")[]);

const watched: Readonly<Record<string, Access>> = {
  readFile: ["read"],
  readdir: ["read"],
  opendir: ["read"],
  readlink: ["read"],
  copyFile: ["read", "write"],
  cp: ["read", "write"],
  writeFile: ["write"],
  appendFile: ["write"],
  truncate: ["write"],
  mkdir: ["write"],
  rm: ["write"],
  rmdir: ["write"],
  unlink: ["write"],
  rename: ["write", "write"],
  link: ["write", "write"],
  symlink: [undefined, "write"],
  chmod: ["write"],
  open: ([, flags]) => [isWriting(flags) ? "write" : "read"],
};

const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = fs.constants;

function isWriting(flags: unknown): boolean {
  if (typeof flags === "number") return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0;
  return typeof flags === "string" && /[wa+]/u.test(flags);
}
