import type { SessionId } from "../base/ids.ts";
import { PlainFailure } from "../base/plain-failure.ts";
import type { Choices, Command, CommandContext, CommandReply, DisplayState } from "../contracts/host/command.ts";
import type { Asker } from "../contracts/host/ports.ts";
import type { InputOf, OperationName, OutputOf } from "../operations/catalog.ts";
import type { RunOperation } from "../operations/run-operation.ts";

/** The context of a built-in slash command: operations and features of the chat. */
export interface SlashContext extends CommandContext {
  /** Runs an operation. A fault ends the command with its message. */
  run<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
  readonly sessionId: SessionId;
  /** All commands of this chat, for help. */
  readonly commands: readonly Command[];
  /** Source of approval answers, for the log: `the terminal`. */
  readonly answersAs: string;
  /** The sessions that the last list numbered. */
  readonly offered: { sessions?: readonly SessionId[] };
  /** The current display settings of the chat. */
  readonly display: DisplayState;
  /** True: the chat can open panels. */
  readonly hasPanels?: boolean;
  /** Maximum width of a line. */
  readonly columns: number;
  /**
   * Asks for confirmation before a command leaves the session or undoes history. If absent, commands run without
   * asking.
   */
  readonly confirm?: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** Asks the user for missing arguments of a command. If absent, the command reports them as missing. */
  readonly fillIn?: Asker["fillIn"];
  /** True: the command has stopped the turn that ran. */
  readonly hasStopped?: boolean;
  /** Called before a command runs. */
  readonly started?: (command: string, args: string) => void;
  /** Reason why settings cannot be changed here. If absent, they can. */
  readonly fixedSettings?: string;
}

/** A built-in slash command: it parses its line, runs operations and writes the reply. */
export interface SlashCommand extends Command {
  choices?(before: readonly string[], ctx: SlashContext): Choices | Promise<Choices>;
  run(args: string, ctx: SlashContext): Promise<CommandReply>;
}

/** Converts a fault into an exception, which `runCommand` shows as a reply. */
export function slashRunner(run: RunOperation): SlashContext["run"] {
  return async (name, input) => {
    const outcome = await run(name, input);
    if (outcome.ok) return outcome.value;
    throw new PlainFailure(outcome.error.message);
  };
}
