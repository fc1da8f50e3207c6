import { sha256 } from "../../base/digest.ts";
import type { BoundedFolder } from "../../base/files/bounded-folder.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import type { Freshness } from "./freshness.ts";

/** A page that a server sent, with the facts that allow using it again. */
export interface StoredPage extends Omit<Freshness, "isStorable"> {
  /** The URL after redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Pages on disk, by the requested URL. */
export interface PageCache {
  find(url: string): Promise<StoredPage | undefined>;
  /** Failures are ignored: a cache may lose entries. */
  store(url: string, page: StoredPage): Promise<void>;
}

export function createPageCache(folder: BoundedFolder): PageCache {
  return {
    async find(url) {
      const bytes = await folder.read(nameOf(url));
      return bytes && readStored(bytes, url);
    },
    async store(url, { body, ...facts }) {
      // One file, so that header and body always belong together.
      const head = Buffer.from(`${JSON.stringify({ request: url, ...facts })}\n`);
      await folder.write(nameOf(url), Buffer.concat([head, body]));
    },
  };
}

function nameOf(url: string): string {
  return `${sha256(url).slice(0, 40)}.page`;
}

function readStored(bytes: Buffer, request: string): StoredPage | undefined {
  const end = bytes.indexOf(10);
  const head = end < 0 ? undefined : parsedJson(bytes.toString("utf8", 0, end));
  if (!isObject(head) || head["request"] !== request) return undefined;
  const { url, contentType, freshUntil, etag, lastModified } = head;
  if (typeof url !== "string" || typeof contentType !== "string" || typeof freshUntil !== "number") return undefined;
  return {
    url,
    contentType,
    freshUntil,
    ...(typeof etag === "string" && { etag }),
    ...(typeof lastModified === "string" && { lastModified }),
    body: bytes.subarray(end + 1),
  };
}
