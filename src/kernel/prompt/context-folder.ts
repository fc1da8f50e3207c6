import { readdirSync, realpathSync, statSync } from "node:fs";

import { readFileBeneath } from "../../base/files/open-beneath.ts";
import { valueOr } from "../../base/result.ts";
import type { FileSystem } from "../../contracts/environment/environment.ts";
import type { ContextFolder } from "./context-files.ts";

/** A file that exceeds this size is not treated as a rules file. */
const maxBytes = 2_000_000;

/** Reads local files synchronously: there are few of them, and the session waits for them. */
export const localFolder: ContextFolder = {
  async read(path) {
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (!stat?.isFile() || stat.size > maxBytes) return undefined;
      const real = realpathSync(path);
      return textIn(readFileBeneath(real).bytes, real);
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

/** Reads files of a remote environment. */
export function remoteFolder(files: FileSystem, signal: AbortSignal): ContextFolder {
  return {
    async read(path) {
      const direct = await files.read(path, signal, { from: 0, bytes: maxBytes });
      if (direct.ok || direct.error.kind !== "failed") return direct.ok ? textIn(direct.value, path) : undefined;
      const real = await files.realPath(path, signal);
      const result = real.ok && (await files.read(real.value, signal, { from: 0, bytes: maxBytes }));
      return result && result.ok && real.ok ? textIn(result.value, real.value) : undefined;
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

/** Returns undefined if the file is not text. */
function textIn(bytes: Uint8Array, real: string): { readonly text: string; readonly real: string } | undefined {
  if (bytes.includes(0)) return undefined;
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"), real };
}
