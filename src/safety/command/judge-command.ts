import { carriedCommands } from "./checks/carried-commands.ts";
import { sentDumps } from "./checks/dumped-secrets.ts";
import { emptiedFiles } from "./checks/emptied-files.ts";
import { inheritedVariables } from "./checks/inherited-variables.ts";
import type { PathPlace } from "./checks/known-paths.ts";
import { scriptFacts } from "./checks/script-rules.ts";
import { sentSecrets } from "./checks/sent-secrets.ts";
import { commandHits, factHits, type RuleHit } from "./command-hits.ts";
import { pureOutput } from "./output/pure-output.ts";
import { writtenFiles } from "./output/written-files.ts";
import { type RuleId, rules } from "./rules.ts";
import { type Field, isKnown, displayText, type CommandSpan } from "./shell/field.ts";
import { startState, type StartState } from "./shell/shell-state.ts";
import type { SimpleCommand } from "./shell/simple-command.ts";
import { walkScript } from "./shell/walk-script.ts";
import type { WalkDoubt, Parser, Walk } from "./shell/walk.ts";
import { isDisguised, readCommand } from "./text/normalise.ts";
import { otherReadings } from "./text/other-readings.ts";
import { payloadsOf } from "./wrappers/payloads.ts";

/** The judgement of a command before it runs. */
export interface CommandJudgement {
  readonly verdict: "hardline" | "dangerous" | "safe";
  /** The findings, most severe first. Empty if the command is safe. */
  readonly findings: readonly CommandFinding[];
  /** Every program that the command would run. */
  readonly commands: readonly SimpleCommand[];
  /** The syntax tree of the original text. Undefined if the shell reads another text, or if it was not parsed. */
  readonly tree?: NonNullable<Walk["tree"]>;
}

export interface CommandFinding {
  readonly rule: RuleId;
  readonly severity: "hardline" | "dangerous";
  /** A sentence for people, such as "deletes a file or a whole folder: rm -rf build". */
  readonly sentence: string;
  /** The words that triggered the rule, as the program receives them. */
  readonly words: readonly string[];
  /** Positions of these words in the original text, if they occur there. */
  readonly spans: readonly CommandSpan[];
  /**
   * The command that triggered the rule. Undefined if the rule concerns the text, or a script that was written
   * elsewhere.
   */
  readonly command?: SimpleCommand;
}

/** Analyses a command as the shell would parse it. Runs nothing, and never throws. */
export function judgeCommand(text: string, start: StartState, parse?: Parser): CommandJudgement {
  try {
    return judge(text, start, parse);
  } catch (error) {
    // Handles a stack overflow, because no limit covers every kind of nesting.
    if (!(error instanceof RangeError)) throw error;
    const message = "the script nests too deep to be judged";
    return { verdict: "dangerous", findings: [doubtFinding({ kind: "too_deep", message })], commands: [] };
  }
}

function judge(text: string, start: StartState, parse: Parser | undefined): CommandJudgement {
  const read = readCommand(text);
  const place = { home: start.home, workspace: start.workspace ?? start.cwd, ...(parse && { parse }) };
  const judged = judgeText(read.shell, start, place);
  const findings: CommandFinding[] =
    read.shell === text
      ? [...judged.findings]
      : judged.findings.map((finding) => ({ ...finding, spans: finding.spans.map(read.given) }));
  if (read.hidden.length > 0) findings.push(foolingFinding([], read.hidden));
  // A person approves the text as it looks on the screen, so that form is judged too.
  const disguised: string[] = [];
  for (const { argv } of judged.commands) {
    const [name] = argv;
    if (name && isDisguised(name.text) && isKnown(name)) disguised.push(name.text);
  }
  if (disguised.length > 0) findings.push(foolingFinding(disguised, []));
  if (read.person !== undefined) {
    const seen = judgeText(read.person, start, place).findings;
    const worse = seen.filter(
      ({ rule }) => !doubtRules.has(rule) && findings.every((finding) => finding.rule !== rule),
    );
    if (worse.length > 0 && !findings.some(({ rule }) => rule === "fooling_text"))
      findings.push(foolingFinding([], []));
    findings.push(...worse.map((finding) => elsewhere(finding, [])));
  }
  const sorted = findings.toSorted((a, b) => rank(a) - rank(b));
  const { commands, tree } = judged;
  const isGiven = tree !== undefined && read.shell === text && !text.includes("\r");
  return { verdict: sorted[0]?.severity ?? "safe", findings: sorted, commands, ...(isGiven && { tree }) };
}

/** Rules about text that cannot be parsed. They do not apply to another interpretation of the text. */
const doubtRules: ReadonlySet<RuleId> = new Set<RuleId>(["unparsable", "too_much", "unknown_program", "unknown_code"]);

type JudgedText = Pick<CommandJudgement, "findings" | "commands"> & Pick<Walk, "tree">;

type ReadingPlace = PathPlace & { readonly parse?: Parser };

/** Judges a text in each of its possible interpretations. */
function judgeText(text: string, start: StartState, place: ReadingPlace, depth = 0): JudgedText {
  const { findings, commands, tree } = judgeReading(text, start, place, depth);
  const isUnparsable = findings.some(({ rule }) => rule === "unparsable");
  const others = otherReadings(text, start, commands, isUnparsable);
  if (others.length === 0) return { findings, commands, tree };
  const more = others.flatMap((other) =>
    judgeReading(other.text, other.start, place, depth).findings.filter(
      ({ rule, command }) =>
        !doubtRules.has(rule) && other.counts(command) && findings.every((finding) => finding.rule !== rule),
    ),
  );
  return { findings: [...findings, ...more.map((finding) => elsewhere(finding, []))], commands, tree };
}

function judgeReading(text: string, start: StartState, place: ReadingPlace, depth: number): JudgedText {
  const { parse } = place;
  const walk = walkScript(text, startState(start, text), {
    payloads: payloadsOf,
    output: pureOutput,
    writes: writtenFiles,
    contents: start.contents,
    parse,
  });
  const { commands, tree, scripts } = walk;
  const findings = walk.doubts.map(doubtFinding);
  const add = (ran: SimpleCommand, hits: readonly RuleHit[]) => {
    for (const { rule, words } of hits)
      if (findings.length < maxFindings || rules[rule].severity === "hardline")
        findings.push(findingFor(rule, words, ran));
  };
  for (const ran of commands) add(ran, commandHits(ran, place));
  for (const { ran, fact } of scriptFacts(commands)) add(ran, factHits(fact, ran, place));
  for (const { ran, fact } of emptiedFiles(commands, place.workspace)) add(ran, factHits(fact, ran, place));
  for (const { ran, fact } of sentSecrets(commands, text)) add(ran, factHits(fact, ran, place));
  if (commands.length > 1) for (const { ran, fact } of sentDumps(commands)) add(ran, factHits(fact, ran, place));
  const inner = depth > maxCarried ? [] : carriedCommands(commands, scripts);
  for (const { ran, text: code, isGuess } of inner) {
    const judged = judgeText(code, { ...start, cwd: ran.cwd }, place, depth + 1).findings;
    addAll(
      findings,
      judged
        .filter(({ rule }) => !isGuess || !doubtRules.has(rule))
        .map((finding) => elsewhere(finding, ran.at ? [ran.at] : [])),
    );
  }
  addAll(findings, inheritedFindings(commands, start, place));
  return { findings, commands, tree };
}

/** Adds findings up to a limit. Hardline findings are always added. */
function addAll(findings: CommandFinding[], more: readonly CommandFinding[]): void {
  for (const finding of more)
    if (findings.length < maxFindings || finding.severity === "hardline") findings.push(finding);
}

const maxFindings = 200;

/** The maximum depth of commands among the arguments of commands. */
const maxCarried = 3;

/** Returns findings about a pager, an editor or a loader that an earlier command set. */
function inheritedFindings(
  commands: readonly SimpleCommand[],
  start: StartState,
  place: ReadingPlace,
): readonly CommandFinding[] {
  return inheritedVariables(commands, start.variables).flatMap(({ name, value, isLoader }) => {
    const inner = isLoader ? [] : judgeText(value, { ...start, variables: {} }, place).findings;
    if (!isLoader && inner.length === 0) return [];
    const { severity, sentence } = rules.loader_variable;
    const own: CommandFinding = {
      rule: "loader_variable",
      severity,
      sentence: `${sentence}: ${name}=${value}`,
      words: [name, value],
      spans: [],
    };
    return [own, ...inner.map((finding) => elsewhere(finding, []))];
  });
}

/** Copies a finding without its positions, because it concerns another text than the original. */
function elsewhere({ command: _, ...finding }: CommandFinding, spans: readonly CommandSpan[]): CommandFinding {
  return { ...finding, spans };
}

function foolingFinding(words: readonly string[], spans: readonly CommandSpan[]): CommandFinding {
  const { severity, sentence } = rules.fooling_text;
  return { rule: "fooling_text", severity, sentence, words, spans };
}

function rank({ severity }: CommandFinding): number {
  return severity === "hardline" ? 0 : 1;
}

function doubtFinding({ kind, message, at: span }: WalkDoubt): CommandFinding {
  const rule = kind === "unparsable" ? kind : kind.startsWith("unknown") ? "unknown_code" : "too_much";
  return { rule, severity: rules[rule].severity, sentence: message, words: [], spans: span ? [span] : [] };
}

function findingFor(id: RuleId, hit: readonly Field[], ran: SimpleCommand): CommandFinding {
  const { severity, sentence } = rules[id];
  const [program] = ran.argv;
  // Arguments are unclear without the program, so its name is put before them.
  const isArguments = hit[0] === undefined || ran.argv.indexOf(hit[0]) > 0;
  const words = program && isArguments ? [program, ...hit] : hit;
  const joinedWords = words
    .slice(0, maxWords)
    .map((word) => clip(isKnown(word) && word.text !== "" ? word.text : displayText(word)));
  const spans = words.flatMap(({ at: span }) => (span ? [span] : []));
  return {
    rule: id,
    severity,
    sentence: `${sentence}: ${joinedWords.join(" ")}${words.length > maxWords ? " …" : ""}`,
    words: joinedWords,
    spans: spans.length > 0 ? spans : ran.at ? [ran.at] : [],
    command: ran,
  };
}

/** The maximum number of words in a sentence. */
const maxWords = 40;
const maxWordChars = 200;

function clip(text: string): string {
  return text.length > maxWordChars ? `${text.slice(0, maxWordChars)}…` : text;
}
