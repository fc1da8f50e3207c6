import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { isObject, parsedJson } from "../../src/base/json.ts";
import { headlessShell } from "./cloud-browser-server.ts";

export interface CamofoxServer extends AsyncDisposable {
  readonly url: string;
  /** The requests as `METHOD /path`, in order. */
  readonly requests: readonly string[];
  /** Users with open tabs. */
  users(): readonly string[];
  /** Closes all tabs, as after a long idle time. */
  forgetTabs(): Promise<void>;
}

/** The part of a Playwright page that is used here. */
interface Page {
  goto(url: string): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  ariaSnapshot(options: { mode: "ai" }): Promise<string>;
  locator(selector: string): {
    click(options?: object): Promise<void>;
    fill(text: string): Promise<void>;
    press(key: string): Promise<void>;
    selectOption(option: string): Promise<unknown>;
  };
  keyboard: { press(key: string): Promise<void> };
  evaluate(expression: string): Promise<unknown>;
  screenshot(): Promise<Buffer>;
  goBack(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Simulates the documented HTTP API of Camofox 1.17, with a real Chromium instead of its Firefox. `folder` contains
 * playwright-core.
 */
export async function startCamofoxServer(folder: string, accessKey: string): Promise<CamofoxServer> {
  const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
  const browser = await chromium.launch({
    executablePath: headlessShell,
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  const requests: string[] = [];
  const tabs = new Map<string, { readonly user: string; readonly page: Page }>();
  let opened = 0;

  async function answer(
    method: string,
    path: string,
    fields: Record<string, unknown>,
  ): Promise<[number, object | Buffer]> {
    const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
    const user = text("userId");
    if (method === "GET" && path === "/tabs") {
      const own = [...tabs].filter(([, tab]) => tab.user === user);
      return [
        200,
        {
          running: true,
          tabs: await Promise.all(
            own.map(async ([tabId, { page }]) => ({ tabId, url: page.url(), title: await page.title() })),
          ),
        },
      ];
    }
    if (method === "POST" && path === "/tabs") {
      const page: Page = await browser.newPage();
      await page.goto(text("url"));
      const tabId = `tab-${++opened}`;
      tabs.set(tabId, { user, page });
      return [200, { tabId, url: page.url() }];
    }
    const [, kind = "", id = "", action = ""] = path.split("/");
    if (kind === "sessions" && method === "DELETE") {
      for (const [tabId, tab] of tabs)
        if (tab.user === id) {
          tabs.delete(tabId);
          await tab.page.close();
        }
      return [200, { ok: true }];
    }
    const tab = tabs.get(id);
    if (kind !== "tabs" || tab === undefined || tab.user !== user) return [404, { error: "Tab not found" }];
    const { page } = tab;
    const target = page.locator(`aria-ref=${text("ref")}`);
    switch (`${method} ${action}`) {
      case "DELETE ":
        tabs.delete(id);
        await page.close();
        return [200, { ok: true }];
      case "POST navigate":
        await page.goto(text("url"));
        return [200, { ok: true, url: page.url() }];
      case "GET snapshot": {
        const tree = await page.ariaSnapshot({ mode: "ai" });
        return [
          200,
          { url: page.url(), snapshot: tree.replaceAll(/\[ref=(e\d+)\]/gu, "[$1]"), truncated: false, hasMore: false },
        ];
      }
      case "POST click":
        await target.click({ timeout: 30_000 });
        return [200, { ok: true, url: page.url() }];
      case "POST type":
        await target.fill(text("text"));
        if (fields["submit"] === true) await target.press("Enter");
        return [200, { ok: true }];
      case "POST select":
        await target.selectOption(text("option"));
        return [200, { ok: true }];
      case "POST press":
        await page.keyboard.press(text("key"));
        return [200, { ok: true }];
      case "POST back":
        await page.goBack();
        return [200, { ok: true, url: page.url() }];
      case "POST evaluate":
        return [200, { ok: true, result: await page.evaluate(text("expression")) }];
      case "GET screenshot":
        return [200, await page.screenshot()];
      default:
        return [404, { error: "Not found" }];
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? "/", "http://camofox");
    const method = request.method ?? "GET";
    requests.push(`${method} ${url.pathname}`);
    const json = parsedJson(Buffer.concat(chunks).toString());
    const fields = { ...Object.fromEntries(url.searchParams), ...(isObject(json) ? json : {}) };
    const isAllowed = request.headers.authorization === `Bearer ${accessKey}`;
    const [status, body] = !isAllowed
      ? [401, { error: "Unauthorized" }]
      : await answer(method, url.pathname, fields).catch((thrown: unknown): [number, object] => [
          500,
          { error: String(thrown).split("\n")[0] },
        ]);
    if (Buffer.isBuffer(body)) response.writeHead(200, { "content-type": "image/png" }).end(body);
    else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // The cast is safe: the address of a listening TCP server is never a string.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    users: () => [...tabs.values()].map(({ user }) => user),
    async forgetTabs() {
      for (const { page } of tabs.values()) await page.close();
      tabs.clear();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await browser.close();
    },
  };
}
