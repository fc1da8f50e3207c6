import { once } from "../../../base/async/once.ts";
import { isInside } from "../../../base/files/path.ts";
import type { ShellState } from "../../../contracts/environment/environment.ts";
import type { ChangedPaths, CommandAnalysis, SudoUse } from "../../../contracts/safety/command-analysis.ts";
import { type CommandFinding, type CommandJudgement, judgeCommand } from "../../command/judge-command.ts";
import { programName } from "../../command/programs/program-name.ts";
import type { RuleId } from "../../command/rules.ts";
import type { StartState } from "../../command/shell/shell-state.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import type { Parser } from "../../command/shell/walk.ts";
import { findSudo } from "../../command/text/sudo-words.ts";
import type { Surroundings } from "../../surroundings.ts";
import { changedPaths } from "../files/changed-paths.ts";
import { changesNothing } from "./reading-commands.ts";

/** Parses and walks a command once. All later checks use this result. */
export class AnalysedCommand implements CommandAnalysis {
  readonly command: string;
  readonly start: StartState;
  readonly judgement: CommandJudgement;
  readonly #changes: () => ChangedPaths;
  readonly #sudo: () => readonly SudoUse[];
  readonly #leavesNoTrace: () => boolean;

  /** The command without the content of files. */
  readonly plain: AnalysedCommand;
  /** Files that the session changed, by path. */
  readonly contents: ReadonlyMap<string, string>;

  constructor(command: string, start: StartState, parse?: Parser, session?: SessionContents) {
    this.command = command;
    this.start = start;
    this.plain = session?.plain ?? this;
    this.contents = session?.contents ?? new Map();
    const contents = new Map(Array.from(this.contents, ([path, text]) => [path, () => text] as const));
    const judgement = judgeCommand(command, session ? { ...start, contents } : start, parse);
    this.judgement = judgement;
    this.#leavesNoTrace = once(() => leavesNoTrace(command, judgement));
    this.#sudo = once(() => findSudo(command, judgement.tree));
    this.#changes = once(() => {
      const changes = changedPaths(command, start.cwd, judgement);
      const isWide = (folder: string) => isInside(folder, start.home) || folder.split("/").length <= 2;
      return { ...changes, folders: changes.folders.filter((folder) => !isWide(folder)) };
    });
  }

  get leavesNoTrace(): boolean {
    return this.#leavesNoTrace();
  }

  get changes(): ChangedPaths {
    return this.#changes();
  }

  get sudo(): readonly SudoUse[] {
    return this.#sudo();
  }

  /** Findings about parts of changed files that cannot be judged. */
  get unread(): readonly CommandFinding[] {
    const { findings } = this.plain.judgement;
    if (this.plain === this) return [];
    return this.judgement.findings.filter(
      ({ rule, sentence }) =>
        unreadRules.has(rule) && !findings.some((each) => each.rule === rule && each.sentence === sentence),
    );
  }

  hasContents(plain: AnalysedCommand, contents: ReadonlyMap<string, string>): boolean {
    return plain === this.plain && isSame(Object.fromEntries(this.contents), Object.fromEntries(contents));
  }

  /** Returns whether an analysis of this command with this state would give the same result. */
  isFor(command: string, start: StartState): boolean {
    const { functions, aliases, variables } = this.start;
    return (
      command === this.command &&
      start.cwd === this.start.cwd &&
      start.home === this.start.home &&
      start.user === this.start.user &&
      start.workspace === this.start.workspace &&
      isSame(functions, start.functions) &&
      isSame(aliases, start.aliases) &&
      isSame(variables, start.variables)
    );
  }
}

export interface SessionContents {
  readonly plain: AnalysedCommand;
  /** Files that the session changed, by path. */
  readonly contents: ReadonlyMap<string, string>;
}

const unreadRules: ReadonlySet<RuleId> = new Set<RuleId>([
  "unparsable",
  "too_much",
  "unknown_program",
  "unknown_code",
  "unreadable_code",
  "overwrite_unknown",
  "delete_unknown",
  "permission_unknown",
  "send_unknown",
]);

/** Returns the shell state in which a command starts in this environment. */
export function startOf(
  cwd: string,
  { files: { home, workspace, hermes }, user }: Pick<Surroundings, "files" | "user">,
  { functions, aliases, programs, path, variables: changed }: Omit<ShellState, "cwd">,
): StartState {
  const [hermesHome] = hermes;
  const variables = {
    ...changed,
    ...(hermesHome !== undefined && { HERMES_HOME: hermesHome }),
    ...programs,
    ...(path !== "" && { PATH: path }),
  };
  return { cwd, home, user, workspace, functions, aliases, variables };
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/**
 * Returns whether a command certainly changes no file and no shell state, so that it may run in parallel with others.
 * Only simple command lines with programs that are known to read qualify.
 */
function leavesNoTrace(command: string, { verdict, commands }: CommandJudgement): boolean {
  if (command.length > maxChars || compound.test(command)) return false;
  return (
    verdict === "safe" && commands.length > 0 && commands.every((ran) => changesNothing(ran) && !changesShell(ran))
  );
}

const maxChars = 10_000;

/**
 * Excludes groups, definitions, substitutions and loops, because this check ignores their effect on shell variables.
 */
const compound = /[(){}`]|\b(?:for|select|while|until|if|case|function|coproc)\b/u;

function changesShell({ argv }: SimpleCommand): boolean {
  const name = programName(argv[0]);
  return name === "cd" || (name === "printf" && argv[1]?.text.startsWith("-") === true);
}
