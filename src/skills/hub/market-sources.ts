import { isObject, type JsonValue } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { GitHub, Repository } from "./github-source.ts";
import { type HubHttp, listAt, objectAt, textAt } from "./hub-http.ts";
import { matchesQuery, type HubSource, type OfferedSkill } from "./hub-source.ts";

/** ClawHub, a public registry: search, versions of a skill, and its files, each with its hash. */
export function createClawHub(http: HubHttp, base: string): HubSource {
  const api = `${base}/api/v1`;
  const offerOf = (each: JsonValue): OfferedSkill => {
    const slug = textAt(each, "slug");
    const version = textAt(each, "version");
    return {
      id: `clawhub:${slug}`,
      name: slug,
      description: oneLine(textAt(each, "summary") || textAt(each, "displayName"), 300),
      ...(version !== "" && { version }),
      publisher: `clawhub/${slug}`,
    };
  };
  return {
    name: "clawhub",
    owns: (id) => /^clawhub:[\w.-]+(?:\/[\w.-]+)?(?:@[\w.+-]+)?$/u.test(id),
    async search(query, signal) {
      const path = query === "" ? "skills?limit=25" : `search?q=${encodeURIComponent(query)}&limit=25`;
      const result = await http.json(`${api}/${path}`, signal);
      if (!result.ok) return result;
      const list = [...listAt(result.value, "results"), ...listAt(result.value, "items")];
      return ok(list.map(offerOf).filter(({ name }) => name !== ""));
    },
    async fetch(id, signal) {
      const [, slug = "", request] = /^clawhub:([^@]+)(?:@(.+))?$/u.exec(id) ?? [];
      const about = await http.json(`${api}/skills/${slug}`, signal);
      if (!about.ok) return about;
      const version = request ?? textAt(objectAt(about.value, "latestVersion"), "version");
      if (version === "") return err({ message: `${slug} has no version` });
      const result = await http.json(`${api}/skills/${slug}/versions/${encodeURIComponent(version)}`, signal);
      if (!result.ok) return result;
      const files = listAt(objectAt(result.value, "version"), "files").map((file) => {
        const path = textAt(file, "path");
        const sha256 = textAt(file, "sha256");
        const url = `${api}/skills/${slug}/file?path=${encodeURIComponent(path)}&version=${encodeURIComponent(version)}`;
        return { path, url, ...(sha256 !== "" && { sha256 }) };
      });
      const entries = await http.files(files, signal);
      if (!entries.ok) return entries;
      const skill = objectAt(about.value, "skill");
      return ok({
        offer: { ...offerOf(skill ?? {}), id: `clawhub:${slug}`, name: slug.split("/").at(-1) ?? slug, version },
        entries: entries.value,
      });
    },
  };
}

/** Claude Code marketplaces: repositories whose manifest lists plugins with skill folders. */
export function createClaudeMarketplaces(github: GitHub, marketplaces: () => Promise<readonly string[]>): HubSource {
  async function offersIn(
    of: Repository,
    signal: AbortSignal,
  ): Promise<readonly (OfferedSkill & { readonly path: string })[]> {
    const manifest = await github.file(of, ".claude-plugin/marketplace.json", signal);
    if (!manifest.ok) return [];
    const plugins = pluginsIn(manifest.value);
    return plugins.flatMap(({ name: plugin, description, folders }) =>
      of.files.flatMap(({ path }) => {
        const folder = /^(.*)\/SKILL\.md$/u.exec(path)?.[1];
        if (
          folder === undefined ||
          !folders.some((root) => folder === root || folder.startsWith(root === "" ? "" : `${root}/`))
        )
          return [];
        const name = folder.split("/").at(-1) ?? folder;
        return [
          {
            id: `claude:${of.name}#${name}`,
            name,
            description: description || `of the plugin ${plugin}`,
            publisher: of.name,
            path: folder,
          },
        ];
      }),
    );
  }

  return {
    name: "claude-marketplace",
    owns: (id) => /^claude:[\w.-]+\/[\w.-]+#[\w.-]+$/u.test(id),
    async search(query, signal) {
      const matches: OfferedSkill[] = [];
      for (const name of await marketplaces()) {
        const of = await github.repository(name, signal);
        if (!of.ok) continue;
        const offers = await offersIn(of.value, signal);
        matches.push(
          ...offers
            .filter((each) => matchesQuery(query, each.name, each.description))
            .map(({ path: _, ...offer }) => offer),
        );
      }
      return ok(matches);
    },
    async fetch(id, signal) {
      const [, repository = "", name = ""] = /^claude:([^#]+)#(.+)$/u.exec(id) ?? [];
      const of = await github.repository(repository, signal);
      if (!of.ok) return of;
      const offer = (await offersIn(of.value, signal)).find((each) => each.name === name);
      if (!offer) return err({ message: `the marketplace ${repository} has no skill ${name}` });
      const { path, ...about } = offer;
      const entries = await github.folder(of.value, path, signal);
      return entries.ok ? ok({ offer: about, entries: entries.value }) : entries;
    },
  };
}

function pluginsIn(
  text: string,
): readonly { readonly name: string; readonly description: string; readonly folders: readonly string[] }[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isObject(manifest)) return [];
  return listAt(manifest as JsonValue, "plugins").flatMap((plugin) => {
    const source = objectAt(plugin, "source");
    // Skip plugins of other repositories.
    if (typeof source !== "string") return [];
    const root = trimmed(source);
    const named = listAt(plugin, "skills").filter((each) => typeof each === "string");
    const folders =
      named.length === 0
        ? [root]
        : named.map((each) => trimmed(root === "" ? each : `${root}/${each.replace(/^\.\//u, "")}`));
    return [{ name: textAt(plugin, "name"), description: oneLine(textAt(plugin, "description"), 300), folders }];
  });
}

function trimmed(path: string): string {
  return path.replace(/^\.\/?/u, "").replace(/\/$/u, "");
}

/** LobeHub offers agents, which are role texts. An agent becomes a skill with that text. */
export function createLobeHub(http: HubHttp, base: string): HubSource {
  return {
    name: "lobehub",
    owns: (id) => /^lobehub:[\w.-]+$/u.test(id),
    async search(query, signal) {
      const result = await http.json(`${base}/index.json`, signal);
      if (!result.ok) return result;
      const offers = listAt(result.value, "agents").map((agent): OfferedSkill => {
        const meta = objectAt(agent, "meta");
        const name = textAt(agent, "identifier");
        return {
          id: `lobehub:${name}`,
          name,
          description: oneLine(textAt(meta, "description"), 300),
          publisher: "lobehub",
        };
      });
      return ok(
        offers
          .filter(({ name, description }) => name !== "" && matchesQuery(query, name, description))
          .slice(0, maxOffers),
      );
    },
    async fetch(id, signal) {
      const name = id.slice("lobehub:".length);
      const result = await http.json(`${base}/${encodeURIComponent(name)}.json`, signal);
      if (!result.ok) return result;
      const role = textAt(objectAt(result.value, "config"), "systemRole");
      if (role === "") return err({ message: `${name} has no text` });
      const meta = objectAt(result.value, "meta");
      const description = oneLine(textAt(meta, "description") || textAt(meta, "title") || name, 1_000);
      const text = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n# ${oneLine(textAt(meta, "title") || name, 100)}\n\n${role}\n`;
      return ok({
        offer: { id, name, description, publisher: "lobehub" },
        entries: [{ kind: "file", path: "SKILL.md", bytes: Buffer.from(text) }],
      });
    },
  };
}

const maxOffers = 25;
