import { resolvePathText } from "../../command/checks/path-rules.ts";
import { judgeCommand } from "../../command/judge-command.ts";
import { programName } from "../../command/programs/program-name.ts";
import { rules } from "../../command/rules.ts";
import { knownField } from "../../command/shell/field.ts";
import { matchesGlob } from "../../command/text/glob.ts";
import { runsOtherPrograms } from "../commands/command-runners.ts";
import { type RuleWord, ruleText, type WordRule } from "./rule-text.ts";
import type { Subject, SubjectWord } from "./subject.ts";

/**
 * Returns whether an allow rule answers a question of the rule `id` about this subject. Every word must match at its
 * position. An unknown word matches only a wildcard, and a shell pattern matches only the same pattern.
 */
export function covers(rule: WordRule, subject: Subject, id: string): boolean {
  if (rule.rule === undefined ? namedOnly.has(id) : rule.rule !== id) return false;
  if (rule.in !== undefined && rule.in !== subject.cwd) return false;
  if (isEveryCommand(rule)) return subject.kind === "command" && rule.rule !== undefined;
  if (isEffectRule(rule) !== (subject.kind === "effect")) return false;
  if (rule.via.join(",") !== subject.via.join(",") || (subject.isFed && isFedDangerously(rule))) return false;
  const [expected, marked] = split(rule.words);
  const [given, givenMarked] = split(subject.words);
  if (marked.length !== givenMarked.length) return false;
  if (!marked.every((word, index) => isSameMark(word, givenMarked[index]))) return false;
  if (rule.hasRest ? given.length < expected.length : given.length !== expected.length) return false;
  return (
    expected.every((word, index) => isCovered(word, given[index], index === 0)) && isWrittenOut(rule, id, subject.cwd)
  );
}

/**
 * Returns whether the rule explicitly covers a danger. `git push origin *` does not cover `--force`, because the danger
 * is in the free words. A rule covers a danger if it names the danger, or if its own words contain it: `systemctl
 * restart *`.
 */
function isWrittenOut(rule: WordRule, id: string, cwd: string): boolean {
  const isFree = rule.hasRest || rule.words.some(({ isGlob }) => isGlob);
  if (!isFree || rule.rule !== undefined || !Object.hasOwn(rules, id)) return true;
  const words = rule.words.map((word) =>
    word.isGlob ? { ...word, text: word.text.replaceAll(/[*?]+|\[[^\]]*\]/gu, "x"), isGlob: false } : word,
  );
  const text = ruleText({ words, hasRest: false, via: [] });
  const start = { cwd, home: "/root", user: "root", functions: {}, aliases: {}, variables: {} };
  return judgeCommand(text, start).findings.some((finding) => finding.rule === id);
}

/** Returns whether the effect depends on the input and not only on the words. A stored rule covers only the words. */
function isFedDangerously({ rule, words }: WordRule): boolean {
  const program = words.find(({ mark }) => mark === undefined);
  return rule !== undefined || program === undefined || runsOtherPrograms(program.text);
}

/** Questions that are answered only by a rule that names them, because the user's own rule requires them. */
const namedOnly: ReadonlySet<string> = new Set(["user_ask"]);

/** Matches `* # rule=ID`: every command, for one rule. Hermes writes it only when a person confirms an old key. */
export function isEveryCommand({ words, hasRest }: WordRule): boolean {
  return words.length === 1 && !hasRest && words[0]?.text === "*" && words[0].isGlob;
}

export function isEffectRule({ words }: WordRule): boolean {
  return words[0]?.text.startsWith("@") === true;
}

function split<W extends { readonly mark?: unknown }>(words: readonly W[]): readonly [readonly W[], readonly W[]] {
  return [words.filter(({ mark }) => mark === undefined), words.filter(({ mark }) => mark !== undefined)];
}

function isSameMark(expected: RuleWord, given: SubjectWord | undefined): boolean {
  return given !== undefined && expected.mark === given.mark && isCovered(expected, given, false);
}

function isCovered(expected: RuleWord, given: SubjectWord | undefined, isProgram: boolean): boolean {
  if (given === undefined) return false;
  if (expected.isGlob && expected.text === "*" && !isProgram) return !given.maySplit || given.isKnown;
  if (!given.isKnown) return false;
  if (given.isPattern) return expected.isGlob && expected.text === given.text;
  if (!expected.isGlob) return expected.text === given.text;
  const inside = expected.text.endsWith("/**") ? expected.text.slice(0, -2) : undefined;
  if (inside !== undefined)
    return !/[*?[]/u.test(inside) && given.text.startsWith(inside) && !/\/\.\.(?:\/|$)/u.test(given.text);
  return matchesGlob(expected.text, given.text);
}

/** Returns the rules for a subject. Indexed by program name, because a script may have thousands of commands. */
export function indexRules(rules: readonly WordRule[]): (subject: Subject) => readonly WordRule[] {
  if (rules.length === 0) return () => [];
  const byName = Map.groupBy(rules, ({ words }) => {
    const program = words.find(({ mark }) => mark === undefined);
    return program === undefined || program.isGlob ? anyName : plainName(program);
  });
  return (subject) => {
    const program = subject.words.find(({ mark }) => mark === undefined);
    const names = program === undefined ? [] : [anyName, plainName(program)];
    return names.flatMap((name) => byName.get(name) ?? []).filter((rule) => concerns(rule, subject));
  };
}

const anyName = "*";

function plainName({ text, isPattern = false }: { readonly text: string; readonly isPattern?: boolean }): string {
  return programName({ ...knownField(text), isPattern }) ?? baseName(text);
}

/**
 * * Whether a deny or ask rule applies to this subject. Matches generously: the program by any path or spelling,
 * options in any order, combined or abbreviated, any further words, upper or lower case, and run by any program.
 */
export function concerns(rule: WordRule, subject: Subject): boolean {
  if (rule.in !== undefined && rule.in !== subject.cwd) return false;
  if (!isEveryCommand(rule) && isEffectRule(rule) !== (subject.kind === "effect")) return false;
  const [[program, ...expected], marked] = split(rule.words);
  const [[first, ...given], givenMarked] = split(subject.words);
  if (program === undefined || first === undefined || !isProgram(program, first)) return false;
  if (!marked.every((word) => givenMarked.some((each) => fits(word, each.text, subject.cwd)))) return false;
  const options = expected.filter(isOption);
  const operands = expected.filter((word) => !isOption(word));
  return options.every((word) => hasOption(word, given)) && operandsFit(operands, given, subject.cwd);
}

function isProgram(expected: RuleWord, given: SubjectWord): boolean {
  if (!given.isKnown) return expected.isGlob && expected.text === "*";
  const name = baseName(given.text);
  if (expected.isGlob)
    return (
      matchesGlob(baseName(expected.text), name) || matchesGlob(expected.text.toLowerCase(), given.text.toLowerCase())
    );
  return plainName({ text: expected.text }) === plainName(given);
}

function baseName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1).toLowerCase();
}

function isOption({ text }: { readonly text: string }): boolean {
  return /^-./u.test(text);
}

function hasOption(expected: RuleWord, given: readonly SubjectWord[]): boolean {
  const bare = expected.text.replace(/\*$/u, "").toLowerCase();
  const texts = given.map(({ text }) => text.toLowerCase());
  if (texts.some((text) => text === bare || text.startsWith(`${bare}=`) || (expected.isGlob && text.startsWith(bare))))
    return true;
  const letters = new Set(
    texts.filter((text) => /^-[a-z0-9]+$/u.test(text)).flatMap((text) => text.slice(1).split("")),
  );
  const longs = texts.filter((text) => text.startsWith("--")).map((text) => text.replace(/=.*$/su, ""));
  for (const text of longs) letters.add(shortOf.get(text.slice(2)) ?? "");
  if (/^-[a-z0-9]+$/u.test(bare))
    return bare
      .slice(1)
      .split("")
      .every((letter) => letters.has(letter));
  const short = shortOf.get(bare.slice(2));
  // Programs accept abbreviated long options.
  return (short !== undefined && letters.has(short)) || longs.some((text) => text.length > 4 && bare.startsWith(text));
}

const shortOf: ReadonlyMap<string, string> = new Map(
  ["recursive", "force", "all", "delete", "quiet", "verbose", "yes", "interactive"].map((name) => [
    name,
    name.slice(0, 1),
  ]),
);

/** Matches words in order. A word directly after an option may be its value, so it is skipped if it does not match. */
function operandsFit(expected: readonly RuleWord[], given: readonly SubjectWord[], cwd: string): boolean {
  let index = 0;
  let mayPass = false;
  for (const word of given) {
    const next = expected[index];
    if (next === undefined) return true;
    if (isOption(word)) mayPass = true;
    else if (fits(next, word.text, cwd)) [index, mayPass] = [index + 1, false];
    else if (mayPass) mayPass = false;
    else return false;
  }
  return index === expected.length;
}

function fits(expected: RuleWord, text: string, cwd: string): boolean {
  const spellings = /^[/*]/u.test(expected.text) ? [text, resolvePathText(text, cwd)] : [text];
  return spellings.some((spelled) =>
    expected.isGlob
      ? matchesGlob(acrossFolders(expected.text), acrossFolders(spelled))
      : expected.text.toLowerCase() === spelled.toLowerCase(),
  );
}

/** Lets `*` of a deny rule match across folders. */
function acrossFolders(text: string): string {
  return text.replaceAll("/", "\u0001").toLowerCase();
}
