import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";

import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { readSkillText } from "../frontmatter.ts";
import { readSkillEntries } from "../skill-folder.ts";
import { skillPlaces } from "../skill-roots.ts";
import { type FetchedSkill, matchesQuery, type HubSource, type OfferedSkill } from "./hub-source.ts";

/** A fresh clone; disposing it removes the folder. */
export interface GitClone extends AsyncDisposable {
  readonly folder: string;
}

export type CloneRepository = (url: string, signal: AbortSignal) => Promise<Result<GitClone>>;

/** A source of skills in a folder on this machine. */
export function createLocalSource(taps: () => Promise<readonly string[]>): HubSource {
  return {
    name: "folder",
    owns: (id) => isAbsolute(id) && existsSync(id),
    async search(query) {
      const matches: OfferedSkill[] = [];
      for (const folder of await taps()) matches.push(...(await offersIn(folder, query, (path) => path, folder)));
      return ok(matches);
    },
    async fetch(id) {
      return fetchFolder(id, { id, publisher: "a local folder" });
    },
  };
}

/** A source of skills in any git repository: `git:URL` or `git:URL#path`. */
export function createGitSource(clone: CloneRepository, taps: () => Promise<readonly string[]>): HubSource {
  return {
    name: "git",
    owns: (id) => /^git:.+/u.test(id),
    async search(query, signal) {
      const matches: OfferedSkill[] = [];
      for (const url of await taps()) {
        const cloned = await clone(url, signal);
        if (!cloned.ok) return cloned;
        await using copy = cloned.value;
        matches.push(
          ...(await offersIn(copy.folder, query, (path) => `git:${url}#${path.slice(copy.folder.length + 1)}`, url)),
        );
      }
      return ok(matches);
    },
    async fetch(id, signal) {
      const [, url = "", path = ""] = /^git:([^#]+)#?(.*)$/u.exec(id) ?? [];
      const cloned = await clone(url, signal);
      if (!cloned.ok) return cloned;
      await using copy = cloned.value;
      const folder = join(copy.folder, path);
      // Neither the path of the id nor a link may leave the repository.
      const real = existsSync(folder) ? realpathSync(folder) : folder;
      const root = realpathSync(copy.folder);
      if (real !== root && !real.startsWith(`${root}/`)) return err({ message: `${path} is not in the repository` });
      const places = existsSync(join(real, "SKILL.md"))
        ? [real]
        : skillPlaces([{ path: real, kind: "project" }]).map((each) => each.folder);
      const [only] = places;
      if (only === undefined || places.length > 1) {
        const names = places.map((each) => each.slice(root.length + 1));
        return err({
          message: `${url} has ${names.length === 0 ? "no skill there" : `several skills: ${names.slice(0, 20).join(", ")}; name one as git:${url}#PATH`}`,
        });
      }
      return await fetchFolder(only, { id, publisher: url });
    },
  };
}

async function offersIn(
  folder: string,
  query: string,
  idOf: (path: string) => string,
  publisher: string,
): Promise<readonly OfferedSkill[]> {
  const offers: OfferedSkill[] = [];
  for (const place of skillPlaces([{ path: folder, kind: "project" }])) {
    const fetched = await fetchFolder(place.folder, { id: idOf(place.folder), publisher });
    if (fetched.ok && matchesQuery(query, fetched.value.offer.name, fetched.value.offer.description))
      offers.push(fetched.value.offer);
  }
  return offers;
}

async function fetchFolder(
  folder: string,
  about: Pick<OfferedSkill, "id" | "publisher">,
): Promise<Result<FetchedSkill>> {
  try {
    if (!statSync(folder).isDirectory()) return err({ message: `${folder} is not a folder` });
    const entries = readSkillEntries(realpathSync(folder));
    const text = entries.find((entry) => entry.path === "SKILL.md");
    if (text?.kind !== "file") return err({ message: `${folder} has no SKILL.md` });
    const read = await readSkillText(Buffer.from(text.bytes).toString("utf8"), basename(folder));
    if (!read.ok) return err({ message: `${folder}/SKILL.md: ${read.error}` });
    const { name, description, version } = read.value.head;
    return ok({ offer: { ...about, name, description, ...(version !== undefined && { version }) }, entries });
  } catch (thrown) {
    return err({ message: reasonOf(thrown) });
  }
}
