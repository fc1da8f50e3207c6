import { relative } from "node:path";

import { isObject } from "../base/json.ts";
import { cut } from "../base/text/text.ts";
import type { FailureMark, Learning, LearningStore } from "../contracts/knowledge/learning.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { PendingCall } from "../contracts/tool/dispatch.ts";
import type { ToolResult } from "../contracts/tool/tool-result.ts";

export interface LearnerDeps {
  /** Opens the store at the first failure. */
  store(): Promise<LearningStore>;
  readonly who: Principal;
  /** Returns whether the text contains a secret or an injected instruction and must not be stored. */
  isUnfit(text: string): Promise<boolean>;
  /** Reports that learning failed. Such a failure never affects the call. */
  readonly failed: (thrown: unknown) => void;
}

/** Learns fixes from the calls of one session, in their order. */
export interface Learner {
  /**
   * Called after each call. Returns a hint for the model if the same kind of failure was fixed before. Never rejects.
   */
  heard(call: PendingCall, result: ToolResult): Promise<string | undefined>;
}

interface OpenFailure {
  readonly mark: FailureMark;
  readonly attempt: Attempt;
  readonly at: number;
  readonly shown?: Learning;
}

/** The number of calls after which a success is no longer related to the failure. */
const patience = 8;
const maxOpen = 20;
/** Maximum stored characters of a failed command. */
const maxChars = 1_000;

export function createLearner({ store, who, isUnfit, failed }: LearnerDeps): Learner {
  let attempts: { readonly attempt: Attempt; readonly at: number }[] = [];
  let open: OpenFailure[] = [];
  let count = 0;

  async function note(call: PendingCall, result: ToolResult): Promise<string | undefined> {
    const attempt = attemptOf(call);
    if (!attempt) return undefined;
    const offset = count++;
    open = open.filter((each) => offset - each.at <= patience);
    const output = failureText(result);
    if (output === undefined) {
      // Nothing is learned from a call that untrusted text may have caused.
      if (open.length > 0 && (call.scope.taint?.sources().length ?? 0) === 0) await worked(attempt, offset);
      attempts = [...attempts, { attempt, at: offset }].slice(-patience);
      return undefined;
    }
    const mark = failureMark(attempt, output, placeOf(call));
    if (mark.error === "") return undefined;
    const learnings = await store();
    const again = open.find((each) => each.shown && isSame(each.mark, mark));
    if (again?.shown) await learnings.doubt(again.shown.id, who);
    const learning = await learnings.find(mark, who);
    const shown = learning && learning.id !== again?.shown?.id ? learning : undefined;
    open = [...open.filter((each) => each !== again), { mark, attempt, at: offset, ...(shown && { shown }) }].slice(
      -maxOpen,
    );
    return shown && remarkOf(shown);
  }

  async function worked(attempt: Attempt, index: number): Promise<void> {
    const settled = new Set<OpenFailure>();
    for (const failure of open.toReversed()) {
      const between = attempts.filter((each) => each.at > failure.at && each.at < index).map((each) => each.attempt);
      const fix = findFix(failure.attempt, between, attempt);
      if (fix === undefined) continue;
      settled.add(failure);
      const { text } = failure.attempt;
      if (await isUnfit([text, failure.mark.error, fix].join("\n"))) continue;
      await (await store()).learn(failure.mark, { failed: cut(text, maxChars), fix }, who);
    }
    open = open.filter((failure) => !settled.has(failure));
  }

  return {
    async heard(call, result) {
      try {
        return await note(call, result);
      } catch (thrown) {
        failed(thrown);
        return undefined;
      }
    },
  };
}

function remarkOf({ fix, worked, failedAgain }: Learning): string {
  const times = `${worked} of ${worked + failedAgain} ${worked + failedAgain === 1 ? "time" : "times"}`;
  return `[From earlier work: when this failed before, this worked (${times}): ${fix}]`;
}

function isSame(one: FailureMark, other: FailureMark): boolean {
  return one.tool === other.tool && one.program === other.program && one.error === other.error;
}

function placeOf({ scope: { place } }: PendingCall): string {
  return `${place.backend} ${place.backend === "local" ? process.platform : ""}`.trim();
}

/** Learns from commands and other tools, except file tools, because a fixed file does not help next time. */
function attemptOf({ call, tool, prepared, effects }: PendingCall): Attempt | undefined {
  const ran = effects.find((effect) => effect.kind === "exec");
  if (ran?.kind === "exec") {
    return {
      tool: call.name,
      text: ran.command,
      words: commandWords(ran.command),
      cwd: ran.cwd,
      leavesTrace: ran.leavesNoTrace !== true,
    };
  }
  const touchesFiles = effects.some(({ kind }) => kind === "write" || kind === "delete" || kind === "move");
  if (touchesFiles) return { tool: call.name, text: call.name, words: [], leavesTrace: true };
  if (tool.traits.readOnly) return undefined;
  const text = `${call.name} ${JSON.stringify(prepared.args)}`;
  return { tool: call.name, text, words: [call.name, ...scalarsOf(prepared.args)], leavesTrace: true };
}

function scalarsOf(args: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
}

/**
 * Returns the error output, or undefined if the call succeeded. A call that a person or a rule stopped does not count
 * as failed.
 */
function failureText(result: ToolResult): string | undefined {
  if (!result.ok) return learnable.has(result.error.kind) ? result.error.message : undefined;
  const { data } = result.value;
  if (!isObject(data)) return undefined;
  const { exit_code: code, error, output } = data;
  if (typeof error === "string" && error !== "") return `${typeof output === "string" ? output : ""}\nerror: ${error}`;
  if (typeof code !== "number" || code === 0) return undefined;
  // Exit code 1 without output is a normal result, such as no match or not equal.
  const text = typeof output === "string" ? output : "";
  return text.trim() === "" ? undefined : text;
}

const learnable: ReadonlySet<string> = new Set(["failed", "timeout", "unavailable", "crashed"]);

/**
 * Describes the fix: another command, a preparation, or another folder. Undefined if it is unclear, for example when
 * files were edited in between or the same command simply succeeded later.
 */
export function findFix(failed: Attempt, between: readonly Attempt[], worked: Attempt): string | undefined {
  if (!hasSamePurpose(failed, worked)) return undefined;
  if (failed.text.trim() !== worked.text.trim()) {
    return `\`${shown(worked.text)}\` instead of \`${shown(failed.text)}\``;
  }
  if (failed.cwd !== undefined && worked.cwd !== undefined && failed.cwd !== worked.cwd) {
    const folder = relative(failed.cwd, worked.cwd) || worked.cwd;
    return `running it in the folder \`${shown(folder.startsWith("..") ? worked.cwd : folder)}\``;
  }
  const changes = between.filter(({ leavesTrace }) => leavesTrace);
  // An edit in between fixed the content of a file, which does not help next time.
  if (changes.length === 0 || changes.length > maxSteps || changes.some(({ tool }) => tool !== failed.tool)) {
    return undefined;
  }
  return `first ${changes.map(({ text }) => `\`${shown(text)}\``).join(", then ")}, then the same command again`;
}

const maxSteps = 2;

function shown(text: string): string {
  return cut(text.trim().replaceAll(/\s+/gu, " "), 200);
}

/** Identifies a kind of failure. Equal results mean the same failure. */
function failureMark(attempt: Attempt, output: string, place: string): FailureMark {
  return { tool: attempt.tool, place, program: programOf(attempt), error: errorOf(output) };
}

/** Returns the most informative line, without parts that vary. Empty if there is none. */
export function errorOf(output: string): string {
  const both =
    output.length <= 2 * maxCharsAtEnd ? output : `${output.slice(0, maxCharsAtEnd)}\n${output.slice(-maxCharsAtEnd)}`;
  const lines = both
    .split("\n")
    .map((line) => line.trim().slice(0, maxInLine))
    .filter((line) => /\p{L}{3}/u.test(line));
  const telling = lines.filter((line) => tells.test(line) && !summary.test(line));
  // Programs print the cause first or last. A line marked as an error takes precedence over one that only resembles an
  // error.
  const line = telling.find((each) => marked.test(each)) ?? telling.at(-1) ?? lines.at(-1) ?? "";
  return cut(general(line), maxMarkChars);
}

const maxMarkChars = 240;
/** The maximum number of characters that are read at both ends of the output. */
const maxCharsAtEnd = 50_000;
const maxInLine = 2_000;

const marked =
  /^(?:\S+:\s*)?(?:error|fatal|err!|npm err!|e:|failed|panic|exception|traceback)\b|error(?:\[\w+\])?:|\bE[A-Z]{4,}\b/iu;
const tells =
  /error|fatal|fail|cannot|can't|could not|couldn't|denied|not found|no such|unable|unknown|invalid|refused|unrecognized|unexpected|missing|exception|not permitted|not allowed|already exists|timed out|unsupported|require|externally-managed|command not/iu;
/** Summary lines that are the same for every failure. */
const summary =
  /^(?:\d+ (?:errors?|failed|failing)|a complete log|npm err! a complete|exit (?:code|status)|for more|see |hint:|note:)/iu;

/** Removes colours, paths, numbers, hashes and times. Keeps quoted names, because they often name the missing item. */
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

/** The features of a call by which a similar call is recognised later. */
export interface Attempt {
  readonly tool: string;
  /** The displayed form: a command line, or the tool with its arguments. */
  readonly text: string;
  /** The words of the last simple command; for other tools, the arguments. */
  readonly words: readonly string[];
  readonly cwd?: string;
  /** True if the call changes something. */
  readonly leavesTrace: boolean;
}

/** Returns the words of the main command in a line: `cd app && FOO=1 sudo npm test | tail` gives `npm test`. */
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

/** Matches words, with their quotes, and command separators. */
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

/** The program and its verb, such as `pip install`. */
function programOf({ words }: Attempt): string {
  const [program = "", verb = ""] = words;
  const name = program.split("/").at(-1) ?? program;
  return /^[a-z][a-z-]*$/u.test(verb) && verb.length < 20 ? `${name} ${verb}` : name;
}

/**
 * Returns whether both calls had the same purpose. Returns false if unsure, because a wrong pair is worse than none.
 */
export function hasSamePurpose(failed: Attempt, worked: Attempt): boolean {
  if (failed.tool !== worked.tool || failed.words.length === 0 || worked.words.length === 0) return false;
  if (isEqual(failed.words, worked.words)) return true;
  const [one = "", ...rest] = failed.words;
  const [other = "", ...others] = worked.words;
  if (isRelated(one, other)) return haveMost(operands(rest), operands(others));
  // One line is the other with a prefix: `uv pip install x` for `pip install x`, `npx tsc` for `tsc`.
  if (contains(worked.words, failed.words) || contains(failed.words, worked.words)) return true;
  // Another program can have the same purpose: `brew install jq` for `apt install jq`. Both must name the same object.
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

/** Treats program names as equal: `python` and `python3`, `gradle` and `./gradlew`, `docker-compose` and `docker`. */
function isRelated(one: string, other: string): boolean {
  const [a = "", b = ""] = [one, other].map((name) => (name.split("/").at(-1) ?? name).toLowerCase());
  return a === b || (Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a)));
}

/** The words that are not options. */
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
