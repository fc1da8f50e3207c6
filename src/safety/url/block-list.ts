import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import { siteList } from "./site-list.ts";

export interface BlockListSettings {
  readonly enabled: boolean;
  readonly domains: readonly string[];
  /** Real paths of files with one rule per line; `#` starts a comment. */
  readonly files: readonly string[];
}

export interface BlockListDeps {
  readonly read: (file: string) => Promise<Result<string>>;
  readonly clock: Clock;
}

/**
 * The user's list of blocked sites. Its files are read again after a while. An unreadable file blocks every site,
 * because its rules are unknown.
 */
export function createBlockList(
  settings: BlockListSettings,
  { read, clock }: BlockListDeps,
): () => Promise<(host: string) => string | undefined> {
  const own = siteList(settings.domains);
  if (!settings.enabled) return async () => () => undefined;
  if (settings.files.length === 0) return async () => own;
  let cached: { readonly readAt: number; readonly shared: Promise<(host: string) => string | undefined> } | undefined;
  return async () => {
    const now = clock.elapsed();
    if (cached === undefined || now - cached.readAt > keptMs)
      cached = { readAt: now, shared: sharedList(settings, read) };
    const shared = await cached.shared;
    return (host) => own(host) ?? shared(host);
  };
}

const keptMs = 30_000;

async function sharedList(
  { files }: BlockListSettings,
  read: BlockListDeps["read"],
): Promise<(host: string) => string | undefined> {
  const lists = await Promise.all(
    files.map(async (file) => {
      const text = await read(file);
      if (!text.ok) return () => `${text.error.message}; fix or remove it in security.website_blocklist.shared_files`;
      const blocks = siteList(text.value.split(/\r?\n/u));
      return (host: string) => {
        const rule = blocks(host);
        return rule === undefined ? undefined : `${rule} in ${file}`;
      };
    }),
  );
  return (host) => {
    for (const blocks of lists) {
      const rule = blocks(host);
      if (rule !== undefined) return rule;
    }
    return undefined;
  };
}
