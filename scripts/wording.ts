// `node scripts/wording.ts PATH…` lists forbidden names and phrases under the paths; without a path, counts by folder.
// `--change [REF]` lists only those on lines that differ from REF (main when not given), committed or not.
// The lists are in test/support/forbidden-words.ts.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { checkedFiles, hitsOfFile, type WordingHit } from "../test/support/wording.ts";

const root = join(import.meta.dirname, "..");
const args = process.argv.slice(2);
const isChange = args[0] === "--change";
const changed = isChange ? changedLines(args[1] ?? "main") : undefined;
const paths = isChange ? [] : args.map((path) => path.replace(/\/+$/, ""));
const hits = checkedFiles(root)
  .filter((file) => paths.length === 0 || paths.some((path) => file === path || file.startsWith(`${path}/`)))
  .flatMap((file) => hitsOfFile(root, file))
  .filter((hit) => changed === undefined || changed.get(hit.file)?.has(hit.line));

if (args.length === 0) printCounts(hits);
else for (const hit of hits) console.log(`${hit.file}:${hit.line}: ${hit.kind} "${hit.words}" → ${hit.instead}`);
console.log(`${hits.length} hits`);

function printCounts(all: readonly WordingHit[]): void {
  const counts = new Map<string, number>();
  for (const hit of all) {
    const folder = hit.file.startsWith("src/") ? hit.file.split("/", 2).join("/") : (hit.file.split("/")[0] ?? "");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of counts) console.log(`${String(count).padStart(6)} ${folder}`);
}

/** Line numbers that differ from the fork point of this branch and `ref`, by file. */
function changedLines(ref: string): ReadonlyMap<string, ReadonlySet<number>> {
  const git = (...words: readonly string[]) =>
    execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const diff = git("diff", "--unified=0", "--no-color", "--no-ext-diff", git("merge-base", "HEAD", ref).trim());
  const lines = new Map<string, Set<number>>();
  let current = new Set<number>();
  for (const line of diff.split("\n")) {
    const file = /^\+\+\+ b\/(.*)/.exec(line)?.[1];
    if (file !== undefined) lines.set(file, (current = new Set()));
    const [, start, count] = /^@@ .* \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (start === undefined) continue;
    for (let index = 0; index < Number(count ?? 1); index++) current.add(Number(start) + index);
  }
  for (const file of git("ls-files", "--others", "--exclude-standard").split("\n"))
    if (file !== "")
      lines.set(
        file,
        new Set(
          readFileSync(join(root, file), "utf8")
            .split("\n")
            .keys()
            .map((n) => n + 1),
        ),
      );
  return lines;
}
