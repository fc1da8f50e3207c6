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
      /** The tools of the new session. Default: as the settings select them. */
      readonly tools?: ToolSelection;
      /** The folder of the new session. Default: that of the chat. */
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
  /** Markdown, short. */
  readonly text: string;
  /** Output of a command or a diff, shown unchanged after the text. Untrusted. */
  readonly output?: string;
  readonly failed?: boolean;
  readonly effect?: CommandEffect;
}

export interface CommandContext {
  readonly signal: AbortSignal;
  /** The session of the chat. */
  readonly sessionId?: SessionId;
  /** Runs an operation by name, such as `sessions.list`. Rejects with a sentence for the person when it fails. */
  run(name: string, input: object): Promise<unknown>;
}

/** Values of an argument, in the order to show; the summary is one short line. */
export type Choices = readonly (string | { readonly value: string; readonly summary: string })[];

/** A slash command: one table feeds completion, help, chat menus and editors. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The arguments as help shows them: `[focus]`. A command without this field takes no arguments. */
  readonly args?: string;
  /** More words, and options that `args` does not show, are refused. Default: any text is an argument. */
  readonly maxWords?: number;
  /**
   * Words that may come next, for completion: `before` contains the complete words typed after the name. A choice with
   * spaces is a whole argument. An editor filters them by what is typed.
   */
  choices?(before: readonly string[], ctx: CommandContext): Choices | Promise<Choices>;
  /** Groups the commands in the help. */
  readonly heading?: string;
  /** The plugin that provides the command. Such a command cannot replace a built-in one. */
  readonly plugin?: string;
  /** Default: everywhere. */
  readonly where?: "terminal" | "chat";
  /** While a turn runs: interrupt the turn first, or refuse. Default: run now. Leaving a session also ends its turn. */
  readonly whileBusy?: "interrupt" | "refuse";
  /** The command can change the session: prompts that are typed meanwhile wait for its end. `refuse` implies this. */
  readonly holdsPrompts?: true;
  run(args: string, ctx: CommandContext): Promise<CommandReply>;
}
