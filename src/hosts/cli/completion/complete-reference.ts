import { stat } from "node:fs/promises";
import { join } from "node:path";

import { fuzzyMatches, fuzzyScore } from "../../../base/text/fuzzy-match.ts";
import { sizeText } from "../../../base/text/size-text.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { RunOperation } from "../../../operations/run-operation.ts";
import type { Completion, Completions } from "../screen/editor/completion-menu.ts";

const kinds: readonly (readonly [name: string, about: string])[] = [
  ["file:", "a file, or lines of it: @file:PATH:10-20"],
  ["folder:", "the names of the files in a folder"],
  ["diff", "changes that are not staged"],
  ["staged", "staged changes"],
  ["git:", "the last commits, 1 to 10: @git:3"],
  ["commit:", "one commit with its changes"],
  ["url:", "the text of a web page"],
  ["session:", "the messages of another session"],
];

export interface ReferenceWord {
  /** The offset of the @. */
  readonly from: number;
  /** The kind of the reference (`file`, `folder` …), if the word starts with one. */
  readonly kind: string | undefined;
  readonly query: string;
}

/** The reference that ends at the cursor. */
export function referenceWord(before: string): ReferenceWord | undefined {
  const match = /(?:^|[\s([{,;])@((?:(file|folder|git|commit|url|session):)?["']?([^\s"']*|(?<=["'])[^"'\n]*))$/u.exec(
    before,
  );
  if (!match) return undefined;
  const [, word = "", kind, query = ""] = match;
  return { from: before.length - word.length - 1, kind, query };
}

/** Completions that need no lookup: the kinds of references, and kinds with fixed values. */
export function instantReferences(word: ReferenceWord): Completions {
  const { kind, query } = word;
  if (kind === "git")
    return offer(
      word,
      Array.from({ length: 10 }, (_, index) => ({ label: `@git:${index + 1}`, insert: `@git:${index + 1} ` })).filter(
        ({ label }) => label.startsWith(`@git:${query}`),
      ),
    );
  if (kind !== undefined) return offer(word, []);
  const items = kinds.map(([name, about]) => ({
    name,
    label: `@${name}`,
    detail: about,
    insert: name.endsWith(":") ? `@${name}` : `@${name} `,
  }));
  return offer(
    word,
    items.filter(({ name }) => name.startsWith(query)),
  );
}

export interface ReferenceSources {
  readonly run: RunOperation;
  files(signal: AbortSignal): Promise<FileList | undefined>;
  /** References to resources of MCP servers, as whole lines. */
  serverLines(line: string): Promise<readonly string[]>;
}

export interface FileList {
  readonly folder: string;
  readonly files: readonly string[];
  folders(): readonly string[];
}

const maxItems = 30;

/** Files with sizes, folders, commits, sessions and resources of servers. */
export async function completeSlowReferences(
  before: string,
  word: ReferenceWord,
  sources: ReferenceSources,
  signal: AbortSignal,
): Promise<Completions> {
  const { from, kind, query } = word;
  switch (kind) {
    case "commit": {
      const listed = await sources.run("references.commits", {});
      const commits = listed.ok ? listed.value.commits : [];
      const matches = fuzzyMatches(query, commits, ({ hash, subject }) => `${hash} ${subject}`, maxItems);
      return offer(
        word,
        matches.map(({ hash, subject }) => ({ label: `@commit:${hash}`, detail: subject, insert: `@commit:${hash} ` })),
      );
    }
    case "session": {
      const listed = await sources.run("sessions.list", { limit: 50, conversations: true });
      const sessions = listed.ok ? listed.value.sessions : [];
      const matches = fuzzyMatches(
        query,
        sessions,
        ({ id, title = "", preview = "" }) => `${id} ${title} ${preview}`,
        maxItems,
      );
      return offer(
        word,
        matches.map(({ id, title, preview = "" }) => ({
          label: `@session:${id}`,
          detail: oneLine(title ?? preview, 100),
          insert: `@session:${id} `,
        })),
      );
    }
    case "git":
    case "url":
      return instantReferences(word);
    case "folder":
    case "file":
    default: {
      const list = await sources.files(signal);
      const own = kind === undefined ? instantReferences(word).items : [];
      const paths = list ? await bestPaths(query, kind === "folder" ? list.folders() : list.files, signal) : [];
      const sized = list ? await sizedFiles(paths, list.folder, kind) : [];
      const lines = kind === undefined ? await sources.serverLines(before) : [];
      const resources = lines.map((line) => ({ label: line.slice(from), detail: "MCP", insert: line.slice(from) }));
      // Kinds come last once the user types a name.
      return offer(word, query === "" ? [...own, ...sized, ...resources] : [...sized, ...own, ...resources]);
    }
  }
}

async function sizedFiles(
  paths: readonly string[],
  folder: string,
  kind: string | undefined,
): Promise<readonly Completion[]> {
  const prefix = kind === undefined ? "@" : `@${kind}:`;
  return Promise.all(
    paths.map(async (path) => {
      const stats = kind === "folder" ? undefined : await stat(join(folder, path)).catch(() => undefined);
      const spelled = /[\s"'(),;]/u.test(path) ? `"${path}"` : path;
      return {
        label: `${prefix}${path}`,
        insert: `${prefix}${spelled} `,
        ...(stats && { detail: sizeText(stats.size) }),
      };
    }),
  );
}

/** Number of paths to compare before pending key presses are handled. */
const chunkSize = 1_500;

/** The best matches among many paths. It pauses now and then, so that keys are not delayed. */
async function bestPaths(query: string, paths: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  if (query === "") return paths.slice(0, maxItems);
  const name = /[^/]*$/u.exec(query)?.[0] ?? "";
  let best: { readonly path: string; readonly score: number }[] = [];
  for (let start = 0; start < paths.length; start += chunkSize) {
    for (const path of paths.slice(start, start + chunkSize)) {
      const score = fuzzyScore(query, path);
      if (score === undefined) continue;
      const inName = name === "" ? undefined : fuzzyScore(name, path.slice(path.lastIndexOf("/", path.length - 2) + 1));
      best.push({ path, score: score + (inName ?? 0) });
    }
    best = best
      .toSorted((one, other) => other.score - one.score || one.path.length - other.path.length)
      .slice(0, maxItems);
    await new Promise<void>((resolve) => void setImmediate(resolve));
    if (signal.aborted) return [];
  }
  return best.map(({ path }) => path);
}

/**
 * Enter accepts the first row only if it continues the typed word, because a name after an @ may be the name of a
 * person.
 */
function offer({ from, kind, query }: ReferenceWord, items: readonly Completion[]): Completions {
  const path = items[0]?.insert.replace(/^@(?:\w+:)?"?/u, "") ?? "";
  const takesFirst =
    query !== "" &&
    (kind !== undefined || [path, path.slice(path.lastIndexOf("/") + 1)].some((each) => each.startsWith(query)));
  return { from, items, takesFirst };
}
