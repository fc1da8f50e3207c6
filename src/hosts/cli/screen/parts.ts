import type { CallId } from "../../../base/ids.ts";
import type { AgentEvent } from "../../../contracts/session/event.ts";
import type { CallItem, FeedState } from "../chat/feed/feed-state.ts";
import type { Paint } from "../paint.ts";

/** A pressed key, or pasted text. */
export interface KeyPress {
  /**
   * Modifiers in the order ctrl, alt, shift, then the key: `ctrl+r`, `alt+enter`, `shift+tab`, `up`, `a`, `escape`, `f5`.
   * `paste`: pasted text. `focus` and `blur`: the window of the terminal.
   */
  readonly chord: string;
  /** The characters that it types. */
  readonly text?: string;
  /** Several characters arrived together, as from a program or a slow connection: they are text, not an answer. */
  readonly isBurst?: boolean;
}

/** The number of cells that a part may use. */
export interface Space {
  readonly columns: number;
  readonly rows: number;
}

/** Rows of a part. Every line is painted, contains no control characters except colours and links, and fits the columns. */
export interface Drawn {
  readonly lines: readonly string[];
  /** The position in cells, relative to the first of these lines. Absent: the part does not have the cursor. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** A dialog above the status line. While it is open, it receives the keys and the editor is hidden. */
export interface Panel {
  draw(space: Space): Drawn;
  /** False: the key is not for this panel, and global keys may use it. */
  press(key: KeyPress): boolean;
  /** A question of an agent or a command: it is above all other panels, and early keys do not reach it. */
  readonly isQuestion?: boolean;
  /** Called once after the panel has closed, for any reason. */
  closed?(): void;
}

/** Shows panels on top of each other. */
export interface PanelStack {
  /**
   * Opens a panel and resolves with the value that `close` gets; undefined when the signal aborts. Keys that were typed
   * before a question appeared are dropped.
   */
  open<Value>(
    create: (close: (value: Value) => void, redraw: () => void) => Panel,
    signal?: AbortSignal,
  ): Promise<Value | undefined>;
  readonly current: Panel | undefined;
}

/** Colours and symbols of the skin, for the colours that the terminal has. */
export interface Theme extends Paint {
  /** The name of the skin. */
  readonly skin: string;
  readonly isLight: boolean;
  /** Colours a text by role. The text may contain coloured parts; the role's colour continues after them. */
  paintAs(role: ThemeRole, text: string): string;
  /** The sign in front of the input: `❯`. */
  readonly promptSymbol: string;
  readonly toolPrefix: string;
  toolEmoji(tool: string): string | undefined;
  readonly spinner: {
    readonly waitingFaces: readonly string[];
    readonly thinkingFaces: readonly string[];
    readonly verbs: readonly string[];
    readonly wings: readonly (readonly [left: string, right: string])[];
  };
  /** Texts of the skin. If one is absent, the text of the language is used. */
  readonly branding: {
    readonly agentName?: string;
    readonly welcome?: string;
    readonly goodbye?: string;
    readonly responseLabel?: string;
    readonly helpHeader?: string;
  };
  /** ASCII art above the opening lines, without colours; empty: none. */
  readonly banner: { readonly logo: string; readonly hero: string };
}

/** Colours that a terminal can show. */
export interface TerminalColours {
  readonly depth: "none" | "16" | "256" | "true";
  readonly isLight: boolean;
  /** The background as `#rrggbb`, if the terminal reported it. */
  readonly background?: string;
}

/** The colours of a skin that the screen uses. */
export type ThemeRole =
  | "border"
  | "title"
  | "accent"
  | "dim"
  | "text"
  | "label"
  | "ok"
  | "error"
  | "warn"
  | "prompt"
  | "rule"
  | "response"
  | "session"
  | "status"
  | "selection"
  | "menu"
  | "menuCurrent"
  | "menuMeta"
  | "menuCurrentMeta"
  | "added"
  | "removed"
  | "code";

/** The conversation. Finished lines go to the terminal's scrollback once; the others may still change. */
export interface ScreenTranscript {
  show(event: AgentEvent): void;
  /** Adds a prompt of the user. `isSteered`: it goes to the running turn; other prompts interrupt it. */
  prompt(text: string, isSteered?: boolean): void;
  /** Registers a prompt that a command wrote for the model; it is not shown. */
  order(text: string): void;
  /** The line that the user typed. If it is a command that ends with a prompt, the prompt is not shown again. */
  typed(line: string): void;
  /** Adds a typed command, already coloured. During a turn it stays live until its reply, which is added as a note. */
  command(text: string): void;
  /** Called when the command has replied, perhaps without a text. */
  commandEnded(): void;
  /** Shows a ! command that runs, already coloured. It stays live until it ends, so that its output follows it. */
  shellStarted(text: string): void;
  shellEnded(): void;
  /** The typed command and its notes are written after the running turn, which its prompt interrupts. */
  willInterrupt(): void;
  /** Adds an already coloured text of the host, such as the reply of a command. */
  note(text: string): void;
  /** Adds lines that depend on the width; they are drawn when they are taken. */
  block(draw: (columns: number) => readonly string[]): void;
  /** Returns the lines that were finished since the last call, wrapped to this width. */
  takeFinished(columns: number): readonly string[];
  /**
   * Streaming text, running calls, child agents, the plan: at most as many rows as there is space. Call it after
   * `takeFinished`.
   */
  live(space: Space): readonly string[];
  /** Milliseconds until the live lines change without an event, such as elapsed time. Undefined: they do not. */
  redrawAfterMs(): number | undefined;
  /** Returns whether this call still runs and gets a line with its outcome. */
  willShowCall(id: CallId): boolean;
  /** The displayed state: running calls, agents, the plan, the fill level of the window. */
  readonly state: FeedState;
  /** Calls of the session with their output, newest last; the oldest are dropped. */
  readonly calls: readonly CallItem[];
}

/** A part of the status line. Parts with lower numbers are dropped last in a narrow window. */
export interface StatusSegment {
  readonly text: string;
  readonly priority: number;
}
