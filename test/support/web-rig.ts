import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Backend } from "../../src/contracts/plugin/backend.ts";
import type { Pages } from "../../src/contracts/web/pages.ts";
import { type OpenedPages, openWebPages, type PageHelpers } from "../../src/runtime/web/open-pages.ts";
import { openReading } from "../../src/runtime/web/open-reading.ts";
import { openToolGateway } from "../../src/runtime/web/open-tool-gateway.ts";
import { tempHome } from "./temp-home.ts";

export interface WebRig extends AsyncDisposable {
  readonly pages: Pages;
  readonly opened: OpenedPages;
  readonly home: string;
}

/** Search and page reading as in a session, with these settings and variables. */
export async function webRig(
  settings: string,
  env: Readonly<Record<string, string>> = {},
  { backends = [], ...helpers }: PageHelpers & { readonly backends?: readonly Backend[] } = {},
): Promise<WebRig> {
  const folder = await tempHome();
  const [home, cwd] = [join(folder.path, ".hermes"), join(folder.path, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  await writeFile(join(home, "config.yaml"), settings);
  const config = await loadConfig({ env: { HOME: folder.path, HERMES_HOME: home, ...env }, cwd });
  assert.ok(config.ok, JSON.stringify(config));
  const clock = systemClock;
  const reading = openReading(clock);
  const models = async () => undefined;
  const opened = openWebPages(config.value, {
    cwd,
    clock,
    gateway: openToolGateway(config.value, models),
    reading,
    models,
    backends: async () => backends,
  });
  return {
    opened,
    pages: opened.offered(helpers),
    home,
    async [Symbol.asyncDispose]() {
      await reading[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
