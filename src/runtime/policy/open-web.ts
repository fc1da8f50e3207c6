import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { GuardedWeb } from "../../contracts/safety/web.ts";
import { createWeb } from "../../safety/url.ts";
import { openHttp } from "../open-http.ts";
import { urlRules } from "./url-rules.ts";

/** The guarded web client for tools, with the user's proxy if set. */
export function openWeb(
  config: LoadedConfig,
  surroundings: { readonly cwd: string; readonly clock: Clock },
): GuardedWeb {
  return createWeb({
    rules: urlRules(config, surroundings),
    http: openHttp(config, surroundings.clock),
    clock: surroundings.clock,
  });
}
