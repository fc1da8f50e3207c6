import type { SessionId } from "../../base/ids.ts";
import type { ContentPart } from "../model/message.ts";
import type { ToolSelection } from "../tool/toolset.ts";

/** Effects of a slash command besides its reply. */
export type CommandEffect =
  | { readonly kind: "none" }
  /** The chat ends. `deletes`: also deletes its session. */
  | { readonly kind: "quit"; readonly deletes?: boolean }
  /** The chat continues in a new session. `clears`: in an empty window. */
  | {
      readonly kind: "new";
      readonly title?: string;
      readonly clears?: boolean;
      /** The tools of the new session. Default: the tools selected in the settings. */
      readonly tools?: ToolSelection;
      /** The folder of the new session. Default: the folder of the chat. */
      readonly cwd?: string;
    }
  | { readonly kind: "resume"; readonly session: SessionId }
  /** New sessions of this chat start with this model. */
  | { readonly kind: "default-model"; readonly model: string }
  /** Sent as a prompt of the person. `isOrder`: a text of the program for the model; the typed command says it to people. */
  | { readonly kind: "prompt"; readonly content: readonly ContentPart[]; readonly isOrder?: true }
  /** Put into the input line, for the person to edit. */
  | { readonly kind: "draft"; readonly text: string }
  /** Content for the next prompt, such as an image. */
  | { readonly kind: "attach"; readonly content: readonly ContentPart[] }
  /** Put into the clipboard of the terminal. */
  | { readonly kind: "copy"; readonly text: string }
  /** Changes the display of this chat until it ends. A display ignores settings that it does not support. */
  | { readonly kind: "display"; readonly change: DisplayChange }
  /** `clear`: empties the window; `redraw`: draws it again. */
  | { readonly kind: "clear" | "redraw" }
  /** Opens a panel of the screen. Displays without panels show only the reply. */
  | { readonly kind: "open"; readonly panel: PanelName; readonly about?: string };

/** Panels that a command can open. */
export type PanelName =
  | "palette"
  | "sessions"
  | "tree"
  | "checkpoints"
  | "queue"
  | "models"
  | "calls"
  | "keys"
  | "agents"
  | "files"
  | "prompt";

/** Settings of `display` that a command changes in a running chat. */
export interface DisplayChange {
  readonly skin?: string;
  readonly busy_input_mode?: "interrupt" | "queue" | "steer";
  readonly show_reasoning?: boolean;
  readonly tool_progress?: "off" | "new" | "all" | "verbose";
  readonly status_line?: boolean;
  readonly footer?: boolean;
  readonly timestamps?: boolean;
  readonly indicator?: "kaomoji" | "emoji" | "unicode" | "ascii";
  /** Shows only prompts and answers. */
  readonly focus?: boolean;
  /** Push to talk, and spoken answers. */
  readonly voice?: "off" | "listen" | "listen_and_speak";
}

/** The current display settings of a chat. */
export type DisplayState = { readonly [Key in keyof DisplayChange]-?: Exclude<DisplayChange[Key], undefined> };

export interface CommandReply {
  /** A short reply in Markdown. */
  readonly text: string;
  /** The output of a command, or a diff. Shown unchanged after the text. Untrusted. */
  readonly output?: string;
  readonly failed?: boolean;
  readonly effect?: CommandEffect;
}

export interface CommandContext {
  readonly signal: AbortSignal;
  /** The session of the chat. */
  readonly sessionId?: SessionId;
  /**
   * Runs an operation by name, such as `sessions.list`. If the operation fails, rejects with a sentence for the user.
   */
  run(name: string, input: object): Promise<unknown>;
}

/** Possible values of an argument, in display order. Each summary is one short line. */
export type Choices = readonly (string | { readonly value: string; readonly summary: string })[];

/** A slash command. Completion, help, chat menus and editors all use this definition. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The arguments as help shows them: `[focus]`. A command without this field takes no arguments. */
  readonly args?: string;
  /**
   * The maximum number of words. More words, and options that `args` does not show, are rejected. Default: any text is
   * accepted.
   */
  readonly maxWords?: number;
  /**
   * The words that completion offers next. `before` contains the complete words typed after the command name. A choice
   * with spaces is one argument. The editor filters the choices by the typed text.
   */
  choices?(before: readonly string[], ctx: CommandContext): Choices | Promise<Choices>;
  /** The heading under which the help lists the command. */
  readonly heading?: string;
  /** The plugin that provides the command. Such a command cannot replace a built-in one. */
  readonly plugin?: string;
  /** Where the command is available. Default: everywhere. */
  readonly where?: "terminal" | "chat";
  /**
   * Behaviour while a turn runs: interrupt the turn first, or refuse to run. Default: run immediately. Leaving a
   * session also ends its turn.
   */
  readonly whileBusy?: "interrupt" | "refuse";
  /**
   * True if the command can change the session: prompts typed while it runs wait until it has ended. `refuse` implies
   * this.
   */
  readonly holdsPrompts?: true;
  run(args: string, ctx: CommandContext): Promise<CommandReply>;
}
