import { createContext, Script } from "node:vm";

import { once } from "../../../base/async/once.ts";
import { linearMatcher, type LinearMatcher } from "./linear-matcher.ts";
import type { JavaScriptPattern } from "./pattern.ts";

/** Where a pattern matches in texts. JavaScript's own patterns are fast but can take for ever: then another way is taken. */
export interface Scanner {
  /**
   * For each text the beginnings and ends of matches, in turn; by lines, of the first match of each line. Undefined for a
   * text that takes too long.
   */
  scan(texts: readonly string[]): readonly (readonly number[] | undefined)[];
}

export function createScanner(pattern: JavaScriptPattern, byLine: boolean): Scanner {
  const job: Job = { texts: [], found: [], pattern: new RegExp(pattern.source, pattern.flags), byLine };
  const linear = once(() => linearMatcher(pattern.tree, pattern.flags.includes("i"), limits.steps));
  const context = createContext({ job });
  const script = new Script(scanSource);
  return {
    scan(texts) {
      job.found = [];
      while (job.found.length < texts.length) {
        job.texts = texts.slice(job.found.length);
        const before = job.found;
        job.found = [];
        const chars = job.texts.reduce((sum, text) => sum + text.length, 0);
        try {
          script.runInContext(context, { timeout: limits.ms + Math.ceil((chars / 1_000_000) * limits.msPerMillion) });
          job.found = [...before, ...job.found];
        } catch {
          // The one it was at takes too long, or needs more memory than a pattern may have.
          const slow = job.texts[job.found.length] ?? "";
          job.found = [...before, ...job.found, spansOf(linear(), slow, byLine)];
        }
      }
      return job.found;
    },
  };
}

const limits = {
  ms: 150,
  /** On top, for each million characters. */
  msPerMillion: 200,
  /** Of the other way, for one match. */
  steps: 20_000_000,
};

/** As `scanSource` finds them. */
function spansOf(matcher: LinearMatcher | undefined, text: string, byLine: boolean): readonly number[] | undefined {
  if (matcher === undefined) return undefined;
  const spans: number[] = [];
  for (let at = 0; at < text.length;) {
    const found = matcher.find(text, at);
    if (found === "tired") return undefined;
    if (found === undefined || (found.start === text.length && text.endsWith("\n"))) break;
    spans.push(found.start, found.end);
    const lineEnd = byLine ? text.indexOf("\n", found.end) : -1;
    if (byLine && lineEnd < 0) break;
    at = byLine
      ? lineEnd + 1
      : found.end + (found.end === found.start ? ((text.codePointAt(found.end) ?? 0) > 0xffff ? 2 : 1) : 0);
  }
  return spans;
}

interface Job {
  texts: readonly string[];
  found: (readonly number[] | undefined)[];
  readonly pattern: RegExp;
  readonly byLine: boolean;
}

/** Runs in a context of its own, the only place where a run can be given an end. A line end at the end begins no line. */
const scanSource = `{
  // An empty match may stand between the halves of a character.
  const isInPair = (text, at) => (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  const { texts, found, pattern, byLine } = job;
  for (const text of texts) {
    const spans = [];
    pattern.lastIndex = 0;
    while (pattern.lastIndex < text.length) {
      const match = pattern.exec(text);
      if (match === null || match.index === text.length && text.endsWith("\\n")) break;
      const end = match.index + match[0].length;
      if (isInPair(text, match.index)) {
        pattern.lastIndex = match.index + 1;
        continue;
      }
      spans.push(match.index, end);
      if (byLine) {
        const lineEnd = text.indexOf("\\n", end);
        if (lineEnd < 0) break;
        pattern.lastIndex = lineEnd + 1;
      } else if (end === match.index) pattern.lastIndex = end + (text.codePointAt(end) > 0xffff ? 2 : 1);
    }
    found.push(spans);
  }
}`;
