import type { ModelSource } from "../../contracts/model/model.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { InputOf, OperationName, OutputOf } from "../../operations/catalog.ts";
import type { HostOpeners } from "../../operations/operation.ts";
import type { Settings } from "../../operations/settings/load-settings.ts";
import type { Toolbox } from "../../runtime/calls/toolbox.ts";
import type { Paint } from "./paint.ts";

/** One command of the `hermes` program. Plain data and one function: parsing, help, printing and the reference page are the host's. */
export interface CliCommand {
  /** `["tools", "call"]` is typed as `hermes tools call`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** What a user must know beyond the summary. */
  readonly details?: string;
  readonly examples?: readonly string[];
  readonly args?: readonly CliArgument[];
  /** `--json` is there for every command and not listed here. */
  readonly options?: readonly CliOption[];
  /** It shows warnings about the configuration and the selection itself. */
  readonly showsWarnings?: boolean;
  run(input: CliInput, ctx: CliContext): Promise<Reply>;
}

export interface CliArgument {
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  /** Takes all remaining words. */
  readonly rest?: boolean;
}

export interface CliOption {
  /** As help shows it: `--args <json>`, `-y, --yes`. `optionFacts` reads it. */
  readonly flags: string;
  readonly summary: string;
}

export interface CliInput {
  /** A required argument. */
  arg(name: string): string;
  optionalArg(name: string): string | undefined;
  rest(name: string): readonly string[];
  /** By long name without dashes, in camel case. */
  option(name: string): string | undefined;
  /** All values of an option that may be given several times. */
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

/** The two forms of one answer: data for programs (`--json`), text for people. Empty when the command wrote as it went. */
export interface Reply {
  readonly data?: object;
  readonly text?: string;
  /** 0 when left out. */
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
  /** Who gives the command. */
  readonly principal: Principal;
  /** The command line named it. */
  readonly cwdIsAsked: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs an operation, with services that this command provides itself. A fault ends the command with its message. */
  run<Name extends OperationName>(name: Name, input: InputOf<Name>, more?: HostOpeners): Promise<OutputOf<Name>>;
  /** Read once, when first asked. A configuration that must not be used ends the command with its messages. */
  config(): Promise<Settings>;
  /** Registry, catalog and dispatcher, made when first asked. */
  toolbox(): Promise<Toolbox>;
  /** In place of the models that the settings name. */
  readonly models?: ModelSource | undefined;
}

export interface CliIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly columns: number;
  /** For streaming commands; others return a `Reply`. Resolves when the reader took it; a reader that left is no error. */
  write(text: string): Promise<void>;
  warn(text: string): void;
  /** What is typed is not shown and comes key by key, until told otherwise. Missing where nobody can type. */
  readonly hideTyping?: (isHidden: boolean) => void;
  /** Keys as they are pressed, which the terminal does not show, until it is disposed. Missing where nobody can type. */
  readonly keys?: (heard: (bytes: Uint8Array) => void, ended: () => void) => Disposable;
}

/** Ends a command early with a sentence and what to do next. The one exception of this host, caught in one place. */
export class CommandFailed extends Error {
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(message: string, hint?: string, exitCode = 1) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
