import { tmpdir } from "node:os";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { proxyFor } from "../../base/http/http-client.ts";
import { createChildStarter } from "../../base/process/child-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type CloudBrowsers, createCloudBrowsers } from "../../browser/cloud/cloud-browsers.ts";
import { socketOf } from "../../browser/cloud/cloud-service.ts";
import type { UrlGuard } from "../../browser/guard/url-guard.ts";
import { browserAccount } from "../../browser/launch/browser-account.ts";
import { type BrowserProfiles, createBrowserProfiles } from "../../browser/launch/browser-profiles.ts";
import { findBrowser, type FoundBrowser } from "../../browser/launch/find-browser.ts";
import { type BrowserLaunch, launchBrowser, type LaunchedBrowser } from "../../browser/launch/launch-browser.ts";
import { completedUrl } from "../../browser/page/page-browser.ts";
import { type AttachedAddress, createAttachedSource } from "../../browser/sessions/attached-source.ts";
import type { BrowserSource } from "../../browser/sessions/browser-source.ts";
import { createLocalBrowserSource } from "../../browser/sessions/local-source.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { proxyVariables } from "../open-http.ts";
import { openWeb } from "../policy/open-web.ts";
import { openUrlGuard } from "./open-url-guard.ts";

export interface BrowsersDeps {
  readonly cwd: string;
  readonly clock: Clock;
  /** Backends of plugins, of kind `browser`. */
  readonly backends: () => Promise<readonly Backend[]>;
}

/** The browsers of one program: a local process for all conversations, and connections to others. */
export interface OpenedBrowsers extends AsyncDisposable {
  readonly guard: UrlGuard;
  /** A guard for remote browsers that never opens private addresses, even if the settings allow it. */
  readonly publicGuard: UrlGuard;
  readonly web: Web;
  readonly profiles: BrowserProfiles;
  /** The browser of the settings, or the reason why there is none. `camofox`: a server with its own API. */
  choose(): Promise<Result<ChosenBrowser>>;
  /** Whether an address leads to this machine or its network. */
  isPrivate(url: string): Promise<boolean>;
  /** The browser for private addresses, in addition to a cloud browser. */
  readonly local: BrowserSource;
  /** The browser that a conversation would use, without starting it. */
  status(): Promise<BrowsersStatus>;
  /** All conversations use this running browser from now on. Returns its description. */
  connect(url: string): Promise<Result<string>>;
  /** Returns when conversations have closed their tabs there. False: none was connected. */
  disconnect(): Promise<boolean>;
  /**
   * Registers a function to call when the user connects or disconnects a browser, so that conversations close the
   * previous one.
   */
  onSwitch(leave: () => Promise<void>): Disposable;
  /** Shows a window in which a person logs in. `ended` resolves when it is closed. */
  openWindow(profile: string): Promise<Result<OpenWindow>>;
}

/** `where`: a description for the user, without credentials. */
export type ChosenBrowser = { readonly where: string } & (
  | { readonly kind: "protocol"; readonly source: BrowserSource; readonly isCloud: boolean }
  | { readonly kind: "camofox"; readonly url: string }
);

export interface BrowsersStatus {
  readonly backend: string;
  /** The browser that is used next. */
  readonly where?: string;
  /** The reason why no browser can be used. */
  readonly problem?: string;
  readonly program?: string;
  /** The account that a browser of root runs as. */
  readonly account?: string;
  readonly connected?: string;
  readonly profile?: string;
  readonly profiles: readonly string[];
  readonly allowsPrivate: boolean;
}

export interface OpenWindow {
  readonly warning?: string;
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

export function openBrowsers(config: LoadedConfig, deps: BrowsersDeps): OpenedBrowsers {
  const { clock } = deps;
  const web = openWeb(config, deps);
  const { values, home, env, secrets } = config;
  const settings = values.browser;
  const guard = openUrlGuard(config, deps);
  const publicGuard = openUrlGuard(config, deps, () => false);
  const account = browserAccount();
  const startChild = createChildStarter(clock);
  const profiles = createBrowserProfiles({
    home: home.path,
    folder: join(home.path, homeFiles.browser, "profiles"),
    sharedFolder: "/var/lib/hermes-browser",
    account,
    clock,
  });
  const timeoutMs = settings.command_timeout * 1_000;
  let connected: string | undefined;
  const leaving = new Set<() => Promise<void>>();
  const leaveAll = async (): Promise<void> => {
    await Promise.allSettled(Array.from(leaving, async (leave) => leave()));
  };

  const find = (isHeaded: boolean): Result<FoundBrowser> => {
    const { executable, engine } = settings;
    if (engine === "lightpanda")
      return err({ message: "Hermes does not start lightpanda: run `lightpanda serve` and set browser.cdp_url." });
    const browser = findBrowser({ executable, engine, isHeaded, env, platform: process.platform });
    if (browser) return ok(browser);
    const missing = executable === "" ? "No Chromium or Chrome was found" : `${executable} is not a program`;
    return err({ message: `${missing}. \`hermes browser install\` says how to get one.` });
  };

  async function launch(own: {
    readonly isHeaded: boolean;
    readonly proxyPort: number | undefined;
    readonly profile?: string;
    readonly onConnecting?: NonNullable<BrowserLaunch["onConnecting"]>;
  }): Promise<Result<LaunchedBrowser>> {
    const browser = find(own.isHeaded);
    if (!browser.ok) return browser;
    return launchBrowser(
      {
        browser: browser.value,
        ...own,
        maxPageMb: settings.max_page_memory_mb,
        mayLackSandbox: settings.sandbox === "auto",
      },
      { startChild, clock, env, tempFolder: tmpdir(), account, timeoutMs: Math.max(timeoutMs, minStartMs) },
    );
  }

  /** Releases the profile when its browser has ended. */
  async function launchProfile(
    name: string,
    isHeaded: boolean,
    proxyPort: number | undefined,
    onConnecting?: NonNullable<BrowserLaunch["onConnecting"]>,
  ): Promise<Result<LaunchedBrowser>> {
    const lease = await profiles.take(name);
    if (!lease.ok) return lease;
    const own = { isHeaded, proxyPort, profile: lease.value.folder, ...(onConnecting && { onConnecting }) };
    const launched = await launch(own);
    const release = (): void => lease.value[Symbol.dispose]();
    if (launched.ok) void launched.value.ended.then(release);
    else release();
    return launched;
  }

  const { profile, headed: isHeaded } = settings;
  const local = createLocalBrowserSource({
    guard,
    upstream: {
      proxyFor: (url) => proxyFor(url, proxyVariables(secrets)),
      isByName: settings.proxy_by_name,
    },
    launch: async (proxyPort, onConnecting) =>
      profile === ""
        ? launch({ isHeaded, proxyPort, onConnecting })
        : launchProfile(profile, isHeaded, proxyPort, onConnecting),
    ...(profile !== "" && { profile }),
  });

  const cloud = once(async (): Promise<CloudBrowsers> => {
    const folder = join(home.path, homeFiles.browser, "open");
    return createCloudBrowsers({ web, variable: secrets.get, folder, backends: await deps.backends() });
  });

  function attached(address: () => Promise<Result<AttachedAddress>>): BrowserSource {
    return createAttachedSource({ address, tempFolder: tmpdir(), clock, timeoutMs });
  }

  /** The user's own browser, at an address that the user gave. */
  async function personal(url: string): Promise<Result<AttachedAddress>> {
    const full = URL.parse(/^[a-z]+:\/\//iu.test(url) ? url : `http://${url}`);
    if (!full || !/^(?:https?|wss?):$/u.test(full.protocol))
      return err({ message: `${url} is not the address of a browser.` });
    const place = { id: full.host, cdpUrl: full.href, leftOut: [] };
    const { signal } = new AbortController();
    const socket = await socketOf({ web, variable: secrets.get }, "The browser", place, true, signal);
    if (!socket.ok)
      return err({ message: `${socket.error.message} Start it with --remote-debugging-port=${full.port || "9222"}.` });
    return ok({
      webSocketUrl: socket.value.cdpUrl,
      description: `the browser at ${full.host}`,
      isPersonal: true,
      isLocal: /^(?:localhost|127\.|\[::1\])/u.test(full.hostname),
      warnings: [],
      release: async () => {},
    });
  }

  function cloudSource(id: string): BrowserSource {
    return attached(async () => {
      const { signal } = new AbortController();
      const opened = await (await cloud()).open(id, signal);
      if (!opened.ok) return opened;
      const { cdpUrl, service, leftOut, watchUrl, close } = opened.value;
      const missing = leftOut.length === 0 ? [] : [`${service.title} does not support: ${leftOut.join(", ")}.`];
      const watch = watchUrl === undefined ? [] : [`A person can watch at ${watchUrl}.`];
      return ok({
        webSocketUrl: cdpUrl,
        description: `the browser of ${service.title}`,
        isPersonal: false,
        isLocal: false,
        warnings: [...missing, ...watch],
        release: async () => void (await close(signal)),
      });
    });
  }

  async function choose(): Promise<Result<ChosenBrowser>> {
    const { backend, cdp_url: cdpUrl } = settings;
    const url = connected ?? (backend === "cdp" || backend === "auto" ? cdpUrl : "");
    if (url !== "") {
      const source = attached(async () => personal(url));
      const host = URL.parse(/^[a-z]+:\/\//iu.test(url) ? url : `http://${url}`)?.host ?? "an invalid address";
      return ok({ kind: "protocol", source, isCloud: false, where: `the browser at ${host}` });
    }
    if (backend === "cdp") return err({ message: "browser.backend is cdp, but browser.cdp_url is not set." });
    const camofoxUrl = secrets.get("CAMOFOX_URL") ?? "";
    if (backend === "camofox") {
      if (camofoxUrl === "")
        return err({ message: "Camofox needs CAMOFOX_URL: hermes config set CAMOFOX_URL http://localhost:9377" });
      return ok({ kind: "camofox", url: camofoxUrl, where: "Camofox" });
    }
    const program = find(isHeaded);
    if (backend === "local" || (backend === "auto" && program.ok))
      return program.ok
        ? ok({ kind: "protocol", source: local, isCloud: false, where: program.value.program })
        : program;
    const id = backend === "auto" ? (await cloud()).available()?.id : backend;
    if (id !== undefined) return ok({ kind: "protocol", source: cloudSource(id), isCloud: true, where: id });
    return camofoxUrl === "" ? (program as Result<never>) : ok({ kind: "camofox", url: camofoxUrl, where: "Camofox" });
  }

  return {
    guard,
    publicGuard,
    web,
    profiles,
    local,
    async isPrivate(url) {
      const target = URL.parse(completedUrl(url) ?? "");
      if (!target) return false;
      const judged = await publicGuard.addressesOf(target);
      return !judged.ok && judged.isRefused;
    },
    choose,
    async status() {
      const [browser, chosen] = [find(isHeaded), await choose()];
      return {
        backend: settings.backend,
        ...(chosen.ok ? { where: chosen.value.where } : { problem: chosen.error.message }),
        ...(browser.ok && { program: browser.value.program }),
        ...(account && { account: account.name }),
        ...(connected !== undefined && { connected }),
        ...(profile !== "" && { profile }),
        profiles: profiles.list(),
        allowsPrivate: settings.allow_private_urls,
      };
    },
    async connect(url) {
      const target = await personal(url === "" ? settings.cdp_url || "http://localhost:9222" : url);
      if (!target.ok) return target;
      connected = target.value.webSocketUrl;
      await leaveAll();
      return ok(target.value.description);
    },
    async disconnect() {
      const wasConnected = connected !== undefined;
      connected = undefined;
      if (wasConnected) await leaveAll();
      return wasConnected;
    },
    onSwitch(leave) {
      leaving.add(leave);
      return { [Symbol.dispose]: () => void leaving.delete(leave) };
    },
    async openWindow(name) {
      const launched = await launchProfile(name, true, undefined);
      if (!launched.ok) return launched;
      const { warning, ended, end } = launched.value;
      return ok({ ...(warning !== undefined && { warning }), ended, close: end });
    },
    [Symbol.asyncDispose]: async () => local[Symbol.asyncDispose](),
  };
}

const minStartMs = 20_000;
