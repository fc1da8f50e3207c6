/** The features of a call by which a later one is recognized. */
export interface Attempt {
  readonly tool: string;
  /** For display: a command line, or the tool with its arguments. */
  readonly text: string;
  /** The words of the last simple command; for other tools, the arguments. */
  readonly words: readonly string[];
  readonly cwd?: string;
  /** The call changes something. */
  readonly leavesTrace: boolean;
}

/** The words of the essential command of a line: `cd app && FOO=1 sudo npm test | tail` gives `npm test`. */
export function commandWords(command: string): readonly string[] {
  let words: string[] = [];
  let isPiped = false;
  for (const [token] of command.replaceAll(/\\\n/gu, " ").matchAll(tokens)) {
    if (/^(?:&&|\|\||;|\n)$/u.test(token)) [words, isPiped] = [[], false];
    else if (token === "|") isPiped = true;
    else if (!isPiped && !/^\d?[<>]/u.test(token)) words.push(token.replaceAll(/["']/gu, ""));
  }
  const first = words.findIndex((word) => !/^\w+=/u.test(word) && !wrappers.has(word));
  return first < 0 ? words : words.slice(first);
}

/** Words with their quotes, and command separators. */
const tokens = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\d?[<>]+&?\d?|[^\s"'|&;<>])+|&&|\|\||[|;\n]/gu;

const wrappers: ReadonlySet<string> = new Set([
  "sudo",
  "env",
  "time",
  "nice",
  "nohup",
  "exec",
  "command",
  "then",
  "do",
]);

/** Program and verb, such as `pip install`. */
export function programOf({ words }: Attempt): string {
  const [program = "", verb = ""] = words;
  const name = program.split("/").at(-1) ?? program;
  return /^[a-z][a-z-]*$/u.test(verb) && verb.length < 20 ? `${name} ${verb}` : name;
}

/** Whether both calls had the same purpose. When in doubt, no: a wrong pair is worse than none. */
export function wantsSame(failed: Attempt, worked: Attempt): boolean {
  if (failed.tool !== worked.tool || failed.words.length === 0 || worked.words.length === 0) return false;
  if (isEqual(failed.words, worked.words)) return true;
  const [one = "", ...rest] = failed.words;
  const [other = "", ...others] = worked.words;
  if (isRelated(one, other)) return haveMost(operands(rest), operands(others));
  // The same line with a prefix: `uv pip install x` for `pip install x`, `npx tsc` for `tsc`.
  if (contains(worked.words, failed.words) || contains(failed.words, worked.words)) return true;
  // Another program for the same purpose: `brew install jq` for `apt install jq`. Both must name the same object.
  const verb = rest.find((word) => verbs.has(word));
  if (verb === undefined || !others.includes(verb)) return false;
  const [requested, got] = [operands(rest), operands(others)].map((words) => words.difference(new Set([verb])));
  return requested !== undefined && got !== undefined && requested.size > 0 && overlap(requested, got) > 0.5;
}

const verbs: ReadonlySet<string> = new Set(
  "install add build test run start up login publish push pull clone deploy update upgrade init sync".split(" "),
);

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}

/** `python` and `python3`, `gradle` and `./gradlew`, `docker-compose` and `docker`. */
function isRelated(one: string, other: string): boolean {
  const [a = "", b = ""] = [one, other].map((name) => (name.split("/").at(-1) ?? name).toLowerCase());
  return a === b || (Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a)));
}

/** Words that are not options. */
function operands(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.filter((word) => !word.startsWith("-")));
}

/** Half of the words is enough if words were only added or removed; a replaced word means a different purpose. */
function haveMost(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const isPart = one.isSubsetOf(other) || other.isSubsetOf(one);
  return isPart ? overlap(one, other) >= 0.5 : overlap(one, other) > 0.5;
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const all = one.union(other).size;
  return all === 0 ? 1 : one.intersection(other).size / all;
}

function contains(long: readonly string[], short: readonly string[]): boolean {
  if (short.length < 2 || long.length <= short.length) return false;
  return long.some((_, index) => isEqual(long.slice(index, index + short.length), short));
}
