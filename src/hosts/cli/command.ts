import type { ModelSource } from "../../contracts/model/model.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { InputOf, OperationName, OutputOf } from "../../operations/catalog.ts";
import type { HostOpeners } from "../../operations/operation.ts";
import type { Settings } from "../../operations/settings/load-settings.ts";
import type { Toolbox } from "../../runtime/calls/toolbox.ts";
import type { Paint } from "./paint.ts";
import type { TerminalDevice } from "./terminal-device.ts";

/** One command of the `hermes` program. Plain data and one function; the host parses, prints and generates help. */
export interface CliCommand {
  /** `["tools", "call"]` is typed as `hermes tools call`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** Details that the summary omits. */
  readonly details?: string;
  readonly examples?: readonly string[];
  readonly args?: readonly CliArgument[];
  /** The options without `--json`, which every command has. */
  readonly options?: readonly CliOption[];
  /** Omitted from help, completion and the reference: only programs call it. */
  readonly isHidden?: boolean;
  /** True: the command itself shows warnings about the configuration and the tool selection. */
  readonly showsWarnings?: boolean;
  run(input: CliInput, ctx: CliContext): Promise<Reply>;
}

export interface CliArgument {
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  /** Takes all remaining words. */
  readonly rest?: boolean;
  /** True: the argument is a command line of another program, whose options come after `--`. */
  readonly isProgram?: boolean;
  /** All values, for completion. */
  readonly choices?: readonly string[];
}

export interface CliOption {
  /** The declaration as help shows it: `--args <json>`, `-y, --yes`. `optionFacts` parses it. */
  readonly flags: string;
  readonly summary: string;
  /** All values, for completion. */
  readonly choices?: readonly string[];
}

/** The first word of a command line, and the commands below it. */
export interface CommandGroup {
  readonly name: string;
  /** Another first word for the same commands. */
  readonly alias?: string;
  readonly summary: string;
  readonly commands: readonly CliCommand[];
  /** Omitted from help, completion and the reference. */
  readonly isHidden?: boolean;
  /** The advice after a word that is not one of its commands. */
  readonly advice?: (word: string) => string;
}

export interface CliInput {
  /** A required argument. */
  arg(name: string): string;
  optionalArg(name: string): string | undefined;
  rest(name: string): readonly string[];
  /** Looks up an option by its long name, in camel case without dashes. */
  option(name: string): string | undefined;
  /** All values of a repeatable option. */
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

/** A reply as data (`--json`) and as text. Empty when the command streamed its output. */
export interface Reply {
  readonly data?: object;
  readonly text?: string;
  /** Default: 0. */
  readonly exitCode?: number;
}

export interface CliContext {
  readonly io: CliIo;
  readonly paint: Paint;
  readonly signal: AbortSignal;
  /** True with `--json`. */
  readonly json: boolean;
  /** `-p NAME`. */
  readonly profile: string | undefined;
  readonly cwd: string;
  readonly principal: Principal;
  /** All built-in commands. */
  readonly groups: readonly CommandGroup[];
  /** True: the command line set `cwd`. */
  readonly cwdIsAsked: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs an operation, with services that this command itself provides. A fault ends the command with its message. */
  run<Name extends OperationName>(name: Name, input: InputOf<Name>, more?: HostOpeners): Promise<OutputOf<Name>>;
  /** The same context with the current settings, for a command that changed them. */
  renewed(): CliContext;
  /** The same command in another folder. */
  inFolder(folder: string): CliContext;
  /** Loaded on first use. An invalid configuration ends the command with its messages. */
  config(): Promise<Settings>;
  /** Registry, catalog and dispatcher, created on first use. */
  toolbox(): Promise<Toolbox>;
  /** Replaces the models of the settings. */
  readonly models?: ModelSource | undefined;
}

export interface CliIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly columns: number;
  readonly rows: number;
  /**
   * Writes to standard output, for streaming commands; others return a `Reply`. Resolves when the reader has consumed
   * the text; a closed reader is not an error.
   */
  write(text: string): Promise<void>;
  warn(text: string): void;
  /** Turns echo and line mode off, or on again. Absent without a terminal. */
  readonly hideTyping?: (isHidden: boolean) => void;
  /** Interrupts the program. Needed while echo is off, because Ctrl-C is then only a key. */
  readonly interrupt?: () => void;
  /** Reports keys as the user presses them, without echo, until it is disposed. Absent without a terminal. */
  readonly keys?: (onBytes: (bytes: Uint8Array) => void, ended: () => void) => Disposable;
  /** The device for programs that draw. Absent unless input and output are terminals. */
  readonly device?: TerminalDevice;
}

/** The environment of one command line: input, output, variables, folder. */
export interface CliHost {
  readonly io: CliIo;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Replaces the models of the settings. */
  readonly models?: ModelSource;
}

/** An error that ends a command with a message and a hint. `runCli` catches it. */
export class CommandFailed extends Error {
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(message: string, hint?: string, exitCode = 1) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
