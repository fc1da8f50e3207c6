import { type CliContext, type CliInput, CommandFailed } from "./command.ts";
import { askLine } from "./questions/ask-line.ts";

export const sessionArgument = {
  name: "session",
  summary: "an id, a prefix of an id, a title, or latest",
} as const;

/** A whole number of at least 1. Undefined if the option is absent. */
export function numberOption(input: CliInput, name: string): number | undefined {
  const text = input.option(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  const flag = name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  throw new CommandFailed(`--${flag} needs a whole number of at least 1.`, undefined, 2);
}

/** One of the allowed values. Undefined if the option is absent. */
export function choiceOption<const Value extends string>(
  input: CliInput,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = input.option(name);
  const value = values.find((each) => each === text);
  if (text === undefined || value !== undefined) return value;
  const flag = name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  throw new CommandFailed(`--${flag} ${text}: use ${values.join(", ")}.`, undefined, 2);
}

/** Asks at the terminal; without a terminal, --yes is required. Ends the command unless the answer is yes. */
export async function confirm(input: CliInput, ctx: CliContext, question: string): Promise<void> {
  if (input.flag("yes")) return;
  if (ctx.json) throw new CommandFailed(question, "Pass --yes to confirm.", 2);
  if (!ctx.io.stdinIsTerminal) {
    const [last = "", ...before] = question.split("\n").toReversed();
    if (before.length > 0) ctx.io.warn(`${before.toReversed().join("\n")}\n`);
    throw new CommandFailed(last, "Pass --yes to confirm.", 2);
  }
  const answer = await askLine(ctx.io, `${question} [y/N] `, ctx.signal);
  if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Nothing was changed.");
}

/**
 * A question that only a person at the terminal can answer; an empty line means yes. False without a terminal, and with
 * --yes.
 */
export async function offer(input: CliInput, ctx: CliContext, question: string): Promise<boolean> {
  if (input.flag("yes") || !ctx.io.stdinIsTerminal || ctx.json) return false;
  return !/^no?$/iu.test(await askLine(ctx.io, `${question} [Y/n] `, ctx.signal));
}

/** Like `numberOption`, for an argument. */
export function numberArgument(input: CliInput, name: string): number | undefined {
  const text = input.optionalArg(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new CommandFailed(`"${text}" is not a whole number of at least 1.`, undefined, 2);
}

/** The id of the session that `--session` names. An unknown name is used unchanged: its session may be erased. */
export async function sessionOption(input: CliInput, ctx: Pick<CliContext, "run">): Promise<string | undefined> {
  const name = input.option("session");
  if (name === undefined) return undefined;
  const match = await ctx.run("sessions.find", { sessions: [name] }).catch((thrown: unknown) => {
    if (!(thrown instanceof CommandFailed) || thrown.message.includes("fits several")) throw thrown;
    return undefined;
  });
  return match?.sessions[0]?.id ?? name;
}
