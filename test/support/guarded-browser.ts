import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { createChildStarter } from "../../src/base/process/child-program.ts";
import { ok } from "../../src/base/result.ts";
import type { GuardedAddresses, UrlGuard } from "../../src/browser/guard/url-guard.ts";
import { browserAccount } from "../../src/browser/launch/browser-account.ts";
import { launchBrowser } from "../../src/browser/launch/launch-browser.ts";
import { type BrowserSession, createBrowserSession } from "../../src/browser/sessions/browser-session.ts";
import { createLocalBrowserSource } from "../../src/browser/sessions/local-source.ts";
import { hostOf, judgeUrl } from "../../src/safety/url/judge-url.ts";
import { headlessShell } from "./cloud-browser-server.ts";
import { tempHome } from "./temp-home.ts";

/** Answers of a simulated name server. Each lookup of a name uses the next answer, and the last one repeats. */
export type NameAnswers = Readonly<Record<string, readonly string[]>>;

/** Stands for the sites on this machine: a public address for the guard, loopback for the connection. */
export const publicAddress = "93.184.216.34";

/**
 * The guard with its real rules. Only name resolution is simulated, and `publicAddress` is connected to this machine.
 */
function namedSites(answers: NameAnswers): UrlGuard {
  const rules = { allowPrivate: false };
  const lookups = new Map<string, number>();
  const resolve = (host: string): readonly string[] => {
    const list = answers[host] ?? (host.endsWith(".example") ? [publicAddress] : []);
    const count = lookups.get(host) ?? 0;
    lookups.set(host, count + 1);
    return list.length === 0 ? [] : [list[Math.min(count, list.length - 1)] ?? ""];
  };
  return {
    async faultOf(url) {
      const verdict = judgeUrl(url, rules);
      return verdict.verdict === "block" ? verdict.reason : undefined;
    },
    async addressesOf(url): Promise<GuardedAddresses> {
      const addresses = resolve(hostOf(url));
      if (addresses.length === 0) return { ok: false, isRefused: false, reason: `${hostOf(url)} has no address` };
      const verdict = judgeUrl(url.href, rules, () => addresses);
      if (verdict.verdict === "block") return { ok: false, isRefused: true, reason: verdict.reason };
      const real = (address: string) => (address === publicAddress ? "127.0.0.1" : address);
      return { ok: true, addresses: addresses.map((address) => ({ address: real(address), family: 4 })) };
    },
  };
}

export interface GuardedBrowser extends AsyncDisposable {
  readonly session: BrowserSession;
  /** The folder in which downloads are saved. */
  readonly folder: string;
}

/** A real headless browser behind the guard, as in a conversation. */
export async function guardedBrowser(
  answers: NameAnswers = {},
  {
    maxBytes = 5_000_000,
    maxTabs = 5,
    maxPageMb = 512,
    idleMs = 120_000,
    program = headlessShell,
    mayLackSandbox = true,
    clock = systemClock,
  } = {},
): Promise<GuardedBrowser> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await tempHome()).path;
  const guard = namedSites(answers);
  const source = stack.use(
    createLocalBrowserSource({
      guard,
      launch: async (proxyPort, onConnecting) =>
        launchBrowser(
          {
            browser: { program, isHeadlessShell: true },
            isHeaded: false,
            proxyPort,
            onConnecting,
            maxPageMb,
            mayLackSandbox,
          },
          {
            startChild: createChildStarter(systemClock),
            clock: systemClock,
            env: { PATH: process.env["PATH"] },
            tempFolder: tmpdir(),
            account: browserAccount(),
            timeoutMs: 30_000,
          },
        ),
    }),
  );
  const session = stack.use(
    createBrowserSession({
      source: async () => ok(source),
      guard,
      clock,
      dialogs: { policy: "must_respond", timeoutMs: 300_000 },
      idleMs,
      maxTabs,
      downloads: { maxBytes, maxFiles: 10 },
      async save(name, file) {
        const path = join(folder, name);
        await rename(file, path);
        return ok(path);
      },
    }),
  );
  return { session, folder, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
