import { once } from "../../base/async/once.ts";
import { ok, reasonOf, type Result } from "../../base/result.ts";
import type { CdpConnection } from "../cdp/connection.ts";
import { type BrowserProxy, type BrowserUpstream, startBrowserProxy } from "../guard/browser-proxy.ts";
import type { UrlGuard } from "../guard/url-guard.ts";
import type { LaunchedBrowser } from "../launch/launch-browser.ts";
import { type BrowserSource, type OpenedBrowser, runInTurn } from "./browser-source.ts";

export interface LocalBrowserSourceDeps {
  readonly guard: UrlGuard;
  readonly upstream?: BrowserUpstream;
  /** `onConnecting`: see `BrowserLaunch`. */
  readonly launch: (
    proxyPort: number,
    onConnecting: (connection: CdpConnection) => void,
  ) => Promise<Result<LaunchedBrowser>>;
  /** A profile that keeps logins: all its conversations share its cookies. */
  readonly profile?: string;
}

interface Running {
  readonly proxy: BrowserProxy;
  readonly browser: LaunchedBrowser;
  readonly alone: OpenedBrowser["alone"];
  users: number;
  /** The cookie jar of the first conversation. */
  firstContext: Promise<string> | undefined;
}

/** One browser process for all conversations, with a cookie jar for each. It ends when no conversation uses it. */
export function createLocalBrowserSource({
  guard,
  upstream,
  launch,
  profile,
}: LocalBrowserSourceDeps): BrowserSource & AsyncDisposable {
  let starting: Promise<Result<Running>> | undefined;

  async function start(): Promise<Result<Running>> {
    const proxy = await startBrowserProxy(guard, upstream);
    let firstContext: Promise<string> | undefined;
    const launched = await launch(proxy.port, (starting) => {
      const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: attachedTargets };
      // They take effect before any page exists.
      const prepared: Promise<unknown>[] = [
        starting.send("Target.setAutoAttach", attach),
        starting.send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] }),
      ];
      if (profile === undefined) prepared.push((firstContext = makeContext(starting)));
      for (const each of prepared) each.catch(() => {});
    });
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
    return ok({ proxy, browser, alone: runInTurn(), users: 0, firstContext });
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
        const { firstContext } = current;
        current.firstContext = undefined;
        const contextId = profile === undefined ? await (firstContext ?? makeContext(connection)) : undefined;
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

async function makeContext(connection: CdpConnection): Promise<string> {
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
