import { err, ok } from "../../base/result.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import type { GitHub, Repository } from "./github-source.ts";
import { type HubHttp, listAt, objectAt, textAt } from "./hub-http.ts";
import { type HubSource, matchesQuery, type OfferedSkill } from "./hub-source.ts";

/** skills.sh lists skills in GitHub repositories. Hermes searches there and fetches from GitHub. */
export function createSkillsSh(http: HubHttp, github: GitHub, base: string): HubSource {
  return {
    name: "skills-sh",
    owns: (id) => skillsShId.test(id),
    async search(query, signal) {
      // The search of this source needs a query.
      if (query.length < 2) return ok([]);
      const result = await http.json(`${base}/api/search?q=${encodeURIComponent(query)}&limit=${maxOffers}`, signal);
      if (!result.ok) return result;
      const offers = listAt(result.value, "skills").flatMap((each): readonly OfferedSkill[] => {
        const slug = textAt(each, "skillId") || textAt(each, "name");
        const publisher = textAt(each, "source");
        const id = `skills-sh:${publisher}/${slug}`;
        if (!skillsShId.test(id)) return [];
        const installs = objectAt(each, "installs");
        const count = typeof installs === "number" ? `, ${plural(installs, "install")}` : "";
        return [{ id, name: slug, description: `of ${publisher}${count}`, publisher }];
      });
      return ok(offers.slice(0, maxOffers));
    },
    async fetch(id, signal) {
      const [, repository = "", slug = ""] = skillsShId.exec(id) ?? [];
      const of = await github.repository(repository, signal);
      if (!of.ok) return of;
      const path = await github.find(of.value, slug, signal);
      if (!path.ok) return path;
      const entries = await github.folder(of.value, path.value, signal);
      if (!entries.ok) return entries;
      return ok({ offer: { id, name: slug, description: "", publisher: repository }, entries: entries.value });
    },
  };
}

const skillsShId = /^(?:skills-sh[:/]|https:\/\/(?:www\.)?skills\.sh\/)([\w.-]+\/[\w.-]+)\/([\w.-]+)$/u;

/** browse.sh lists skills for single web sites. Each skill is one file: `browse-sh:HOST/TASK`. */
export function createBrowseSh(http: HubHttp, base: string): HubSource {
  return {
    name: "browse-sh",
    owns: (id) => browseShId.test(id),
    async search(query, signal) {
      const result = await http.json(`${base}/api/skills`, signal);
      if (!result.ok) return result;
      const offers = listAt(result.value, "skills").flatMap((each): readonly OfferedSkill[] => {
        const slug = textAt(each, "slug");
        const id = `browse-sh:${slug}`;
        if (!browseShId.test(id)) return [];
        const name = textAt(each, "name") || slug;
        const description = oneLine(textAt(each, "description") || textAt(each, "title"), 300);
        const tags = listAt(each, "tags").filter((tag) => typeof tag === "string");
        const words = [name, slug, description, textAt(each, "title"), textAt(each, "category"), ...tags];
        return matchesQuery(query, ...words) ? [{ id, name, description, publisher: `browse-sh/${slug}` }] : [];
      });
      return ok(offers.slice(0, maxOffers));
    },
    async fetch(id, signal) {
      const [, slug = ""] = browseShId.exec(id) ?? [];
      const about = await http.json(`${base}/api/skills/${slug}`, signal);
      if (!about.ok) return about;
      const url = textAt(about.value, "skillMdUrl");
      if (url === "" || !URL.canParse(url, base)) return err({ message: `browse.sh has no file for ${slug}` });
      const entries = await http.files([{ path: "SKILL.md", url: new URL(url, base).href }], signal);
      if (!entries.ok) return entries;
      const name = textAt(about.value, "name") || (slug.split("/").at(-1) ?? slug);
      const description = oneLine(textAt(about.value, "description"), 300);
      return ok({ offer: { id, name, description, publisher: `browse-sh/${slug}` }, entries: entries.value });
    },
  };
}

const browseShId = /^browse-sh[:/]([\w.-]+\/[\w.-]+)$/u;

/** The optional skills of a product: a folder in a repository, as `owner/repository/folder`. */
export function createOfficial(github: GitHub, place: string): HubSource {
  const [, repository = "", folder = ""] = /^([\w.-]+\/[\w.-]+)(?:\/(.+?))?\/?$/u.exec(place) ?? [];
  const root = folder === "" ? "" : `${folder}/`;
  const skillsOf = (of: Repository): Repository => ({
    ...of,
    files: of.files.filter(({ path }) => path.startsWith(root)),
  });
  return {
    name: "official",
    owns: (id) => officialId.test(id),
    async search(query, signal) {
      if (repository === "") return ok([]);
      const of = await github.repository(repository, signal);
      if (!of.ok) return of;
      const offers = await github.offersIn(skillsOf(of.value), query, signal);
      const prefix = `github:${repository}/${root}`;
      return ok(offers.map((each) => ({ ...each, id: `official:${each.id.slice(prefix.length)}` })));
    },
    async fetch(id, signal) {
      const [, requested = ""] = officialId.exec(id) ?? [];
      if (repository === "") return err({ message: "skills_hub.official is not set to owner/repository/folder" });
      const of = await github.repository(repository, signal);
      if (!of.ok) return of;
      const own = skillsOf(of.value);
      const exact = await github.find(own, `${root}${requested}`, signal);
      const path = exact.ok ? exact : await github.find(own, requested.split("/").at(-1) ?? requested, signal);
      if (!path.ok) return path;
      const entries = await github.folder(own, path.value, signal);
      if (!entries.ok) return entries;
      const short = path.value.slice(root.length);
      const name = short.split("/").at(-1) ?? short;
      const offer = { id: `official:${short}`, name, description: "", publisher: repository };
      return ok({ offer, entries: entries.value });
    },
  };
}

const officialId = /^official[:/]([\w.-]+(?:\/[\w.-]+){0,6})$/u;

const maxOffers = 25;
