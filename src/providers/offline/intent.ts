import { once } from "../../base/async/once.ts";
import type { MaskedText } from "./quoted-pieces.ts";
import type { Step } from "./step.ts";

/** One row of the table: a way to phrase a request, and its meaning. */
export interface Intent {
  /** Patterns are compiled at first use, because most are never needed. */
  pattern(): RegExp;
  /** Returns the step, or undefined if the words fit the pattern but mean something else. */
  step(parts: SentenceParts, match: IntentMatch): Step | undefined;
}

/** The named parts of the sentence without their quotes. A missing part is empty. */
export type SentenceParts = Readonly<Record<PartName, string>>;

export interface IntentMatch {
  readonly sentence: string;
  readonly masked: MaskedText;
  isQuoted(name: PartName): boolean;
}

/** The file that "it" and "this" refer to. */
export interface Context {
  readonly lastPath?: string | undefined;
  readonly input?: string | undefined;
}

/** The parts that are file names, and all other parts. */
const pathNames = ["path", "from", "to", "folder"] as const;
const otherNames = [
  "first",
  "last",
  "command",
  "content",
  "old",
  "new",
  "name",
  "words",
  "items",
  "item",
  "text",
  "args",
] as const;
type PartName = (typeof pathNames)[number] | (typeof otherNames)[number];

/** The pattern must match the whole sentence. Names in angle brackets are its parts. */
export function intent(source: string, step: Intent["step"]): Intent {
  return { pattern: once(() => new RegExp(`^(?:${expand(source)})$`, "is")), step };
}

export function matchIntents(
  intents: readonly Intent[],
  sentence: string,
  masked: MaskedText,
  context: Context,
): Step | undefined {
  for (const { pattern, step } of intents) {
    const groups = pattern().exec(sentence)?.groups;
    const parts = groups && readParts(groups, masked, context);
    const result = parts && step(parts, { sentence, masked, isQuoted: (name) => masked.isQuoted(groups[name] ?? "") });
    if (result) return result;
  }
  return undefined;
}

/** Returns undefined if the text of a part does not fit, such as a path or a text to write. */
function readParts(
  groups: Readonly<Record<string, string | undefined>>,
  masked: MaskedText,
  { lastPath, input }: Context,
): SentenceParts | undefined {
  const parts = Object.fromEntries([...pathNames, ...otherNames].map((name) => [name, ""])) as Record<PartName, string>;
  for (const name of [...pathNames, ...otherNames]) {
    const captured = groups[name];
    if (captured === undefined) continue;
    const isQuoted = masked.isQuoted(captured);
    let value: string | undefined = masked.unquote(captured);
    if (name === "content") {
      if (!isQuoted && /^(?:this|that|it|the input)$/iu.test(value)) value = input;
      else if (!isQuoted && needsAuthor.test(value)) return undefined;
      else value = `${value.replace(/\n$/u, "")}\n`;
    } else if (pathNames.some((each) => each === name)) {
      if (!isQuoted && /^(?:it|that|this|(?:that|this|the) file)$/iu.test(value)) value = lastPath;
      else if (/^$|[\n\0]/u.test(value) || (!isQuoted && notPaths.test(value))) return undefined;
    }
    if (value === undefined) return undefined;
    parts[name] = value;
  }
  return parts;
}

function expand(source: string): string {
  const expanded = source
    .replaceAll(" ?", "\\s*")
    .replaceAll(" ", "\\s+")
    .replaceAll(/(?<!\(\?)<([a-z]+)>/gu, (_, name: string) => {
      const kind = pathNames.some((each) => each === name)
        ? "[^\\s,;]*[^\\s,;:]"
        : /^(?:first|last)$/u.test(name)
          ? "\\d{1,9}"
          : ".+?";
      return `(?<${name}>${kind})`;
    });
  // An alternative that never matches ensures that `groups` exists in every match.
  return `${expanded}|(?!)(?<none>)`;
}

/** Words that are not files: "read something", "open everything". */
const notPaths =
  /^(?:the|my|me|us|you|your|to|in|into|on|at|of|for|with|and|or|all|everything|something|anything|files?|folders?|list|tools?|todos?|plan|tasks?|processes|jobs|what|why|how|who|more|help|up|down|out|about|some|new)$/iu;

/** Descriptions that are not literal text: "a poem", "the output of ls". */
const needsAuthor =
  /^(?:me\b|(?:the|its|your|my) (?:outputs?|results?|answers?|contents?|summary|list)\b|(?:an?|some|the) (?:\S+ ){0,2}(?:story|poem|song|letter|novel|e?mail|tests?|script|program|function|class|essay|summary|report|joke|recipe|page|website|comments?|code)\b)/iu;
