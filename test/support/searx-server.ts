import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseDocument, YAMLMap } from "yaml";

import { eventually } from "./eventually.ts";
import { missingPrograms } from "./system-programs.ts";

const example = "/usr/share/doc/searx/examples/settings.yml";

/** The reason to skip a test that needs a real SearX. */
export function missingSearx(): string | false {
  const missing = missingPrograms({ "searx-run": "searx" });
  return missing !== false || existsSync(example) ? missing : `needs ${example} (Debian: searx)`;
}

export interface SearxServer extends AsyncDisposable {
  readonly url: string;
}

/** A real SearX on loopback whose only engine asks `searchUrl`, with `{query}` in it. */
export async function startSearx(searchUrl: string): Promise<SearxServer> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-searx-"));
  const port = await freePort();
  const settings = parseDocument(readFileSync(example, "utf8"));
  settings.setIn(["server", "port"], port);
  settings.setIn(["server", "bind_address"], "127.0.0.1");
  settings.setIn(["server", "secret_key"], "for tests");
  settings.setIn(["search", "formats"], ["html", "json"]);
  const engine = {
    name: "local",
    engine: "json_engine",
    shortcut: "lo",
    enable_http: true,
    search_url: searchUrl,
    results_query: "hits",
    url_query: "url",
    title_query: "title",
    content_query: "text",
    categories: "general",
  };
  settings.set("engines", [engine]);
  if (settings.get("outgoing") instanceof YAMLMap) settings.setIn(["outgoing", "request_timeout"], 20);
  const file = join(folder, "settings.yml");
  writeFileSync(file, String(settings));
  const child = spawn("searx-run", [], {
    cwd: folder,
    env: { ...process.env, SEARX_SETTINGS_PATH: file },
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${port}`;
  const server: SearxServer = {
    url,
    async [Symbol.asyncDispose]() {
      // The server starts a second process.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await eventually(
      async () => (await fetch(`${url}/config`).catch(() => undefined))?.ok === true,
      "SearX never answers",
    );
    return server;
  } catch (thrown) {
    await server[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
