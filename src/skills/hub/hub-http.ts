import { sha256 } from "../../base/digest.ts";
import { isObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { fetchLimits, plainPath } from "./hub-source.ts";

export interface HubHttp {
  bytes(url: string, signal: AbortSignal, headers?: Readonly<Record<string, string>>): Promise<Result<Uint8Array>>;
  json(url: string, signal: AbortSignal, headers?: Readonly<Record<string, string>>): Promise<Result<JsonValue>>;
  /** Fetches the files of a skill, with a limit for their total size. */
  files(
    requested: readonly {
      readonly path: string;
      readonly url: string;
      readonly isExecutable?: boolean;
      /** The expected digest from the file list. */
      readonly sha256?: string;
    }[],
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Result<readonly SkillEntry[]>>;
}

export function createHubHttp(web: Web): HubHttp {
  const bytes: HubHttp["bytes"] = async (url, signal, headers = {}) => {
    const answer = await web.fetch({ url, headers, maxBytes: fetchLimits.bytes, timeoutMs }, signal);
    if (!answer.ok) return err({ message: answer.error.message });
    const { status, headers: reply, body } = answer.value;
    if (status === 200) return ok(body);
    return err({ message: `${hostOf(url)} answered ${status}${statusHint(status, reply)}` });
  };

  return {
    bytes,
    async json(url, signal, headers) {
      const result = await bytes(url, signal, headers);
      if (!result.ok) return result;
      try {
        // JSON can contain half a surrogate pair, but a URL cannot.
        const whole = (_: string, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value);
        return ok(JSON.parse(Buffer.from(result.value).toString("utf8"), whole) as JsonValue);
      } catch {
        return err({ message: `${hostOf(url)} did not answer with JSON` });
      }
    },
    async files(requested, signal, headers) {
      if (requested.length > fetchLimits.files) return err({ message: `it has more than ${fetchLimits.files} files` });
      const entries: SkillEntry[] = [];
      const named = new Set<string>();
      const folders = new Set<string>();
      let total = 0;
      for (const { path, url, isExecutable, sha256: listed } of requested) {
        const plain = plainPath(path);
        if (plain === undefined) return err({ message: `it names a file outside its folder: ${JSON.stringify(path)}` });
        // Some file systems ignore case, so the saved file would differ from the scanned one.
        const same = plain.toLowerCase();
        const above = foldersAbove(same);
        if (named.has(same) || folders.has(same) || above.some((folder) => named.has(folder))) {
          return err({ message: `it names ${JSON.stringify(plain)} twice, or as a file and as a folder` });
        }
        named.add(same);
        for (const folder of above) folders.add(folder);
        const result = await bytes(url, signal, headers);
        if (!result.ok) return err({ message: `${plain}: ${result.error.message}` });
        if (listed !== undefined && sha256(result.value) !== listed.toLowerCase()) {
          return err({ message: `${plain} does not match the hash in its list` });
        }
        total += result.value.length;
        if (total > fetchLimits.bytes || result.value.length > fetchLimits.fileBytes) {
          return err({ message: `it is larger than ${fetchLimits.bytes / 1_000_000} MB` });
        }
        entries.push({ kind: "file", path: plain, bytes: result.value, ...(isExecutable && { isExecutable }) });
      }
      return ok(entries);
    },
  };
}

const timeoutMs = 30_000;

/** The parents of a path: `a/b/c` has `a` and `a/b`. */
function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function statusHint(status: number, headers: Readonly<Record<string, string>>): string {
  if (status === 429 || (status === 403 && headers["x-ratelimit-remaining"] === "0")) {
    return ": too many requests. Set GITHUB_TOKEN to raise GitHub's limit, or try again in an hour";
  }
  return status === 404 ? ": not found" : "";
}

/** A string property of an object; empty if it is missing. */
export function textAt(value: JsonValue | undefined, key: string): string {
  const result = isObject(value) ? value[key] : undefined;
  return typeof result === "string" ? result : "";
}

export function listAt(value: JsonValue | undefined, key: string): readonly JsonValue[] {
  const result = isObject(value) ? value[key] : undefined;
  return Array.isArray(result) ? result : [];
}

export function objectAt(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(value) ? value[key] : undefined;
}
