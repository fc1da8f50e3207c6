import { oncePer } from "../../../base/async/once.ts";
import { rowsByName } from "../../../base/text/words.ts";
import type { CodeJudgement, CodeLanguage } from "../../code/code-judgement.ts";
import { readCode } from "../../code/read-code.ts";
import { type Fact, path, rule } from "../fact.ts";
import { programName } from "../programs/program-name.ts";
import type { Programs } from "../programs/program.ts";
import { knownField } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";
import { databaseClients } from "./database-clients.ts";
import type { Interpreted, Interpreter } from "./interpreter.ts";
import { languageInterpreters } from "./language-interpreters.ts";
import { otherInterpreters } from "./other-interpreters.ts";
import { textInterpreters } from "./text-interpreters.ts";

const all: ReadonlyMap<string, Interpreter> = new Map(
  [languageInterpreters, textInterpreters, databaseClients, otherInterpreters].flatMap(rowsByName),
);

/** Programs that run code of another language, or SQL. */
export const interpreterNames: ReadonlySet<string> = new Set(all.keys());

/** Returns the effects of the code that a program runs: findings as rules, files as paths. */
export const interpreters: Programs = Object.fromEntries(
  [...all.keys()].map((name) => [name, (_args, ran) => factsOf(ran)]),
);

/** Returns the commands that the code of a program runs. */
export function interpreterPayloads(ran: SimpleCommand, name: string): readonly Payload[] {
  const { commands = [], shell = [], judged } = readingOf(ran);
  if (commands.length === 0 && shell.length === 0 && judged.length === 0) return noPayloads;
  return [
    ...commands.map((argv): Payload => ({ argv, via: name })),
    ...shell.map((text): Payload => ({ text, via: name, isOwnShell: true })),
    ...judged.flatMap((code) => code.shell.map((text): Payload => ({ text, via: name, isOwnShell: true }))),
    ...judged.flatMap(({ programs }) => programs.map((argv): Payload => ({ argv: argv.map(knownField), via: name }))),
  ];
}

const noPayloads: readonly Payload[] = [];

/** The walk and the rules need the same code, so it is read once for each command. */
const readingOf = oncePer((ran: SimpleCommand): Interpreted & { readonly judged: readonly CodeJudgement[] } => {
  const name = programName(ran.argv[0]) ?? "";
  const interpreted = all.get(name)?.(ran, name) ?? nothing;
  return { ...interpreted, judged: interpreted.codes.map(judge) };
});

const nothing: Interpreted = { codes: [] };

/** Converts the effects of a piece of code to facts. */
export function codeFacts(language: CodeLanguage, text: string): readonly Fact[] {
  const code = { language, text: knownField(text), args: [] };
  return factsOfCode(code, judge(code));
}

function judge({ language, text, args, variables }: Interpreted["codes"][number]): CodeJudgement {
  return readCode(language, text.text, { args: args.map((arg) => arg.text), ...(variables && { variables }) });
}

function factsOfCode(
  code: Interpreted["codes"][number],
  { findings, paths }: Pick<CodeJudgement, "findings" | "paths">,
): readonly Fact[] {
  return [
    ...findings.map(({ rule: id, words }) =>
      rule(id, { ...code.text, text: words, isPattern: false, maySplit: false }),
    ),
    ...paths.map(({ how, path: target, isRecursive }) => path(how, knownField(target), isRecursive)),
  ];
}

function factsOf(ran: SimpleCommand): readonly Fact[] {
  const { codes, judged, paths = [], rules = [] } = readingOf(ran);
  return [
    ...codes.flatMap((code, index) => factsOfCode(code, judged[index] ?? judge(code))),
    ...paths.map(({ how, path: target }) => path(how, target)),
    ...rules.map((id) => rule(id, ...ran.argv)),
  ];
}
