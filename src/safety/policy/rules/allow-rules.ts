import { words } from "../../../base/text/words.ts";
import { programName } from "../../command/programs/program-name.ts";
import { hole, knownField } from "../../command/shell/field.ts";
import { runsOtherPrograms, acceptsCommands } from "../commands/command-runners.ts";
import { covers, isEffectRule, isEveryCommand } from "./match-rule.ts";
import { parseRule, ruleText, type WordRule } from "./rule-text.ts";
import type { Subject } from "./subject.ts";

/**
 * Returns the allow rule that covers exactly this question: every word unchanged, in this folder. Undefined if there is
 * no such rule, because a word is unknown or the effect depends on input that changes.
 */
export function allowRuleFor(subject: Subject, id: string): string | undefined {
  const { words, cwd, via, isFed } = subject;
  if (isFed || words.some((word) => !word.isKnown || word.maySplit)) return undefined;
  if ([cwd, ...via].some((text) => text.includes(hole)) || neverAgain.has(id)) return undefined;
  if (words.some(({ text }) => ownRules.test(text))) return undefined;
  const isAnywhere = subject.kind === "effect" || anywhere.has(id);
  const text = ruleText({
    words: words.map((word) => ({
      text: word.text,
      isGlob: word.isPattern,
      ...(word.mark !== undefined && { mark: word.mark }),
    })),
    hasRest: false,
    ...(!isAnywhere && { in: cwd }),
    via,
    rule: id,
  });
  // The stored text must parse back to the same rule.
  const read = parseRule(text, "/");
  const isExact =
    read.ok && !read.value.hasRest && allowFault(read.value) === undefined && covers(read.value, subject, id);
  return isExact ? text : undefined;
}

/** Rules for which an approval is never stored. */
const neverAgain: ReadonlySet<string> = new Set(["reverse_shell", "hidden_code", "fooling_text"]);

/** Files that define what may run. Each change to them needs its own approval. */
const ownRules = /\.hermes\/(?:.*\/)?(?:config\.yaml|\.env|trust\.json)$/u;

/** Rules whose effect does not depend on the folder. */
const anywhere: ReadonlySet<string> = new Set(["service", "kill_force", "container", "cloud_delete", "firewall"]);

/**
 * Returns why a rule may not allow anything, or undefined if it may. A program that runs others is never allowed as a
 * whole.
 */
export function allowFault(rule: WordRule): string | undefined {
  const words = rule.words.filter(({ mark }) => mark === undefined);
  const [program, second] = words;
  if (isEveryCommand(rule))
    return rule.rule === undefined ? "it would allow every command; name the program" : undefined;
  if (program === undefined || program.isGlob) return "the program must be named, not a pattern";
  if (isEffectRule(rule)) {
    if (!effectWords.has(program.text)) return `${program.text} is none of ${[...effectWords].join(", ")}`;
    return words.length > 1 ? undefined : "it would allow every effect of that kind; add a path, host or other target";
  }
  if (!runsOtherPrograms(program.text)) return undefined;
  const name = program.text;
  if (isAsSuch(words.map(({ text }) => text))) return `${name} runs other programs: name the whole command`;
  const isFree = rule.hasRest || words.some(({ isGlob }) => isGlob);
  if (!isFree) return undefined;
  const isNamed =
    manyCommands.has(programName(knownField(name)) ?? "") && second?.isGlob === false && !second.text.startsWith("-");
  return isNamed ? undefined : `${name} runs other programs: no word of the rule may be free`;
}

/** Returns whether a shell, an interpreter or a wrapper is used without a command: `sudo -s`, `docker exec c sh`. */
function isAsSuch([program = "", ...rest]: readonly string[]): boolean {
  if (/(?:^|\/)(?:su|runuser)$/u.test(program))
    return !rest.some((word) => /^(?:-\w*c|--(?:session-)?command)/u.test(word));
  const last = rest.findLast((word) => !word.startsWith("-"));
  return last === undefined || acceptsCommands(last);
}

const effectWords: ReadonlySet<string> = new Set(
  words("@read @write @delete @move @connect @message @state @spawn @sample @type @variable @call"),
);

/** Programs whose first word is a subcommand; the commands that they run are judged separately. */
const manyCommands: ReadonlySet<string> = new Set(
  words(`
  git docker kubectl npm pnpm yarn bun cargo go make helm gh uv poetry tar rsync find fd
`),
);

/** Returns the rules among the texts that can be parsed and may allow something. */
export function rulesIn(texts: readonly string[]): readonly WordRule[] {
  return texts.flatMap((text) => {
    const read = parseRule(text, "/");
    return read.ok && allowFault(read.value) === undefined ? [read.value] : [];
  });
}
