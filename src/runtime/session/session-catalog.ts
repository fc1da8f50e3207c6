import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { SessionOptions } from "../../contracts/session/runtime.ts";
import type { Catalog, Registry } from "../../contracts/tool/registry.ts";
import type { ServiceName } from "../../contracts/tool/services.ts";
import { createAvailability } from "../../kernel/registry/availability.ts";
import { searchOptions, selectionFor } from "../calls/selection.ts";

/** What every conversation has beside the person who may be there. */
const conversationServices: readonly ServiceName[] = [
  "toolIndex",
  "environment",
  "commandDefaults",
  "processes",
  "fileReads",
  "todos",
  "skills",
  "transcript",
  "sessions",
  "sessionSearch",
];

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
  const services: ReadonlySet<ServiceName> = new Set([
    ...conversationServices,
    ...(values.memory.memory_enabled || values.memory.user_profile_enabled ? (["memory"] as const) : []),
    ...(values.checkpoints.enabled ? (["checkpoints"] as const) : []),
    ...(asked.asker ? (["asker"] as const) : []),
    ...(asked.secrets ? (["secretAsker"] as const) : []),
  ]);
  const checkTimeoutMs = values.tools.check_timeout_s * 1000;
  const availability = createAvailability({ clock, log, services, env: secrets.get, checkTimeoutMs });
  const { selection, settings } = selectionFor(values, platform);
  const search = searchOptions(values.tools.tool_search);
  return registry.catalog({ ...selection, ...asked.tools }, availability, { signal, search, settings });
}
