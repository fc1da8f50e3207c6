import { buildVariablesIn } from "../shell/default-variables.ts";
import { hole, literal } from "../shell/field.ts";
import type { StartState } from "../shell/shell-state.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";

/** The text as another shell would interpret it, or as this shell would if a variable is unset. */
export interface CommandReading {
  readonly text: string;
  readonly start: StartState;
  /** Returns whether the findings for this command are used. */
  counts(command: SimpleCommand | undefined): boolean;
}

/** Returns alternative interpretations of a text, whose findings are used as well. */
export function otherReadings(
  text: string,
  start: StartState,
  commands: readonly SimpleCommand[],
  isUnparsable: boolean,
): readonly CommandReading[] {
  return [
    ...withoutUnset(text, start, commands),
    ...withoutBuildServer(text, start),
    ...(isUnparsable ? withLooseBraces(text, start) : []),
  ];
}

/** Handles `r${nobody}m` and `/etc$nobody/shadow`: attackers insert unset variables into words. */
function withoutUnset(text: string, start: StartState, commands: readonly SimpleCommand[]): readonly CommandReading[] {
  const isLong = text.length > longText;
  const isGlued = ({ argv }: SimpleCommand) =>
    argv.some(
      (word, index) =>
        literal(word) === undefined && glued.test(word.text) && (!isLong || index === 0 || /^[/~]/u.test(word.text)),
    ) &&
    // Not applied if a word is a path below an unknown folder.
    !argv.some((word) => word.text.startsWith(`${hole}/`));
  const gluedCommands = commands.filter(isGlued);
  if (gluedCommands.length === 0) return [];
  const starts = new Set(gluedCommands.map(({ at: index }) => index?.start));
  const counts = (command: SimpleCommand | undefined) => starts.has(command?.at?.start);
  return [{ text, start: { ...start, isBare: true }, counts }];
}

/** Handles `$CC rm x` and `> $WORKSPACE/etc/hosts`, whose effect depends on whether a build server runs them. */
function withoutBuildServer(text: string, start: StartState): readonly CommandReading[] {
  const unset = buildVariablesIn(text).filter((name) => start.variables[name] === undefined && !setsFirst(text, name));
  if (unset.length === 0) return [];
  const variables = { ...Object.fromEntries(unset.map((name) => [name, ""])), ...start.variables };
  return [{ text, start: { ...start, variables }, counts: () => true }];
}

/** Returns whether the first statement only sets the variable: `CC=gcc; $CC x.c`. */
function setsFirst(text: string, name: string): boolean {
  return text.startsWith(`${name}=`) && /^[;\n]/u.test(text.slice(text.search(/[\s;&|]/u)));
}

/** In a long text only program names and whole paths are checked, to save time. */
const longText = 20_000;

const glued = /[\w.]\u{10FFFD}|\u{10FFFD}[\w.]/u;

/** In zsh, no space is needed after the brace: `:(){:|:&};:`. */
function withLooseBraces(text: string, start: StartState): readonly CommandReading[] {
  const spaced = text.replaceAll(/(\(\)\s*\{)(?=\S)/gu, "$1 ");
  return spaced === text ? [] : [{ text: spaced, start, counts: () => true }];
}
