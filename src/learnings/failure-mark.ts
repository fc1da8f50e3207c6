import { cut } from "../base/text/text.ts";
import type { FailureMark } from "../contracts/knowledge/learning.ts";
import { type Attempt, programOf } from "./attempt.ts";

/** Identifies a kind of failure: equal marks mean the same failure. */
export function failureMark(attempt: Attempt, output: string, place: string): FailureMark {
  return { tool: attempt.tool, place, program: programOf(attempt), error: errorOf(output) };
}

/** The most informative line, without parts that vary. Empty: there is none. */
export function errorOf(output: string): string {
  const both = output.length <= 2 * mostAtEnd ? output : `${output.slice(0, mostAtEnd)}\n${output.slice(-mostAtEnd)}`;
  const lines = both
    .split("\n")
    .map((line) => line.trim().slice(0, mostInLine))
    .filter((line) => /\p{L}{3}/u.test(line));
  const telling = lines.filter((line) => tells.test(line) && !summary.test(line));
  // Programs print the cause first or last. A line marked as an error takes precedence over one that only sounds like it.
  const line = telling.find((each) => marked.test(each)) ?? telling.at(-1) ?? lines.at(-1) ?? "";
  return cut(general(line), mostChars);
}

const mostChars = 240;
/** Maximum characters to read at both ends of the output. */
const mostAtEnd = 50_000;
const mostInLine = 2_000;

const marked =
  /^(?:\S+:\s*)?(?:error|fatal|err!|npm err!|e:|failed|panic|exception|traceback)\b|error(?:\[\w+\])?:|\bE[A-Z]{4,}\b/iu;
const tells =
  /error|fatal|fail|cannot|can't|could not|couldn't|denied|not found|no such|unable|unknown|invalid|refused|unrecognized|unexpected|missing|exception|not permitted|not allowed|already exists|timed out|unsupported|require|externally-managed|command not/iu;
/** Summary lines that look the same for every failure. */
const summary =
  /^(?:\d+ (?:errors?|failed|failing)|a complete log|npm err! a complete|exit (?:code|status)|for more|see |hint:|note:)/iu;

/** Removes colours, paths, numbers, hashes and times. Keeps quoted names, which often name what is missing. */
function general(line: string): string {
  return line
    .replaceAll(colours, "")
    .replaceAll(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/giu, "#")
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?\b/gu, "#")
    .replaceAll(/https?:\/\/[^\s'")]+/giu, "URL")
    .replaceAll(/\b[a-z]:[\\/][^\s'"<>|*?]+/giu, "PATH")
    .replaceAll(/(["'`])(?:~|\.{1,2})?\/[^"'`]*\/[^"'`]*\1/gu, "$1PATH$1")
    .replaceAll(/(?<![\w.])(?:~|\.{1,2})?(?:\/[\w.@+~-]+){2,}\/?(?::\d+)*/gu, "PATH")
    .replaceAll(relativeFile, "PATH")
    .replaceAll(/\b(?:0x[0-9a-f]+|[0-9a-f]{7,64})\b/giu, "#")
    .replaceAll(/\d+/gu, "#")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[[\d;]*[a-z]/giu;
/** Matches `./run.sh` and `src/app/main.ts:12`, but not the name `github.com/owner/name`. */
const relativeFile = /(?<![\w@./:-])(?:\.{1,2}\/|(?:[\w+~.-]+\/)+)[\w+~.-]+\.[a-z]\w{0,5}(?::\d+)*/giu;
