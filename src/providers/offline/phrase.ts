import { once } from "../../base/async/once.ts";
import type { MaskedText } from "./quoted-pieces.ts";
import type { Step } from "./step.ts";

/** What a rule is given beside the words that it found. */
export interface Hearing {
  readonly masked: MaskedText;
  /** What "it" and "that file" mean. */
  readonly lastPath?: string;
  /** What came with the message: text that was piped in. "this" means it. */
  readonly input?: string;
}

/** A way of saying something. `make` may still say that it was not meant. */
export interface Phrase {
  /** Made when first asked for: most are never needed. */
  pattern(): RegExp;
  make(part: (name: string) => string | undefined, heard: Hearing): Step | undefined;
}

/** A rule from a pattern in which `<path>`, `<folder>`, `<it>`… stand for usual parts; ignores case, must fit as a whole. */
export function phrase(source: string, make: Phrase["make"]): Phrase {
  return { pattern: once(() => new RegExp(`^(?:${spelledOut(source)})$`, "is")), make };
}

function spelledOut(source: string): string {
  return source
    .replaceAll(" ?", "\\s*")
    .replaceAll(" ", "\\s+")
    .replaceAll(
      /(?<!\(\?)<([a-z]+\d?)>/gu,
      (_, name: string) => `(?<${name}>${parts[name.replace(/\d$/u, "")] ?? ".+?"})`,
    );
}

/** One word, a quoted piece, or several words that end like a file name. */
const pathPart =
  "[^\\s,;]*[^\\s,;:]|(?!me\\b|mir\\b|moi\\b|the\\b|an?\\b)\\S+(?:[ ](?!(?:to|in|into|with|and|from|of|by|for|mit|dans|avec)[ ])[^\\s,;]+){1,5}\\.\\w{1,8}";

const parts: Readonly<Record<string, string>> = {
  path: pathPart,
  from: pathPart,
  to: pathPart,
  folder: pathPart,
  id: "[\\w-]+",
  number: "\\d{1,9}",
  upto: "\\d{1,9}",
};

/** A path as it was meant: unquoted, or what "it" stands for. Nothing when it cannot be one. */
export function pathOf(captured: string | undefined, { masked, lastPath }: Hearing): string | undefined {
  if (captured === undefined) return undefined;
  const path = masked.meant(captured).replaceAll("\\ ", " ");
  if (/^(?:it|that|this|them|es|ihn|sie|le|la|that file|this file|the file)$/iu.test(path)) return lastPath;
  const isWord = !masked.isQuoted(captured) && notPaths.test(path);
  return path === "" || path.includes("\n") || path.includes("\0") || isWord ? undefined : path;
}

/** Single words that are no file: "read something", "open everything". */
const notPaths =
  /^(?:the|my|me|us|you|your|to|in|into|on|at|of|for|with|and|or|all|everything|something|anything|file|files|folder|what|why|how|who|more|help|up|down|out|about|some|new|der|die|das|le|la|les|un|une)$/iu;
