import type { CommandJudgement } from "../../command/judge-command.ts";
import { programName } from "../../command/programs/program-name.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { isReading } from "./reading-commands.ts";

/**
 * Is it certain that a command changes no file and leaves the shell as it was, so that it may run beside others? Only
 * plain lines of programs that are known to read are: a command in doubt runs alone.
 */
export function leavesNoTrace(command: string, { verdict, commands }: CommandJudgement): boolean {
  if (command.length > maxChars || compound.test(command)) return false;
  return verdict === "safe" && commands.length > 0 && commands.every((ran) => isReading(ran) && !changesShell(ran));
}

const maxChars = 10_000;

/** Groups, definitions, substitutions and loops: what they do to the shell's variables is not looked at. */
const compound = /[(){}`]|\b(?:for|select|while|until|if|case|function|coproc)\b/u;

function changesShell({ argv }: SimpleCommand): boolean {
  const name = programName(argv[0]);
  return name === "cd" || (name === "printf" && argv[1]?.text.startsWith("-") === true);
}
