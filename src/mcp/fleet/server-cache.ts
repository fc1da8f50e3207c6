import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { asciiJson, isObject, ownValue, parsedObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf, valueOr } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import type { McpListing, McpPromptDefinition } from "../../contracts/mcp/definitions.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { WaitingTool } from "../../contracts/mcp/status.ts";
import type { OfferedTool, Pins } from "./judge-listing.ts";
import { withoutHiddenText } from "./visible-listing.ts";

/** The few facts about a server that every start of Hermes reads. */
export interface IndexedServer {
  /** Identifies the settings that the listing belongs to. */
  readonly key: string;
  /** The hash of the listing and of the decisions about its tools. */
  readonly hash: string;
  /** The number of tools that may be called. */
  readonly tools: number;
  readonly prompts: readonly McpPromptDefinition[];
  readonly hasResources: boolean;
  readonly hasCompletions: boolean;
}

/** The tools of a server, without their schemas. */
export interface ServerTools {
  readonly offered: readonly OfferedTool[];
  readonly waiting: readonly WaitingTool[];
}

/**
 * The listings of servers on disk, so that a start needs no connection: a small index of all servers, a file for each
 * server (its tools in the first line, its whole listing in the second), and the pins. Everything except the pins is
 * a cache: if a file cannot be written, only time is lost.
 */
export interface ServerCache {
  find(entry: McpServerEntry): IndexedServer | undefined;
  tools(name: string): ServerTools;
  listing(name: string): McpListing | undefined;
  /** The saved pins; undefined if none were saved. */
  pins(name: string): Pins | "damaged" | undefined;
  /** Saves the pins. The error explains why they could not be saved. */
  save(
    entry: McpServerEntry,
    listing: McpListing,
    tools: ServerTools,
    pins: Pins,
    hash: string,
  ): Promise<string | undefined>;
  forget(name: string): Promise<void>;
}

export interface ServerCacheDeps {
  readonly folder: string;
  /** If false, nothing is written, because the Hermes home does not exist. */
  readonly canWrite: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openServerCache({ folder, canWrite, clock, log }: ServerCacheDeps): ServerCache {
  const indexFile = join(folder, "index.json");
  const fileOf = (name: string) => join(folder, "servers", `${name}.jsonl`);
  const pinsOf = (name: string) => join(folder, "pins", `${name}.json`);
  let index = once(() => readIndex(indexFile));
  let changes: readonly ((servers: Servers) => Servers)[] = [];
  let changing: Promise<void> = Promise.resolve();

  async function write(file: string, text: string): Promise<string | undefined> {
    try {
      await makeFolder(dirname(file), 0o700);
    } catch (thrown) {
      return reasonOf(thrown);
    }
    const written = await writeFileAtomic(file, asciiJson(text), { mode: 0o600 });
    return written.ok ? undefined : written.error.message;
  }

  /** Concurrent changes of several processes are all kept; changes of this process share a write. */
  function changeIndex(change: (servers: Servers) => Servers): Promise<void> {
    changes = [...changes, change];
    changing = changing.then(writeChanges);
    return changing;
  }

  async function writeChanges(): Promise<void> {
    const mine = changes;
    changes = [];
    if (mine.length === 0) return;
    const changed = await withFileLock(
      indexFile,
      async () => {
        const servers = mine.reduce((all, change) => change(all), readIndex(indexFile));
        index = () => servers;
        return write(indexFile, JSON.stringify({ version: cacheVersion, servers }));
      },
      { clock, signal: new AbortController().signal, timeoutMs: 5_000 },
    );
    const fault = changed.ok ? changed.value : changed.error.message;
    if (fault !== undefined) log.warn("mcp.cache_unwritten", { error: fault });
  }

  return {
    find(entry) {
      const indexed = ownValue(index(), entry.name);
      return indexed?.key === keyOf(entry) ? indexed : undefined;
    },
    tools(name) {
      const { offered, waiting } = parsedObject(linesOf(fileOf(name))[0]);
      // The cast is safe: this program wrote the file with these types.
      return Array.isArray(offered) && Array.isArray(waiting) ? { offered, waiting } : { offered: [], waiting: [] };
    },
    listing(name) {
      const listing = parsedObject(linesOf(fileOf(name))[1]);
      return Array.isArray(listing["tools"]) ? (listing as unknown as McpListing) : undefined;
    },
    pins(name) {
      const text = valueOr(() => readFileSync(pinsOf(name), "utf8"), undefined);
      if (text === undefined) return existsSync(pinsOf(name)) ? "damaged" : undefined;
      const { version: own, tools } = parsedObject(text);
      return own === cacheVersion && isObject(tools) ? (tools as unknown as Pins) : "damaged";
    },
    async save(entry, listing, tools, pins, hash) {
      const before = ownValue(index(), entry.name);
      if (!canWrite() || (before?.hash === hash && before.key === keyOf(entry))) return undefined;
      const { name } = entry;
      const { hasResources, hasCompletions } = listing;
      const { prompts } = withoutHiddenText({ ...listing, tools: [] });
      const count = tools.offered.length;
      const indexed = { key: keyOf(entry), hash, tools: count, prompts, hasResources, hasCompletions };
      const unpinned = await write(pinsOf(name), JSON.stringify({ version: cacheVersion, tools: pins }));
      const unwritten = await write(fileOf(name), `${JSON.stringify(tools)}\n${JSON.stringify(listing)}\n`);
      if (unwritten !== undefined) log.warn("mcp.cache_unwritten", { server: name, error: unwritten });
      else await changeIndex((servers) => ({ ...servers, [name]: indexed }));
      return unpinned;
    },
    async forget(name) {
      if (ownValue(index(), name)) await changeIndex(({ [name]: _, ...others }) => others);
      for (const file of [fileOf(name), pinsOf(name)]) await rm(file, { force: true }).catch(() => undefined);
    },
  };
}

type Servers = Readonly<Record<string, IndexedServer>>;

const cacheVersion = 1;

function readIndex(file: string): Servers {
  const { version: own, servers } = parsedObject(valueOr(() => readFileSync(file, "utf8"), ""));
  // The cast is safe: this program wrote the file with these types.
  return own === cacheVersion && isObject(servers) ? (servers as unknown as Servers) : {};
}

function linesOf(file: string): readonly [string, string] {
  const text = valueOr(() => readFileSync(file, "utf8"), "");
  const end = text.indexOf("\n");
  return end < 0 ? ["", ""] : [text.slice(0, end), text.slice(end + 1)];
}

/** The key is a hash, because the settings contain secrets. Their parser writes keys in a fixed order. */
function keyOf({ target, tools, protocol }: McpServerEntry): string {
  return sha256(JSON.stringify([version, target, tools, protocol])).slice(0, 32);
}
