import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { type ImportedServer, type ImportFile, importFiles, readImportFile } from "../../mcp/entries/import-files.ts";
import { readServer, serverPlace } from "./server-settings.ts";
import { serverLocation } from "./server-view.ts";

interface FoundServer extends ImportedServer {
  readonly program: string;
  readonly file: string;
  readonly where?: string;
  /** The reason why the server cannot be used here. */
  readonly fault?: string;
  /** True: a server of this name already exists here. */
  readonly isAdded: boolean;
}

/** The servers of other programs, each with its settings for Hermes. Files that do not exist are left out. */
export async function findImports(config: LoadedConfig, cwd: string, only: string | undefined) {
  const files: readonly ImportFile[] =
    only === undefined
      ? importFiles({
          userFolder: userFolder(config.env),
          workspace: cwd,
          platform: process.platform,
        })
      : [{ program: "file", path: resolve(cwd, only) }];
  const problems: string[] = [];
  const servers: FoundServer[] = [];
  const names = new Set<string>();
  for (const { program, path } of files) {
    const text = await readFile(path, "utf8").catch((thrown: unknown) => {
      if (only !== undefined) problems.push(describeFault(thrown, path).message);
      return undefined;
    });
    const read = text === undefined ? undefined : await readImportFile(path, text, cwd);
    if (read && !read.ok) problems.push(`${path}: ${read.error}`);
    for (const server of read?.ok ? read.value : []) {
      const checked = readServer(config, server.name, server.settings);
      servers.push({
        ...server,
        program,
        file: path,
        ...(checked.ok ? { where: serverLocation(checked.value.entry, config) } : { fault: checked.error.message }),
        isAdded: serverPlace(config, server.name).settings !== undefined || names.has(server.name),
      });
      names.add(server.name);
    }
  }
  return { servers, problems };
}
