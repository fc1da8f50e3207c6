import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { posix } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createPageBrowser } from "../../browser/page/page-browser.ts";
import { type BrowserSession, createBrowserSession } from "../../browser/sessions/browser-session.ts";
import type { BrowserSource } from "../../browser/sessions/browser-source.ts";
import { keepUpload } from "../../browser/sessions/keep-upload.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { FileSystem } from "../../contracts/environment/environment.ts";
import type { Browser, BrowserRequest } from "../../contracts/web/browser.ts";
import type { OpenedBrowsers } from "./open-browsers.ts";

export interface SessionBrowserDeps {
  readonly browsers: OpenedBrowsers;
  /** The files of the environment in which commands run. */
  readonly files: FileSystem;
  /** The folder of the conversation there. */
  readonly cwd: () => string;
  readonly clock: Clock;
}

/** A browser over the DevTools protocol for one conversation. */
export interface SessionBrowser extends Browser, AsyncDisposable {}

/** The browser of one conversation over a source, with the settings of the user. */
export function openSessionBrowser(
  config: LoadedConfig,
  source: BrowserSource,
  deps: SessionBrowserDeps,
): SessionBrowser {
  const { browsers, clock } = deps;
  const settings = config.values.browser;
  const session: BrowserSession = createBrowserSession({
    source: async () => ok(source),
    guard: browsers.guard,
    clock,
    dialogs: { policy: settings.dialog_policy, timeoutMs: settings.dialog_timeout * 1_000 },
    idleMs: settings.inactivity_timeout * 1_000,
    maxTabs: settings.max_tabs,
    downloads: { maxBytes: settings.max_download_mb * 1_048_576, maxFiles: settings.max_downloads },
    save: async (name, file) => saveDownload(name, file, deps),
  });
  const browser = createPageBrowser({
    session,
    async keepUpload(name, bytes) {
      const place = session.uploads();
      if (!place) throw new Error("this browser cannot read files of this machine");
      return keepUpload(place, name, bytes);
    },
    clock,
    commandMs: settings.command_timeout * 1_000,
    evaluate: { isRestricted: settings.restrict_evaluate && !settings.allow_unsafe_evaluate },
  });
  return { ...browser, [Symbol.asyncDispose]: async () => session[Symbol.asyncDispose]() };
}

/**
 * Opens private addresses in a local browser and others in the remote one. Later requests use the browser that opened
 * the last page.
 */
export function routePrivate(
  remote: SessionBrowser,
  makeLocal: () => SessionBrowser,
  isPrivate: (url: string) => Promise<boolean>,
): SessionBrowser {
  const local = once(makeLocal);
  let current = remote;
  let hasLocal = false;
  return {
    facts: async (target) => current.facts(target),
    async run(request: BrowserRequest, signal) {
      if (request.do === "navigate") {
        const goesLocal = await isPrivate(request.url);
        hasLocal ||= goesLocal;
        current = goesLocal ? local() : remote;
      }
      if (request.do === "close" && hasLocal) await (current === remote ? local() : remote).run(request, signal);
      return current.run(request, signal);
    },
    async [Symbol.asyncDispose]() {
      await remote[Symbol.asyncDispose]();
      if (hasLocal) await local()[Symbol.asyncDispose]();
    },
  };
}

/** Saves into a separate folder and never overwrites a file. The path is relative to the conversation's folder. */
async function saveDownload(name: string, file: string, { files, cwd }: SessionBrowserDeps): Promise<Result<string>> {
  const { signal } = new AbortController();
  const folder = posix.join(cwd(), downloadFolder);
  const part = posix.join(folder, `.part-${randomUUID()}`);
  const written = await files.write(part, await readFile(file), signal);
  if (!written.ok) return err({ message: written.error.message });
  const { name: stem, ext } = posix.parse(name);
  for (let number = 1; number <= maxSameName; number++) {
    const path = posix.join(folder, number === 1 ? name : `${stem} (${number})${ext}`);
    const moved = await files.move(part, path, signal);
    if (moved.ok) return ok(path);
    if (moved.error.kind === "exists") continue;
    await files.delete(part, signal);
    return err({ message: moved.error.message });
  }
  await files.delete(part, signal);
  return err({ message: `${folder} has too many files with the name ${name}` });
}

const downloadFolder = "browser-downloads";
const maxSameName = 200;
