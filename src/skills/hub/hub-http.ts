import { sha256 } from "../../base/digest.ts";
import { isObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { fetchLimits, type HubFault, plainPath } from "./hub-source.ts";

/** Requests of a hub, all through one door. */
export interface HubHttp {
  bytes(
    url: string,
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Result<Uint8Array, HubFault>>;
  json(
    url: string,
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Result<JsonValue, HubFault>>;
  /** Files of a skill, with all that is together still bounded. */
  files(
    wanted: readonly {
      readonly path: string;
      readonly url: string;
      readonly isExecutable?: boolean;
      /** What its list says of it. */
      readonly sha256?: string;
    }[],
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Result<readonly SkillEntry[], HubFault>>;
}

export function createHubHttp(web: Web): HubHttp {
  const bytes: HubHttp["bytes"] = async (url, signal, headers = {}) => {
    const answer = await web.fetch({ url, headers, maxBytes: fetchLimits.bytes, timeoutMs }, signal);
    if (!answer.ok) return err({ message: answer.error.message });
    const { status, headers: said, body } = answer.value;
    if (status === 200) return ok(body);
    return err({ message: `${hostOf(url)} answered ${status}${statusHint(status, said)}` });
  };

  return {
    bytes,
    async json(url, signal, headers) {
      const result = await bytes(url, signal, headers);
      if (!result.ok) return result;
      try {
        // Half a character can be written in JSON and in no address.
        const whole = (_: string, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value);
        return ok(JSON.parse(Buffer.from(result.value).toString("utf8"), whole) as JsonValue);
      } catch {
        return err({ message: `${hostOf(url)} answered something that is no JSON` });
      }
    },
    async files(wanted, signal, headers) {
      if (wanted.length > fetchLimits.files) return err({ message: `it has more than ${fetchLimits.files} files` });
      const entries: SkillEntry[] = [];
      const named = new Set<string>();
      const folders = new Set<string>();
      let total = 0;
      for (const { path, url, isExecutable, sha256: listed } of wanted) {
        const plain = plainPath(path);
        if (plain === undefined) return err({ message: `it names a file outside its folder: ${JSON.stringify(path)}` });
        // What is looked through would not be what is kept; some file systems know no case.
        const same = plain.toLowerCase();
        const above = foldersAbove(same);
        if (named.has(same) || folders.has(same) || above.some((folder) => named.has(folder))) {
          return err({ message: `it names ${JSON.stringify(plain)} twice, or as a file and as a folder` });
        }
        named.add(same);
        for (const folder of above) folders.add(folder);
        const found = await bytes(url, signal, headers);
        if (!found.ok) return err({ message: `${plain}: ${found.error.message}` });
        if (listed !== undefined && sha256(found.value) !== listed.toLowerCase()) {
          return err({ message: `${plain} is not what its list says: its hash is another` });
        }
        total += found.value.length;
        if (total > fetchLimits.bytes || found.value.length > fetchLimits.fileBytes) {
          return err({ message: `it is larger than ${fetchLimits.bytes / 1_000_000} MB` });
        }
        entries.push({ kind: "file", path: plain, bytes: found.value, ...(isExecutable && { isExecutable }) });
      }
      return ok(entries);
    },
  };
}

const timeoutMs = 30_000;

/** `a/b/c` lies in `a` and in `a/b`. */
function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function statusHint(status: number, headers: Readonly<Record<string, string>>): string {
  if (status === 429 || (status === 403 && headers["x-ratelimit-remaining"] === "0")) {
    return ": too many requests for now. GITHUB_TOKEN raises GitHub's limit; otherwise try again in an hour";
  }
  return status === 404 ? ": there is nothing of that name" : "";
}

/** A text of an object, empty when there is none. */
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
