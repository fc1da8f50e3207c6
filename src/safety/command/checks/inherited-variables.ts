import { words } from "../../../base/text/words.ts";
import { programName } from "../programs/program-name.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { isCommandVariable, isUnsafeSearchPath, variableRule } from "./loader-variables.ts";

export interface InheritedVariable {
  readonly name: string;
  readonly value: string;
  /** True if the variable loads code into programs. False if its value is a command that programs run. */
  readonly isLoader: boolean;
}

/** Finds variables that are already set and that make these commands run or load something. */
export function inheritedVariables(
  commands: readonly SimpleCommand[],
  variables: Readonly<Record<string, string>>,
): readonly InheritedVariable[] {
  const names = Object.keys(variables).filter(
    (name) => !harmless.has(name) && variableRule(name, variables[name] ?? "") !== undefined,
  );
  if (names.length === 0) return [];
  const programs = new Set(commands.map(({ argv: [first] }) => programName(first) ?? ""));
  const startsPrograms = [...programs].some((name) => !shellOnly.has(name));
  return names.flatMap((name): readonly InheritedVariable[] => {
    const value = variables[name] ?? "";
    if (isCommandVariable(name)) {
      const isUsed = [...programs].some((program) => usersOf(name).has(program));
      return isUsed && variableRule(name, value) !== undefined
        ? [{ name, value, isLoader: isUnsafeSearchPath(value) }]
        : [];
    }
    const isLoader = startsPrograms && variableRule(name, value) === "loader_variable";
    return isLoader ? [{ name, value, isLoader }] : [];
  });
}

/** Variables of nearly every shell. */
const harmless: ReadonlySet<string> = new Set(
  words("HOME USER LOGNAME SHELL PWD OLDPWD SHLVL TERM LANG TZ TMPDIR HERMES_HOME COLUMNS LINES"),
);

const shellOnly: ReadonlySet<string> = new Set([
  "",
  ":",
  "cd",
  "echo",
  "printf",
  "export",
  "unset",
  "alias",
  "function",
  "true",
  "pwd",
  "test",
  "[",
]);

function usersOf(variable: string): ReadonlySet<string> {
  if (variable.startsWith("GIT_") || variable.startsWith("SSH_")) return gitLike;
  return /PAGER$|^LESS|^MAN/u.test(variable) ? pagerUsers : editorUsers;
}

const gitLike: ReadonlySet<string> = new Set(["git", "ssh", "scp", "rsync", "gh", "hub"]);
const pagerUsers: ReadonlySet<string> = new Set(words("git man less systemctl journalctl psql mysql aws gh bat delta"));
const editorUsers: ReadonlySet<string> = new Set(
  words("git crontab visudo sudoedit kubectl gh svn hg fc xdg-open rsync tar sudo"),
);
