import type { JsonValue } from "../../base/json.ts";
import { err, ok, type Result, type Failure } from "../../base/result.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import { readSkillText } from "../frontmatter.ts";
import { type HubHttp, listAt, objectAt, textAt } from "./hub-http.ts";
import { matchesQuery, type HubSource, type OfferedSkill } from "./hub-source.ts";

export interface GitHubDeps {
  readonly http: HubHttp;
  /** The hosts: `https://api.github.com` and `https://raw.githubusercontent.com`. */
  readonly api: string;
  readonly raw: string;
  readonly token: string | undefined;
  /** Repositories to search, as `owner/repository`. */
  taps(): Promise<readonly string[]>;
}

/** A repository at one commit, so that the fetched files are the inspected ones. */
export interface Repository {
  readonly name: string;
  readonly commit: string;
  readonly files: readonly { readonly path: string; readonly mode: string }[];
  /** Whether GitHub truncated the list of files. */
  readonly isCut: boolean;
}

/** A source of skills in GitHub repositories. Sources that only list skills in them use it too. */
export interface GitHub extends HubSource {
  repository(name: string, signal: AbortSignal): Promise<Result<Repository>>;
  folder(of: Repository, path: string, signal: AbortSignal): Promise<Result<readonly SkillEntry[]>>;
  file(of: Repository, path: string, signal: AbortSignal): Promise<Result<string>>;
  /** The skills of a repository that match; for an empty query, the first ones. */
  offersIn(of: Repository, query: string, signal: AbortSignal): Promise<readonly OfferedSkill[]>;
  /** The folder of a skill: its path, the only folder of that name, or the only skill with that name. */
  find(of: Repository, requested: string, signal: AbortSignal): Promise<Result<string>>;
}

/** Needs two API requests for the list of files; the files come from the raw host. */
export function createGitHub({ http, api, raw, token, taps }: GitHubDeps): GitHub {
  const headers = {
    accept: "application/vnd.github+json",
    "user-agent": "hermes",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  // The token is sent only to the API.
  const rawUrl = ({ name, commit }: Repository, path: string) =>
    `${raw}/${name}/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`;

  async function repository(name: string, signal: AbortSignal): Promise<Result<Repository>> {
    const head = await http.json(`${api}/repos/${name}/commits/HEAD`, signal, headers);
    if (!head.ok) return err({ message: `${name}: ${head.error.message}` });
    const commit = textAt(head.value, "sha");
    if (!/^[0-9a-f]{7,64}$/u.test(commit)) return err({ message: `${name}: the answer names no commit` });
    const tree = await http.json(`${api}/repos/${name}/git/trees/${commit}?recursive=1`, signal, headers);
    if (!tree.ok) return err({ message: `${name}: ${tree.error.message}` });
    const files = listAt(tree.value, "tree").flatMap((each: JsonValue) =>
      textAt(each, "type") === "blob" ? [{ path: textAt(each, "path"), mode: textAt(each, "mode") }] : [],
    );
    return ok({ name, commit, files, isCut: objectAt(tree.value, "truncated") === true });
  }

  async function folder(of: Repository, path: string, signal: AbortSignal): Promise<Result<readonly SkillEntry[]>> {
    // The list was truncated, so files of the skill may be missing.
    if (of.isCut) {
      const how = `git:https://github.com/${of.name}#${path}`;
      return err({ message: `${of.name} has more files than GitHub lists; install ${how} instead` });
    }
    const prefix = path === "" ? "" : `${path}/`;
    const inside = of.files.filter((file) => file.path.startsWith(prefix));
    const links = inside.filter(({ mode }) => mode === "120000");
    const files = inside.filter(({ mode }) => mode !== "120000");
    const below = (file: string) => file.slice(prefix.length);
    const fetched = await http.files(
      files.map((file) => ({
        path: below(file.path),
        url: rawUrl(of, file.path),
        isExecutable: file.mode === "100755",
      })),
      signal,
    );
    if (!fetched.ok) return fetched;
    return ok([
      ...fetched.value,
      ...links.map((file) => ({ kind: "link", path: below(file.path), target: "?" }) as const),
    ]);
  }

  async function file(of: Repository, path: string, signal: AbortSignal): Promise<Result<string>> {
    const result = await http.bytes(rawUrl(of, path), signal);
    return result.ok ? ok(Buffer.from(result.value).toString("utf8")) : result;
  }

  async function headOf(of: Repository, path: string, name: string, signal: AbortSignal) {
    const text = await file(of, path === "" ? "SKILL.md" : `${path}/SKILL.md`, signal);
    const read = text.ok ? await readSkillText(text.value, name) : undefined;
    return read?.ok ? read.value.head : undefined;
  }

  async function find(of: Repository, requested: string, signal: AbortSignal): Promise<Result<string>> {
    const path = findPath(of, requested);
    if (path.ok || requested === "" || requested.includes("/")) return path;
    const paths = skillPaths(of).slice(0, maxReadHeads);
    const heads = await Promise.all(paths.map((each) => headOf(of, each, folderName(of, each), signal)));
    const [only, ...others] = paths.filter((_, index) => heads[index]?.name === requested);
    return only === undefined || others.length > 0 ? path : ok(only);
  }

  async function offersIn(of: Repository, query: string, signal: AbortSignal): Promise<readonly OfferedSkill[]> {
    const paths = skillPaths(of)
      .filter((path) => matchesQuery(query, path))
      .slice(0, maxOffers);
    return Promise.all(
      paths.map(async (path) => {
        const name = folderName(of, path);
        const head = await headOf(of, path, name, signal);
        return offerOf(of.name, path, head?.name ?? name, head?.description ?? "", head?.version);
      }),
    );
  }

  return {
    name: "github",
    repository,
    folder,
    file,
    offersIn,
    find,
    owns: (id) => parsed(id) !== undefined,
    async search(query, signal) {
      const matches: OfferedSkill[] = [];
      let fault: Failure | undefined;
      for (const tap of await taps()) {
        const of = await repository(tap, signal);
        if (of.ok) matches.push(...(await offersIn(of.value, query, signal)));
        else fault ??= of.error;
      }
      return matches.length === 0 && fault ? err(fault) : ok(matches);
    },
    async fetch(id, signal) {
      const request = parsed(id);
      if (!request) return err({ message: `${id} is not a repository; write github:owner/repository/path` });
      const of = await repository(request.repository, signal);
      if (!of.ok) return of;
      const path = findPath(of.value, request.path);
      if (!path.ok) return path;
      const entries = await folder(of.value, path.value, signal);
      if (!entries.ok) return entries;
      return ok({
        offer: offerOf(of.value.name, path.value, folderName(of.value, path.value), ""),
        entries: entries.value,
      });
    },
  };
}

const maxOffers = 15;
/** A repository with more skills is searched by folder names only. */
const maxReadHeads = 60;

function folderName({ name }: Repository, path: string): string {
  return path.split("/").at(-1) || (name.split("/")[1] ?? name);
}

function offerOf(repository: string, path: string, name: string, description: string, version?: string): OfferedSkill {
  return {
    id: `github:${repository}${path === "" ? "" : `/${path}`}`,
    name,
    description,
    ...(version !== undefined && { version }),
    publisher: repository,
  };
}

/** Folders that contain a SKILL.md. An empty path is the root of the repository. */
function skillPaths({ files }: Repository): readonly string[] {
  return files.flatMap(({ path }) => {
    const match = /^(?:(.*)\/)?SKILL\.md$/u.exec(path);
    return match ? [match[1] ?? ""] : [];
  });
}

/** Finds the folder `skills/x`, also as `x` if only one folder of that name has a skill. */
function findPath(of: Repository, requested: string): Result<string> {
  const all = skillPaths(of);
  if (all.includes(requested)) return ok(requested);
  const named = all.filter((path) => path.split("/").at(-1) === requested);
  const [only] = named;
  if (only !== undefined && named.length === 1) return ok(only);
  const listed = all.slice(0, 20).map((path) => path || ".");
  return err({
    message: `${of.name} has ${named.length > 1 ? "several skills" : "no skill"} ${JSON.stringify(requested)}; there are: ${listed.join(", ") || "none"}`,
  });
}

function parsed(id: string): { readonly repository: string; readonly path: string } | undefined {
  const match =
    /^(?:github:|https:\/\/github\.com\/)?([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/(?:tree|blob)\/[^/]+)?(?:\/(.+?))?(?:\/SKILL\.md)?\/?$/u.exec(
      id,
    );
  const [, repository, path = ""] = match ?? [];
  return repository === undefined || /^\.{1,2}\//u.test(id) ? undefined : { repository, path };
}
