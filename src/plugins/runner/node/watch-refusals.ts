import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import type { HostNotifications, LoadParams } from "../../../contracts/plugin/wire.ts";
import type { Callable } from "./check-parts.ts";

type Report = (refusal: HostNotifications["denied"]) => void;

/**
 * Reports files that the sandbox refuses, so that a person sees it. The sandbox enforces it; nothing is enforced here: this
 * only looks at the errors of `node:fs`. A file that a sandbox hides looks missing.
 */
export function watchRefusals(load: LoadParams, report: Report): void {
  if (!load.permissions) return;
  const own = [load.folder, load.dataDir, "/tmp"];
  const seen = new Set<string>();

  function judge(permission: "read" | "write", thrown: unknown, target: unknown): void {
    const { code } = thrown as { readonly code?: unknown };
    const path = pathOf(target);
    if (path === undefined || !refusals.includes(String(code)) || seen.size >= maxReports || seen.has(path)) return;
    // A missing folder of its own was not refused. Whether a file that it cannot read exists, the host knows.
    if (code === "ENOENT" && permission === "write" && own.some((folder) => path.startsWith(`${folder}/`))) return;
    seen.add(path);
    report({ permission, target: path });
  }

  for (const [owner, suffixes] of [
    [fs, ["", "Sync"]],
    [fs.promises, [""]],
  ] as const) {
    const functions = owner as unknown as Record<string, Callable>;
    for (const suffix of suffixes)
      for (const [name, permission] of Object.entries(watched)) {
        const original = functions[`${name}${suffix}`];
        if (original) functions[`${name}${suffix}`] = watchedCall(original, permission, judge);
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

const maxReports = 50;
const refusals: readonly string[] = ["EACCES", "EPERM", "EROFS", "ENOENT"];

const watched: Readonly<Record<string, "read" | "write">> = {
  open: "read",
  readFile: "read",
  readdir: "read",
  opendir: "read",
  copyFile: "write",
  writeFile: "write",
  appendFile: "write",
  mkdir: "write",
  rm: "write",
  unlink: "write",
  rename: "write",
};

function watchedCall(
  original: Callable,
  permission: "read" | "write",
  judge: (permission: "read" | "write", thrown: unknown, target: unknown) => void,
): Callable {
  return function watchedFunction(this: unknown, ...args) {
    const right =
      permission === "read" && /[wa+]/u.test(String(args[1])) && typeof args[1] === "string" ? "write" : permission;
    const given = args.at(-1);
    const done = typeof given === "function" ? (given as Callable) : undefined;
    const all = done
      ? args.with(args.length - 1, (...results: readonly unknown[]) => {
          if (results[0]) judge(right, results[0], args[0]);
          return done(...results);
        })
      : args;
    try {
      const result = Reflect.apply(original, this, all) as unknown;
      if (result instanceof Promise) result.catch((thrown: unknown) => judge(right, thrown, args[0]));
      return result;
    } catch (thrown) {
      judge(right, thrown, args[0]);
      throw thrown;
    }
  };
}

function pathOf(target: unknown): string | undefined {
  if (typeof target === "string") return resolve(target);
  if (target instanceof URL) return fileURLToPath(target);
  return undefined;
}
