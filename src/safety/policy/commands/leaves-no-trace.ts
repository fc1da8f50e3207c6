import type { CommandJudgement } from "../../command/judge-command.ts";
import { programName } from "../../command/programs/program-name.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { isReading } from "./reading-commands.ts";

/**
 * Whether a command certainly changes no file and leaves the shell unchanged, so that it may run in parallel. Only
 * plain lines of known read-only programs qualify: a command in doubt runs alone.
 */
export function leavesNoTrace(command: string, { verdict, commands }: CommandJudgement): boolean {
  if (command.length > maxChars || compound.test(command)) return false;
  return verdict === "safe" && commands.length > 0 && commands.every((ran) => isReading(ran) && !changesShell(ran));
}

const maxChars = 10_000;

/** Groups, definitions, substitutions and loops: their effect on shell variables is not analysed. */
const compound = /[(){}`]|\b(?:for|select|while|until|if|case|function|coproc)\b/u;

function changesShell({ argv }: SimpleCommand): boolean {
  const name = programName(argv[0]);
  return name === "cd" || (name === "printf" && argv[1]?.text.startsWith("-") === true);
}
