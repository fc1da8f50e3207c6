import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import { loadConfig, type LoadedConfig } from "../../config/load.ts";
import { createBlockList } from "../../safety/url/block-list.ts";
import type { UrlRules } from "../../safety/url/judge-url.ts";

/** What the settings say of URLs, as the files have them now. Settings that cannot be read any more leave the last ones. */
export function urlRules(
  config: LoadedConfig,
  { cwd, clock }: { readonly cwd: string; readonly clock: Clock },
): () => Promise<UrlRules> {
  const file = join(config.home.path, homeFiles.config);
  let stamp = stampOf(file);
  let rules = Promise.resolve(rulesOf(config, clock));
  const again = async (last: typeof rules) => {
    const loaded = await loadConfig({ env: config.env, cwd, profile: config.home.profile });
    return loaded.ok ? rulesOf(loaded.value, clock) : last;
  };
  return async () => {
    const now = stampOf(file);
    if (now !== stamp) {
      stamp = now;
      rules = again(rules);
    }
    return (await rules)();
  };
}

function rulesOf(config: LoadedConfig, clock: Clock): () => Promise<UrlRules> {
  const { allow_private_urls: allowPrivate, website_blocklist: list } = config.values.security;
  const files = list.shared_files.map((file) => placeOf(file, config));
  const blockList = createBlockList({ enabled: list.enabled, domains: list.domains, files }, { read, clock });
  return async () => ({ allowPrivate, blockedBy: await blockList() });
}

/** `~` is the user's folder; other paths begin at the home of the profile. */
function placeOf(file: string, { env, home }: LoadedConfig): string {
  if (file.startsWith("~/")) return join(userFolder(env), file.slice(2));
  return isAbsolute(file) ? file : join(home.path, file);
}

async function read(file: string): Promise<Result<string>> {
  try {
    return ok(await readFile(file, "utf8"));
  } catch (thrown) {
    return err({ message: describeFault(thrown, file).message });
  }
}

function stampOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : "";
}
