import { isAbsolute, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { fileStamp } from "../../base/files/file-stamp.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import { loadConfig, type LoadedConfig } from "../../config/load.ts";
import { createUrlRules, type UrlRules } from "../../safety/url.ts";

/** The current URL settings of the files. Unreadable settings keep the previous rules. */
export function urlRules(
  config: LoadedConfig,
  { cwd, clock }: { readonly cwd: string; readonly clock: Clock },
  allowsPrivate: AllowsPrivate = ({ security }) => security.allow_private_urls,
): () => Promise<UrlRules> {
  const file = join(config.home.path, homeFiles.config);
  let stamp = fileStamp(file);
  let rules = Promise.resolve(rulesOf(config, clock, allowsPrivate));
  const again = async (last: typeof rules) => {
    const loaded = await loadConfig({ env: config.env, cwd, profile: config.home.profile });
    return loaded.ok ? rulesOf(loaded.value, clock, allowsPrivate) : last;
  };
  return async () => {
    const now = fileStamp(file);
    if (now !== stamp) {
      stamp = now;
      rules = again(rules);
    }
    return (await rules)();
  };
}

/** Whether these settings open private addresses. */
type AllowsPrivate = (values: LoadedConfig["values"]) => boolean;

function rulesOf(config: LoadedConfig, clock: Clock, allowsPrivate: AllowsPrivate): () => Promise<UrlRules> {
  const allowPrivate = allowsPrivate(config.values);
  const { website_blocklist: list } = config.values.security;
  const files = list.shared_files.map((file) => placeOf(file, config));
  return createUrlRules({ allowPrivate, blockList: { enabled: list.enabled, domains: list.domains, files } }, clock);
}

/** `~` is the user's folder; other relative paths start at the home of the profile. */
function placeOf(file: string, { env, home }: LoadedConfig): string {
  if (file.startsWith("~/")) return join(userFolder(env), file.slice(2));
  return isAbsolute(file) ? file : join(home.path, file);
}
