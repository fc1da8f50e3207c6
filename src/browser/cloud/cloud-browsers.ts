import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { parsedObject } from "../../base/json.ts";
import { isOwnerDead, ownerName } from "../../base/process/process-owner.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import { browserUse } from "./browser-use.ts";
import { browserbase } from "./browserbase.ts";
import type { CloudAccess, CloudBrowser, CloudService } from "./cloud-service.ts";
import { firecrawlBrowser } from "./firecrawl.ts";
import { pluginService } from "./plugin-service.ts";

export interface CloudBrowsersDeps extends CloudAccess {
  /** Records which browsers are open, so that the next process can close those of a killed process. */
  readonly folder: string;
  /** Backends of the kind `browser` that plugins provide. */
  readonly backends: readonly Backend[];
}

export interface CloudBrowsers {
  /** Services by name, built-in ones first. */
  readonly services: readonly CloudService[];
  /** The first service whose keys are set. Services of plugins are used only if the settings name them. */
  available(): CloudService | undefined;
  /** Opens a browser, and closes those that a killed process left open. */
  open(id: string, signal: AbortSignal): Promise<Result<OpenCloudBrowser, CallFault>>;
}

export interface OpenCloudBrowser extends CloudBrowser {
  readonly service: CloudService;
  /** Closes the browser once; later calls do nothing. */
  close(signal: AbortSignal): Promise<Result<void, CallFault>>;
}

export function createCloudBrowsers(deps: CloudBrowsersDeps): CloudBrowsers {
  const own: readonly CloudService[] = [browserbase, browserUse, firecrawlBrowser];
  const others = deps.backends.filter(({ kind, id }) => kind === "browser" && !own.some((one) => one.id === id));
  const services = [...own, ...others.map(pluginService)];
  const missing = (service: CloudService) => service.keyVars.filter((name) => (deps.variable(name) ?? "") === "");

  async function closeLeftOpen(signal: AbortSignal): Promise<void> {
    for (const name of await readdir(deps.folder).catch(() => [])) {
      const [, owner] = /^(.+)~.+\.json$/u.exec(name) ?? [];
      if (owner === undefined || !isOwnerDead(owner)) continue;
      const file = join(deps.folder, name);
      const { service: id, browser } = parsedObject(await readFile(file, "utf8").catch(() => "{}"));
      const service = services.find((one) => one.id === id);
      if (service === undefined || typeof browser !== "string" || missing(service).length > 0) continue;
      const closed = await service.close(deps, browser, signal);
      if (closed.ok) await rm(file, { force: true });
    }
  }

  return {
    services,
    available: () => own.find((service) => missing(service).length === 0),
    async open(id, signal) {
      const service = services.find((one) => one.id === id);
      if (service === undefined)
        return err({
          kind: "refused",
          message: `There is no browser backend ${id}. There are: ${services.map((one) => one.id).join(", ")}.`,
        });
      const [unset] = missing(service);
      if (unset !== undefined)
        return err({ kind: "key", message: `${service.title} needs ${unset}: hermes config set ${unset} …` });
      await closeLeftOpen(signal);
      const opened = await service.open(deps, signal);
      if (!opened.ok) return opened;
      const browser = opened.value;
      const file = join(deps.folder, `${ownerName()}~${encodeURIComponent(browser.id).slice(0, 120)}.json`);
      await mkdir(deps.folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
      // Without the record only the service's own timeout closes the browser after a crash.
      await writeFileAtomic(file, JSON.stringify({ service: service.id, browser: browser.id }), { mode: 0o600 });
      let closing: Promise<Result<void, CallFault>> | undefined;
      return ok({
        ...browser,
        service,
        async close(closeSignal) {
          closing ??= service.close(deps, browser.id, closeSignal);
          const closed = await closing;
          if (closed.ok) await rm(file, { force: true }).catch(() => undefined);
          return closed;
        },
      });
    },
  };
}
