import { createHash } from "node:crypto";

import { isObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result, type Failure } from "../../base/result.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import { readSkillText } from "../frontmatter.ts";
import { type HubHttp, listAt, textAt } from "./hub-http.ts";
import { matchesQuery, type HubSource, type OfferedSkill } from "./hub-source.ts";

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly files: readonly { readonly path: string; readonly url: string }[];
  /** The digest of a single-file skill: `sha256:…`. */
  readonly digest?: string;
}

/** A site that lists its skills at a well-known address, in either of two formats. */
export function createWellKnown(http: HubHttp, sites: () => Promise<readonly string[]>): HubSource {
  async function listOf(site: string, signal: AbortSignal): Promise<Result<readonly Listed[]>> {
    let fault: Failure | undefined;
    for (const place of ["agent-skills", "skills"]) {
      const base = new URL(`/.well-known/${place}/`, site);
      const result = await http.json(new URL("index.json", base).href, signal);
      if (result.ok) return ok(listAt(result.value, "skills").flatMap((each) => listed(each, base)));
      fault ??= result.error;
    }
    return err(fault ?? { message: `${site} lists no skills` });
  }
  const offerOf = (site: string, { name, description }: Listed): OfferedSkill => ({
    id: `well-known:${new URL(site).origin}#${name}`,
    name,
    description,
    publisher: new URL(site).host,
  });

  return {
    name: "well-known",
    owns: (id) => /^well-known:https?:\/\//u.test(id),
    async search(query, signal) {
      const matches: OfferedSkill[] = [];
      for (const site of await sites()) {
        const list = await listOf(site, signal);
        if (list.ok)
          matches.push(
            ...list.value
              .filter((each) => matchesQuery(query, each.name, each.description))
              .map((each) => offerOf(site, each)),
          );
      }
      return ok(matches);
    },
    async fetch(id, signal) {
      const [, site = "", name = ""] = /^well-known:([^#]+)#?(.*)$/u.exec(id) ?? [];
      if (!URL.canParse(site)) return err({ message: `${site} is not a URL` });
      const list = await listOf(site, signal);
      if (!list.ok) return list;
      const listed =
        list.value.find((each) => each.name === name) ??
        (name === "" && list.value.length === 1 ? list.value[0] : undefined);
      if (!listed)
        return err({ message: `${site} has: ${list.value.map((each) => each.name).join(", ") || "no skills"}` });
      const entries = await http.files(listed.files, signal);
      if (!entries.ok) return entries;
      const fault = digestFault(listed, entries.value);
      return fault === undefined
        ? ok({ offer: offerOf(site, listed), entries: entries.value })
        : err({ message: fault });
    },
  };
}

function listed(each: JsonValue, base: URL): readonly Listed[] {
  const name = textAt(each, "name");
  if (name === "" || !isObject(each)) return [];
  const description = textAt(each, "description");
  const names = listAt(each, "files").filter((file) => typeof file === "string");
  if (names.length > 0) {
    const files = names.map((path) => ({ path, url: new URL(`${encodeURIComponent(name)}/${path}`, base).href }));
    return [{ name, description, files }];
  }
  const url = textAt(each, "url");
  if (url === "" || textAt(each, "type") === "archive" || !URL.canParse(url, base.href)) return [];
  const digest = textAt(each, "digest");
  return [
    {
      name,
      description,
      files: [{ path: "SKILL.md", url: new URL(url, base).href }],
      ...(digest !== "" && { digest }),
    },
  ];
}

function digestFault({ name, digest }: Listed, [entry]: readonly SkillEntry[]): string | undefined {
  if (digest === undefined || entry?.kind !== "file") return undefined;
  const hash = `sha256:${createHash("sha256").update(entry.bytes).digest("hex")}`;
  return hash === digest ? undefined : `${name} does not match the digest in its list`;
}

/** A single SKILL.md at a URL. */
export function createUrlSource(http: HubHttp): HubSource {
  return {
    name: "url",
    owns: (id) => /^https?:\/\/.+\.md(?:[?#].*)?$/iu.test(id),
    search: async () => ok([]),
    async fetch(id, signal) {
      const result = await http.files([{ path: "SKILL.md", url: id }], signal);
      if (!result.ok) return result;
      const url = new URL(id);
      const folder = url.pathname.split("/").filter(Boolean).at(-2) ?? url.hostname.split(".")[0] ?? "skill";
      const [entry] = result.value;
      const read =
        entry?.kind === "file" ? await readSkillText(Buffer.from(entry.bytes).toString("utf8"), folder) : undefined;
      const name = read?.ok ? read.value.head.name : folder;
      const description = read?.ok ? read.value.head.description : "";
      return ok({ offer: { id, name, description, publisher: url.host }, entries: result.value });
    },
  };
}
