import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { PolicySource } from "../../contracts/safety/approval.ts";
import { sentSecretPolicy } from "../../safety/sent-secrets.ts";
import { urlPolicy } from "../../safety/url.ts";
import { urlRules } from "./url-rules.ts";

/** Rules about URLs and stored secrets. Rules about commands and files are part of the policy itself. */
export function builtinPolicies(
  config: LoadedConfig,
  surroundings: { readonly cwd: string; readonly clock: Clock },
): readonly PolicySource[] {
  return [urlPolicy(urlRules(config, surroundings)), sentSecretPolicy(() => config.secrets.values)];
}
