import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { words } from "../base/text/words.ts";
import { hasSecret } from "./isolation/hidden-paths.ts";

/** Finds files with keys and passwords in a folder, so that a sandbox that shows the folder can hide them. */
export interface KeyFiles {
  /** Returns real paths of files and folders. Undefined if the folder has too many files to search. */
  in(folder: string): Promise<readonly string[] | undefined>;
}

/** The result for a large folder is cached for a while, so that searching takes only a small share of the time. */
export function createKeyFiles(clock: Clock): KeyFiles {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<readonly string[] | undefined> }>();
  return {
    in(folder) {
      const last = kept.get(folder);
      const startedAt = clock.elapsed();
      if (last && startedAt < last.until) return last.answer;
      const answer = search(folder);
      kept.set(folder, { until: Infinity, answer });
      const keep = () => {
        const now = clock.elapsed();
        kept.set(folder, { until: now + (now - startedAt - freeMs) * restFactor, answer });
      };
      answer.then(keep, () => kept.delete(folder));
      return answer;
    },
  };
}

const restFactor = 50;
/** A search that is faster than this is repeated for each script. */
const freeMs = 10;
const maxEntries = 40_000;
const maxKeys = 200;

async function search(root: string): Promise<readonly string[] | undefined> {
  const keys: string[] = [];
  /** Settings files, which count as key files only if they contain a key. */
  const mixed: string[] = [];
  let entries = 0;
  let level: readonly string[] = [root];
  while (level.length > 0) {
    const next: string[] = [];
    for (let index = 0; index < level.length; index += atOnce) {
      const folders = level.slice(index, index + atOnce);
      const lists = await Promise.all(
        folders.map((folder) => readdir(folder, { withFileTypes: true }).catch(() => [])),
      );
      for (const entry of lists.flat()) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isDirectory()) {
          if (entry.name === ".git") mixed.push(join(path, "config"));
          if (keyFolders.has(entry.name)) keys.push(path);
          else if (!skipped.has(entry.name)) next.push(path);
        } else if (isKeyFile(entry.name)) keys.push(path);
        else if (mixedNames.has(entry.name)) mixed.push(path);
      }
      entries += lists.reduce((sum, list) => sum + list.length, 0);
      if (entries > maxEntries || keys.length + mixed.length > maxKeys) return undefined;
    }
    level = next;
  }
  const settings = await Promise.all(mixed.map(async (path) => ((await isKeySetting(path)) ? [path] : [])));
  return [...keys, ...settings.flat()];
}

const atOnce = 16;

async function isKeySetting(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  // Git settings mention tokens and passwords even if they contain none; real ones are in URLs and headers.
  return path.endsWith("/.git/config") ? /:\/\/[^/\s:@]*:[^/\s@]+@|extraheader/iu.test(text) : hasSecret(text);
}

function isKeyFile(name: string): boolean {
  return (
    keyNames.has(name) ||
    (/^\.env(?:\.|$)/u.test(name) && !/\.(?:example|sample|template|dist)$/u.test(name)) ||
    keyEndings.test(name)
  );
}

const keyEndings = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/u;
const keyNames: ReadonlySet<string> = new Set(
  words(".envrc .netrc .pgpass .pypirc .git-credentials .vault-token .htpasswd credentials.json service-account.json"),
);
const mixedNames: ReadonlySet<string> = new Set(
  words(".npmrc .yarnrc .yarnrc.yml pip.conf auth.json settings.xml gradle.properties NuGet.Config .dockerconfigjson"),
);
const keyFolders: ReadonlySet<string> = new Set(words(".ssh .aws .gnupg .kube .azure .docker"));
/** Folders of packages and builds, which contain many files that programs wrote. */
const skipped: ReadonlySet<string> = new Set(
  words(".git node_modules .venv venv __pycache__ .mypy_cache .tox target .gradle .cache .next"),
);
