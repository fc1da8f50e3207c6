import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { SessionOptions } from "../../contracts/session/runtime.ts";
import type { Availability, Catalog, Registry } from "../../contracts/tool/registry.ts";
import { createAvailability } from "../../kernel/registry/availability.ts";
import { scriptLimits, searchOptions, selectionFor } from "../calls/selection.ts";
import { offeredServices } from "../calls/tool-services.ts";
import type { SessionDeps } from "./session-deps.ts";

export interface CatalogDeps {
  readonly registry: Registry;
  /** The models. Undefined: no session is opened, so the keys are unknown. */
  readonly mixture?: SessionDeps["mixture"];
  readonly platform: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The tools of one session, selected by the settings and the caller. */
export async function sessionCatalog(
  config: LoadedConfig,
  options: Pick<SessionOptions, "asker" | "secrets" | "services" | "tools" | "cwd">,
  { registry, mixture, platform, cwd, clock, log, signal }: CatalogDeps,
): Promise<Catalog> {
  const { values, secrets } = config;
  const services = offeredServices(values, options);
  const checkTimeoutMs = values.tools.check_timeout_s * 1000;
  const present = createAvailability({ clock, log, services, env: secrets.get, checkTimeoutMs });
  // Looks for the keys of the mixture only if its tool is selected.
  const availability: Availability = {
    missing(tool) {
      const missing = present.missing(tool);
      return mixture && tool.needs.includes("mixture")
        ? missing.then((reason) => reason ?? whyNoMixture(mixture))
        : missing;
    },
  };
  const { selection, settings } = await selectionFor(config, platform, options.cwd ?? cwd);
  const search = searchOptions(values);
  const scripts = scriptLimits(values);
  const agents = services.has("agents") ? await agentNames(config, options.cwd ?? cwd) : [];
  return registry.catalog({ ...selection, ...options.tools }, availability, {
    signal,
    search,
    settings,
    scripts,
    agents,
  });
}

async function agentNames(config: LoadedConfig, cwd: string): Promise<readonly string[]> {
  const { agentDefinitions } = await import("../agents/agent-definitions.ts");
  return (await agentDefinitions(config, cwd)).agents.map(({ name }) => name);
}

async function whyNoMixture(mixture: NonNullable<CatalogDeps["mixture"]>): Promise<string | undefined> {
  const opened = await mixture(unusedMixture);
  return opened.ok ? undefined : opened.error.message;
}

/** Only the reason for unavailability is needed; the runner is not used. */
const unusedMixture = { refusal: async () => undefined, book: async () => {} };
