import { posix } from "node:path";

import { sha256 } from "../../../base/digest.ts";
import { isInside } from "../../../base/files/path.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { CommandFinding } from "../../command/judge-command.ts";
import { rules } from "../../command/rules.ts";
import { displayText } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { askAbout, askOnce, type SubjectAsk } from "../approvals/question.ts";
import { resolveScriptLinks, type UsedFile, usedFiles } from "../files/file-uses.ts";
import { type FilePlace, type FileUse, judgePath } from "../files/path-lists.ts";
import { subjectsOf } from "../rules/command-subjects.ts";
import type { AnalysedCommand } from "./analysed-command.ts";
import { isRecoverable, type ProjectFiles } from "./build-output.ts";
import { isOtherHermes, isSelfApproval, hermesFileAsks } from "./hermes-commands.ts";
import type { JudgedCommand } from "./judged-command.ts";
import { changesNothing } from "./reading-commands.ts";

export interface ExecPlace {
  readonly files: FilePlace;
  /** Files that earlier calls of the session wrote. */
  readonly written: Iterable<string>;
  /** Access to the project's files. Undefined if they are not accessible. */
  readonly project?: ProjectFiles;
  /** True if a person typed the command, so that it may concern approvals. */
  readonly isTyped: boolean;
  /** Returns the real path, with all links resolved if possible. */
  realPath(path: string): Promise<string>;
}

export async function judgeExec(
  { command, judgement, unread }: AnalysedCommand,
  place: ExecPlace,
): Promise<JudgedCommand> {
  const { commands } = judgement;
  const findings = judgement.findings.filter((finding) => !unread.includes(finding));
  const hardline = findings.filter(({ severity }) => severity === "hardline");
  const subjectOf = subjectsOf(commands);
  const used = usedFiles(commands);
  const files = filesOf(await realFiles(used, resolveScriptLinks(commands), place), place, subjectOf);
  const own = place.isTyped ? undefined : commands.find(isSelfApproval);
  const dangerous = await losing(findings, [...writtenBy(used), ...place.written], place.project);
  const kept = hermesFileAsks(commands, place.files, subjectOf);
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
      ...files.denials,
    ],
    asks: [
      ...dangerous.map(asking(command, subjectOf)),
      ...(place.isTyped ? [] : commands.filter(isOtherHermes)).map((ran) =>
        askOnce(`hermes ${saidWords(ran).join(" ")}`, {
          rule: "own_process",
          message: `calls tools through another Hermes, with settings of its own: ${saidWords(ran).join(" ")}`,
        }),
      ),
      ...kept.asks,
      ...files.asks,
    ],
    subjects: commands.map(subjectOf),
    commands,
    subjectOf,
    used,
    written: writtenBy(used),
    isReading: judgement.findings.length === 0 && commands.every(changesNothing),
  };
}

function writtenBy(used: readonly UsedFile[]): readonly string[] {
  return used.flatMap(({ use, path }) => (use === "write" ? [path] : []));
}

/** Returns the findings that need approval, except those where the project shows that nothing is lost. */
async function losing(
  findings: readonly CommandFinding[],
  written: readonly string[],
  project: ProjectFiles | undefined,
): Promise<readonly CommandFinding[]> {
  const dangerous = findings.filter(({ severity }) => severity !== "hardline");
  if (project === undefined) return dangerous;
  const judged = await Promise.all(
    dangerous.map(async (finding) => ((await isRecoverable(finding, written, project)) ? [] : [finding])),
  );
  return judged.flat();
}

/** Relates each question to the command that caused it, so that approving one command does not approve another. */
function asking(text: string, subjectOf: JudgedCommand["subjectOf"]): (finding: CommandFinding) => SubjectAsk {
  return (finding) => {
    const { rule, sentence, command, spans } = finding;
    const reason = { rule, message: command ? wholeSentence(finding, command) : sentence };
    const shownAt = spans.map(({ start, end }) => ({ from: start, to: end }));
    return command
      ? askAbout(subjectOf(command), reason, shownAt)
      : askOnce(`${sha256(text)} ${sentence}`, reason, shownAt);
  };
}

function saidWords({ argv, redirections }: SimpleCommand): readonly string[] {
  return [...argv.map(displayText), ...redirections.map(({ target }) => displayText(target))];
}

/** The subject includes all words of the command, because a person approves all of them. */
function wholeSentence({ rule, sentence, words }: CommandFinding, command: SimpleCommand): string {
  const all = command.argv.map(displayText);
  if (!words.every((word) => all.includes(word))) return sentence;
  return `${rules[rule].sentence}: ${oneLine(all.join(" "), maxSaid)}`;
}

const maxSaid = 300;

/**
 * Checks files by their real paths: the path lists apply to commands in the same way as to the file tools. The findings
 * already cover the paths as the command spells them.
 */
function filesOf(
  used: readonly RealFile[],
  place: ExecPlace,
  subjectOf: JudgedCommand["subjectOf"],
): Pick<JudgedCommand, "denials" | "asks"> {
  const denials: JudgedCommand["denials"][number][] = [];
  const asks: SubjectAsk[] = [];
  for (const { ran, use, path, word, isRedirected, real } of used) {
    const verdict = judgePath(use, real, place.files);
    if (verdict === undefined) continue;
    // Reading secrets with a program needs approval; files of Hermes and files that the shell opens are denied.
    const isDenied = "deny" in verdict && (use !== "read" || isRedirected || isOwn(real, place.files));
    const spans = word.at ? [{ from: word.at.start, to: word.at.end }] : [];
    if (isDenied) denials.push({ ...verdict.deny, isHardline: verdict.deny.rule === "delete_root" });
    else if (real !== path || isOwn(real, place.files))
      asks.push(askAbout(subjectOf(ran), "deny" in verdict ? verdict.deny : verdict.ask, spans));
  }
  return { denials, asks };
}

interface RealFile extends UsedFile {
  readonly real: string;
}

/** Resolves changed files first. In a script with very many files, the others are checked by their text only. */
async function realFiles(
  used: readonly UsedFile[],
  led: (path: string) => string,
  place: ExecPlace,
): Promise<readonly RealFile[]> {
  const files = used.toSorted((a, b) => Number(a.use === "read") - Number(b.use === "read"));
  const resolvedFiles: RealFile[] = [];
  for (let index = 0; index < Math.min(files.length, maxFiles); index += atOnce) {
    const some = files
      .slice(index, index + atOnce)
      .map(async (each) => ({ ...each, real: await realOf(led(each.path), each.use, place) }));
    resolvedFiles.push(...(await Promise.all(some)));
  }
  return [...resolvedFiles, ...files.slice(maxFiles).map((each) => ({ ...each, real: led(each.path) }))];
}

/** Returns the real path. Deleting a link does not affect its target. */
async function realOf(path: string, use: FileUse, place: ExecPlace): Promise<string> {
  if (use !== "delete") return place.realPath(path);
  return posix.join(await place.realPath(posix.dirname(path)), posix.basename(path));
}

const maxFiles = 200;

/** The maximum number of concurrent lookups, because each may be a request to another machine. */
const atOnce = 8;

function isOwn(path: string, { hermes }: FilePlace): boolean {
  return hermes.some((home) => isInside(home, path));
}
