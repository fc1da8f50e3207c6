/** One call, as far as it is known again. */
export interface Attempt {
  readonly tool: string;
  /** As a person would write it: a command line, or the tool with its arguments. */
  readonly text: string;
  /** The last simple command of the line, word by word; of another tool its arguments. */
  readonly words: readonly string[];
  readonly cwd?: string;
  /** It changes something. */
  readonly leavesTrace: boolean;
}

/** The words of what a command line comes down to: `cd app && FOO=1 sudo npm test | tail` is `npm test`. */
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

/** Words with their quotes, and what stands between commands. */
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

/** Did both want the same? Rather no than yes: a wrong pair is worse than none. */
export function wantsSame(failed: Attempt, worked: Attempt): boolean {
  if (failed.tool !== worked.tool || failed.words.length === 0 || worked.words.length === 0) return false;
  if (isEqual(failed.words, worked.words)) return true;
  const [one = "", ...rest] = failed.words;
  const [other = "", ...others] = worked.words;
  if (isRelated(one, other)) return haveMost(operands(rest), operands(others));
  // The same line behind another program: `uv pip install x` for `pip install x`, `npx tsc` for `tsc`.
  if (contains(worked.words, failed.words) || contains(failed.words, worked.words)) return true;
  // Another program for the same: `brew install jq` for `apt install jq`. What is wanted has to be named.
  const verb = rest.find((word) => verbs.has(word));
  if (verb === undefined || !others.includes(verb)) return false;
  const [wanted, got] = [operands(rest), operands(others)].map((words) => words.difference(new Set([verb])));
  return wanted !== undefined && got !== undefined && wanted.size > 0 && overlap(wanted, got) > 0.5;
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

/** What is not an option. Two lines of options alone have everything in common. */
function operands(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.filter((word) => !word.startsWith("-")));
}

/** Half is enough where something was only added or left out: what stands in for something else was another wish. */
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
