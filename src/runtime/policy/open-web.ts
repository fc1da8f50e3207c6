import { lookup } from "node:dns/promises";

import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { createGuardedFetch } from "../../safety/url/guarded-fetch.ts";
import { openHttp } from "../open-http.ts";
import { urlRules } from "./url-rules.ts";

/** The web as tools may reach it: judged, and through the user's proxy where there is one. */
export function openWeb(config: LoadedConfig, at: { readonly cwd: string; readonly clock: Clock }): Web {
  return createGuardedFetch({
    rules: urlRules(config, at),
    resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    http: openHttp(config, at.clock),
    clock: at.clock,
  });
}
