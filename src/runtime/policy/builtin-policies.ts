import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { PolicySource } from "../../contracts/safety/approval.ts";
import { urlPolicy } from "../../safety/url.ts";
import { urlRules } from "./url-rules.ts";

/** The URL rules. Rules about commands and files are part of the policy itself. */
export function builtinPolicies(
  config: LoadedConfig,
  surroundings: { readonly cwd: string; readonly clock: Clock },
): readonly PolicySource[] {
  return [urlPolicy(urlRules(config, surroundings))];
}
