import { sha256 } from "../../base/digest.ts";
import type { Reason } from "../../contracts/approval.ts";
import type { ShellState } from "../../contracts/environment.ts";
import { type Finding, judgeCommand } from "../command/judge-command.ts";
import { wholePath } from "../command/path-rules.ts";
import { programName } from "../command/program-name.ts";
import { hole, isKnown, shown } from "../command/shell/field.ts";
import type { SimpleCommand } from "../command/shell/simple-command.ts";
import { isOtherHermes, isSelfApproval, ownFiles } from "./own-commands.ts";
import { type FilePlace, judgePath } from "./path-lists.ts";
import { askAbout, askOnce, type SubjectAsk } from "./question.ts";
import { isReading } from "./reading-commands.ts";
import { commandSubject, type Subject } from "./subject.ts";

/** What is known of a command that is about to run. */
export interface JudgedCommand {
  readonly denials: readonly (Reason & { readonly isHardline: boolean })[];
  readonly asks: readonly SubjectAsk[];
  /** Every command that would run. */
  readonly subjects: readonly Subject[];
  readonly commands: readonly SimpleCommand[];
  /** It is known to change nothing. */
  readonly isReading: boolean;
}

export interface ExecPlace {
  readonly files: FilePlace;
  readonly user: string;
  /** What the shell starts with. */
  readonly shell: Pick<ShellState, "functions" | "aliases" | "programs" | "path">;
  /** A person typed it, so it may be about approvals. */
  readonly isTyped: boolean;
  /** Through every link, where that can be found out. */
  realPath(path: string): Promise<string>;
}

export async function judgeExec(command: string, cwd: string, place: ExecPlace): Promise<JudgedCommand> {
  const { home, workspace } = place.files;
  const { functions, aliases, programs, path } = place.shell;
  const [hermes] = place.files.hermes;
  const variables = {
    ...(hermes !== undefined && { HERMES_HOME: hermes }),
    ...programs,
    ...(path !== "" && { PATH: path }),
  };
  const start = { cwd, home, user: place.user, workspace, functions, aliases, variables };
  const { findings, commands } = judgeCommand(command, start);
  const hardline = findings.filter(({ severity }) => severity === "hardline");
  const redirected = await redirections(commands, place);
  const own = place.isTyped ? undefined : commands.find(isSelfApproval);
  const kept = ownFiles(commands, place.files);
  return {
    denials: [
      ...hardline.map(({ rule, sentence }) => ({ rule, message: sentence, isHardline: true })),
      ...(own
        ? [
            {
              rule: "self_approval",
              message: `answers or loosens its own approvals: ${saidWords(own).join(" ")}`,
              isHardline: true,
            },
          ]
        : []),
      ...kept.denials,
      ...redirected.denials,
    ],
    asks: [
      ...findings.filter(({ severity }) => severity !== "hardline").flatMap(asking(commands, command)),
      ...(place.isTyped ? [] : commands.filter(isOtherHermes)).map((ran) =>
        askOnce(`hermes ${saidWords(ran).join(" ")}`, {
          rule: "own_process",
          message: `calls tools through another Hermes, with settings of its own: ${saidWords(ran).join(" ")}`,
        }),
      ),
      ...kept.asks,
      ...redirected.asks,
    ],
    subjects: commands.map(commandSubject),
    commands,
    isReading: findings.length === 0 && commands.every(isReading),
  };
}

/** One question for each command that the finding can be about, so that allowing one is not allowing the other. */
function asking(commands: readonly SimpleCommand[], text: string): (finding: Finding) => readonly SubjectAsk[] {
  const bySaid = new Map<string, Set<SimpleCommand>>();
  for (const ran of commands) {
    for (const word of saidWords(ran)) bySaid.set(word, (bySaid.get(word) ?? new Set()).add(ran));
  }
  return (finding) => {
    const [rarest = new Set<SimpleCommand>(), ...others] = finding.words
      .map((word) => bySaid.get(word) ?? new Set<SimpleCommand>())
      .toSorted((a, b) => a.size - b.size);
    return asksOf(
      finding,
      [...rarest].filter((ran) => others.every((other) => other.has(ran))),
      text,
    );
  };
}

/** `fitting`: the commands that have all the words that decided. */
function asksOf(finding: Finding, fitting: readonly SimpleCommand[], text: string): readonly SubjectAsk[] {
  const { rule, sentence, words } = finding;
  const spans = finding.spans.map(({ start, end }) => ({ from: start, to: end }));
  const reason = { rule, message: sentence };
  const named = fitting.filter(({ argv: [name] }) => name !== undefined && shown(name) === words[0]);
  const about = named.length > 0 ? named : innermost(fitting);
  if (about.length === 0 || about.length > mostSubjects) return [askOnce(`${sha256(text)} ${sentence}`, reason, spans)];
  return about.map((ran) => askAbout(commandSubject(ran), reason, spans));
}

const mostSubjects = 50;

/** Without those that only run another of them. */
function innermost(fitting: readonly SimpleCommand[]): readonly SimpleCommand[] {
  if (fitting.length > mostSubjects) return fitting;
  return fitting.filter((ran) => !fitting.some((other) => runs(ran, other)));
}

/** Is the second the command that the first one runs with its last words? */
function runs(outer: SimpleCommand, inner: SimpleCommand): boolean {
  const by = programName(outer.argv[0]);
  if (by === undefined || inner.via.at(-1) !== by || inner.argv.length >= outer.argv.length) return false;
  const tail = outer.argv.slice(-inner.argv.length);
  return inner.argv.every(({ text }, at) => text === tail[at]?.text);
}

function saidWords({ argv, redirections }: SimpleCommand): readonly string[] {
  return [...argv.map(shown), ...redirections.map(({ target }) => shown(target))];
}

/** Files that the shell itself opens, by where they really are. */
async function redirections(
  commands: readonly SimpleCommand[],
  place: ExecPlace,
): Promise<Pick<JudgedCommand, "denials" | "asks">> {
  const denials: JudgedCommand["denials"][number][] = [];
  const asks: SubjectAsk[] = [];
  const seen = new Set<string>();
  for (const ran of commands) {
    for (const { how, target } of ran.redirections) {
      const path = wholePath(target.text, ran.cwd);
      if (!isKnown(target) || path.includes(hole) || !path.startsWith("/") || /^\/(?:dev|proc)\//u.test(path)) continue;
      const use = how === "read" ? "read" : "write";
      if (seen.has(`${use} ${path}`) || seen.size >= mostRedirections) continue;
      seen.add(`${use} ${path}`);
      const verdict = judgePath(use, await place.realPath(path), place.files);
      if (verdict === undefined) continue;
      if ("deny" in verdict) denials.push({ ...verdict.deny, isHardline: false });
      else
        asks.push(
          askAbout(commandSubject(ran), verdict.ask, target.at ? [{ from: target.at.start, to: target.at.end }] : []),
        );
    }
  }
  return { denials, asks };
}

const mostRedirections = 100;
