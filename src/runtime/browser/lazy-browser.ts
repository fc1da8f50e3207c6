import { join } from "node:path";

import { reasonOf, type Result } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Browser, BrowserFault } from "../../contracts/web/browser.ts";
import type { OpenedBrowsers } from "./open-browsers.ts";
import type { SessionBrowser, SessionBrowserDeps } from "./session-browser.ts";

export interface LazyBrowserDeps extends Omit<SessionBrowserDeps, "browsers"> {
  readonly browsers: () => Promise<OpenedBrowsers>;
  /** Used in the names of the trace file and of the tabs at a server. */
  readonly name: string;
  readonly redact: (text: string) => string;
  readonly say: (sentence: string) => void;
}

/**
 * The browser of one conversation. Its code is loaded and it starts with the first page. When the user connects or
 * disconnects another browser, the current one is closed, and the next request opens the other one.
 */
export function lazyBrowser(config: LoadedConfig, deps: LazyBrowserDeps): Browser & AsyncDisposable {
  let opening: Promise<Result<SessionBrowser>> | undefined;
  let switches: Disposable | undefined;
  let isClosed = false;

  async function close(): Promise<void> {
    const last = opening;
    opening = undefined;
    const opened = await last;
    if (opened?.ok) await opened.value[Symbol.asyncDispose]();
  }

  async function ready(): Promise<Result<SessionBrowser>> {
    if (isClosed) return { ok: false, error: { message: "This conversation has ended." } };
    switches ??= (await deps.browsers()).onSwitch(close);
    const mine = (opening ??= open(config, deps).catch((thrown: unknown) => ({
      ok: false,
      error: { message: reasonOf(thrown) },
    })));
    const opened = await mine;
    // Forgets the failure, because settings, keys and programs can change before the next attempt.
    if (!opened.ok && opening === mine) opening = undefined;
    return opened;
  }

  return {
    async facts(target) {
      const opened = await opening;
      return opened?.ok ? opened.value.facts(target) : {};
    },
    async run(request, signal) {
      const opened = await ready();
      if (opened.ok) return opened.value.run(request, signal);
      const fault: BrowserFault = { kind: "unavailable", message: opened.error.message };
      return { ok: false, error: fault };
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      switches?.[Symbol.dispose]();
      await close();
    },
  };
}

async function open(config: LoadedConfig, deps: LazyBrowserDeps): Promise<Result<SessionBrowser>> {
  const [{ openSessionBrowser, routePrivate }, { savePictures }, browsers] = await Promise.all([
    import("./session-browser.ts"),
    import("../../browser/page/saved-pictures.ts"),
    deps.browsers(),
  ]);
  const own = { ...deps, browsers };
  const chosen = await browsers.choose();
  if (!chosen.ok) return chosen;
  const { browser: settings } = config.values;
  const pictures = join(config.home.path, homeFiles.cache, "screenshots");
  const recorded = async (browser: SessionBrowser): Promise<SessionBrowser> => ({
    ...browser,
    ...savePictures(settings.record_sessions ? await traced(browser, config, deps) : browser, pictures, deps.clock),
  });
  if (chosen.value.kind === "camofox")
    return { ok: true, value: await recorded(await camofox(config, chosen.value.url, own)) };
  const { source, isCloud } = chosen.value;
  const isRouted = isCloud && settings.allow_private_urls && settings.auto_local_for_private_urls;
  // Uses the strict guard, so that links and redirects to private addresses do not open in a remote browser.
  const guard = isRouted ? browsers.publicGuard : browsers.guard;
  const first = openSessionBrowser(config, source, { ...own, browsers: { ...browsers, guard } });
  const routed = isRouted
    ? routePrivate(
        first,
        () => openSessionBrowser(config, browsers.local, own),
        async (url) => browsers.isPrivate(url),
      )
    : first;
  return { ok: true, value: await recorded(routed) };
}

async function traced(browser: Browser, { home }: LoadedConfig, deps: LazyBrowserDeps): Promise<Browser> {
  const { tracedBrowser } = await import("../../browser/trace/traced-browser.ts");
  const { name, clock, redact, say } = deps;
  const folder = join(home.path, homeFiles.browser, "traces");
  return tracedBrowser(browser, { folder, name, clock, redact, say });
}

async function camofox(
  { values, secrets }: LoadedConfig,
  url: string,
  { browsers, name }: Omit<LazyBrowserDeps, "browsers"> & { readonly browsers: OpenedBrowsers },
): Promise<SessionBrowser> {
  const { createCamofoxBrowser } = await import("../../browser/cloud/camofox.ts");
  const { managed_persistence, user_id, session_key, adopt_existing_tab, loopback_host } = values.browser.camofox;
  const browser = createCamofoxBrowser({
    web: browsers.web,
    url,
    accessKey: secrets.get("CAMOFOX_ACCESS_KEY"),
    userId: user_id || (managed_persistence ? "hermes" : name),
    sessionKey: session_key || name,
    isPersistent: managed_persistence,
    adoptsTab: adopt_existing_tab,
    loopbackAlias: loopback_host || undefined,
    refusal: async (target) => browsers.guard.faultOf(target, "caller"),
  });
  return {
    ...browser,
    async [Symbol.asyncDispose]() {
      const { signal } = new AbortController();
      await browser.run({ do: "close" }, signal);
    },
  };
}
