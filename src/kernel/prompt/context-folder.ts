import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";

import { valueOr } from "../../base/result.ts";
import type { FileSystem } from "../../contracts/environment/environment.ts";
import type { ContextFolder } from "./context-files.ts";

/** A file of rules is never this long; one that is, is something else. */
const maxBytes = 2_000_000;

/** Files of this machine: read at once, since there are few and a session waits for them. */
export const localFolder: ContextFolder = {
  async read(path) {
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat?.isFile() && stat.size <= maxBytes ? textIn(readFileSync(path)) : undefined;
    } catch {
      return undefined;
    }
  },
  async list(path) {
    return valueOr(() => readdirSync(path), []);
  },
  async real(path) {
    return valueOr(() => realpathSync(path), path);
  },
};

/** Files of the place where commands run, when that is elsewhere. */
export function remoteFolder(files: FileSystem, signal: AbortSignal): ContextFolder {
  return {
    async read(path) {
      const result = await files.read(path, signal, { from: 0, bytes: maxBytes });
      return result.ok ? textIn(result.value) : undefined;
    },
    async list(path) {
      const result = await files.list(path, signal);
      return result.ok ? result.value.map(({ name }) => name) : [];
    },
    async real(path) {
      const result = await files.realPath(path, signal);
      return result.ok ? result.value : path;
    },
  };
}

/** Nothing when it is not text. */
function textIn(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
