import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { SessionOptions } from "../../contracts/session/runtime.ts";
import type { Catalog, Registry } from "../../contracts/tool/registry.ts";
import { createAvailability } from "../../kernel/registry/availability.ts";
import { searchOptions, selectionFor } from "../calls/selection.ts";
import { offeredServices } from "../calls/tool-services.ts";

export interface CatalogDeps {
  readonly registry: Registry;
  readonly platform: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The tools of one session, as the settings and whoever opens it choose them. */
export function sessionCatalog(
  { values, secrets }: LoadedConfig,
  asked: Pick<SessionOptions, "asker" | "secrets" | "tools">,
  { registry, platform, clock, log, signal }: CatalogDeps,
): Promise<Catalog> {
  const services = offeredServices(values, asked);
  const checkTimeoutMs = values.tools.check_timeout_s * 1000;
  const availability = createAvailability({ clock, log, services, env: secrets.get, checkTimeoutMs });
  const { selection, settings } = selectionFor(values, platform);
  const search = searchOptions(values.tools.tool_search);
  return registry.catalog({ ...selection, ...asked.tools }, availability, { signal, search, settings });
}
