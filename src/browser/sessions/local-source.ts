import { once } from "../../base/async/once.ts";
import { ok, reasonOf, type Result } from "../../base/result.ts";
import { type BrowserProxy, startBrowserProxy } from "../guard/browser-proxy.ts";
import type { UrlGuard } from "../guard/url-guard.ts";
import type { LaunchedBrowser } from "../launch/launch-browser.ts";
import { type BrowserSource, type OpenedBrowser, runInTurn } from "./browser-source.ts";

export interface LocalBrowserSourceDeps {
  readonly guard: UrlGuard;
  readonly launch: (proxyPort: number) => Promise<Result<LaunchedBrowser>>;
  /** A profile that keeps logins: all its conversations share its cookies. */
  readonly profile?: string;
}

interface Running {
  readonly proxy: BrowserProxy;
  readonly browser: LaunchedBrowser;
  readonly alone: OpenedBrowser["alone"];
  users: number;
}

/** One browser process for all conversations, with a cookie jar for each. It ends when no conversation uses it. */
export function createLocalBrowserSource({
  guard,
  launch,
  profile,
}: LocalBrowserSourceDeps): BrowserSource & AsyncDisposable {
  let starting: Promise<Result<Running>> | undefined;

  async function start(): Promise<Result<Running>> {
    const proxy = await startBrowserProxy(guard);
    const launched = await launch(proxy.port);
    if (!launched.ok) {
      proxy[Symbol.dispose]();
      return launched;
    }
    const browser = launched.value;
    const { connection } = browser;
    const forget = (): void => {
      starting = undefined;
      proxy[Symbol.dispose]();
    };
    void connection.closed.then(forget);
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: attachedTargets };
    // Both respond before any page exists.
    const prepared = [
      connection.send("Target.setAutoAttach", attach),
      connection.send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] }),
    ];
    for (const each of prepared) each.catch(() => {});
    return ok({ proxy, browser, alone: runInTurn(), users: 0 });
  }

  async function running(): Promise<Result<Running>> {
    const mine = (starting ??= start());
    const started = await mine;
    if (!started.ok && starting === mine) starting = undefined;
    return started;
  }

  async function end({ proxy, browser }: Running): Promise<void> {
    starting = undefined;
    await browser.end();
    proxy[Symbol.dispose]();
  }

  return {
    async open(onRefused) {
      const started = await running();
      if (!started.ok) return started;
      const current = started.value;
      const { proxy, browser } = current;
      const { connection } = browser;
      current.users++;
      const admission = proxy.admit(onRefused);
      const leave = once(async () => {
        admission[Symbol.dispose]();
        current.users--;
        if (current.users === 0) await end(current);
      });
      try {
        const contextId = profile === undefined ? await makeContext(browser) : undefined;
        keepDownloads(browser, contextId);
        return ok({
          connection,
          description: `${browser.version}${profile === undefined ? "" : `, profile ${profile}`}`,
          contextId,
          attachesItself: true,
          admission,
          checks: "all",
          ...(profile !== undefined && { login: `the browser uses the profile ${profile}` }),
          warnings: browser.warning === undefined ? [] : [browser.warning],
          downloads: browser.downloads,
          uploads: browser.uploads,
          alone: current.alone,
          ended: connection.closed,
          async close() {
            if (contextId !== undefined && current.users > 1) {
              // A browser that has ended has no contexts.
              await connection.send("Target.disposeBrowserContext", { browserContextId: contextId }).catch(() => {});
            }
            await leave();
          },
        });
      } catch (thrown) {
        await leave();
        return { ok: false, error: { message: reasonOf(thrown) } };
      }
    },
    async [Symbol.asyncDispose]() {
      const started = await starting;
      if (started?.ok) await end(started.value);
    },
  };
}

async function makeContext({ connection }: LaunchedBrowser): Promise<string> {
  const method = "Target.createBrowserContext";
  const { browserContextId } = await connection.send<{ browserContextId: string }>(method, { disposeOnDetach: true });
  return browserContextId;
}

function keepDownloads({ connection, downloads }: LaunchedBrowser, contextId: string | undefined): void {
  const place = { behavior: "allowAndName", downloadPath: downloads, eventsEnabled: true };
  const params = { ...place, ...(contextId !== undefined && { browserContextId: contextId }) };
  // Downloads are refused without this command.
  void connection.send("Browser.setDownloadBehavior", params).catch(() => {});
}

/** Internal tabs of the browser and its extensions are ignored. */
const attachedTargets = [
  { type: "browser", exclude: true },
  { type: "tab", exclude: true },
  { type: "page" },
  { type: "service_worker" },
  { type: "shared_worker" },
];
