import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { findProgram, isProgram } from "../../base/process/find-program.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { valueOr } from "../../base/result.ts";

export interface FoundBrowser {
  /** The browser's binary: if a wrapper script were killed, the browser would keep running. */
  readonly program: string;
  /** Whether this is the headless shell, which starts fast but cannot show windows. */
  readonly isHeadlessShell: boolean;
}

export interface BrowserSearch {
  /** The setting `browser.executable`. */
  readonly executable: string;
  /** With `chrome`, only Chrome or Chromium is used, not the headless shell. */
  readonly engine: "auto" | "chrome" | "lightpanda";
  readonly isHeaded: boolean;
  readonly env: Variables;
  readonly platform: NodeJS.Platform;
}

/** Selects the browser to start: the one in the settings, otherwise the lightest one on this machine. */
export function findBrowser(search: BrowserSearch): FoundBrowser | undefined {
  const { executable, engine, isHeaded, env, platform } = search;
  const browserAt = (path: string): FoundBrowser => ({
    program: binaryOf(path),
    isHeadlessShell: isHeadlessShell(path),
  });
  if (executable !== "") {
    const program = findProgram([executable], env);
    return program === undefined ? undefined : browserAt(program);
  }
  const shells = isHeaded || engine === "chrome" ? [] : headlessShells;
  const own = platform === "darwin" ? macPrograms(env) : linuxPrograms;
  const place = [...shells, ...own].find(isProgram);
  const onPath = findProgram(
    [...shells, ...names].filter((name) => !name.includes("/")),
    env,
  );
  const isLighter = onPath !== undefined && isHeadlessShell(onPath) && !(place && isHeadlessShell(place));
  const path = isLighter ? onPath : (place ?? onPath);
  return path === undefined ? undefined : browserAt(path);
}

function isHeadlessShell(path: string): boolean {
  return /headless[-_]shell$/u.test(path);
}

const headlessShells: readonly string[] = [
  "/usr/lib/chromium/chromium-headless-shell",
  "/usr/lib64/chromium-browser/headless_shell",
  "chromium-headless-shell",
  "chrome-headless-shell",
];

const names: readonly string[] = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
  "brave-browser",
  "microsoft-edge",
];

const linuxPrograms: readonly string[] = [
  "/usr/lib/chromium/chromium",
  "/usr/lib/chromium-browser/chromium-browser",
  "/usr/lib64/chromium-browser/chromium-browser",
  "/opt/google/chrome/chrome",
  "/opt/brave.com/brave/brave",
  "/opt/microsoft/msedge/msedge",
];

function macPrograms(env: Variables): readonly string[] {
  const apps = ["Google Chrome", "Chromium", "Brave Browser", "Microsoft Edge"];
  return ["", env["HOME"] ?? ""].flatMap((root) =>
    apps.map((app) => join(root, "/Applications", `${app}.app`, "Contents/MacOS", app)),
  );
}

/** Follows links, and resolves a distribution's shell script to the program that it starts. */
function binaryOf(path: string): string {
  const real = valueOr(() => realpathSync(path), path);
  const start = valueOr(() => firstBytes(real, maxScriptBytes), "");
  if (!start.startsWith("#!")) return real;
  const name = real.slice(real.lastIndexOf("/") + 1);
  const libraries = ["/usr/lib", "/usr/lib64", "/opt/google", "/usr/share"];
  const folders = ["chromium", "chromium-browser", "chrome"];
  const inside = [...start.matchAll(/(\/[\w./-]*(?:chrom|headless|brave|msedge)[\w./-]*)/gu)].map(
    ([, each = ""]) => each,
  );
  const defaults = libraries.flatMap((library) => folders.map((folder) => join(library, folder, name)));
  return [...defaults, ...inside].find((each) => each !== real && isProgram(each) && !isScript(each)) ?? real;
}

function isScript(path: string): boolean {
  return valueOr(() => firstBytes(path, 2) === "#!", true);
}

/** A browser's binary has hundreds of megabytes, so only its start is read. */
function firstBytes(path: string, count: number): string {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(count);
    return bytes.toString("latin1", 0, readSync(descriptor, bytes, 0, count, 0));
  } finally {
    closeSync(descriptor);
  }
}

const maxScriptBytes = 65_536;
