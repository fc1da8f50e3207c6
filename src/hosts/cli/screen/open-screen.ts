import type { Clock } from "../../../base/clock.ts";
import type { Result } from "../../../base/result.ts";
import type { PanelName } from "../../../contracts/host/command.ts";
import type { CliIo } from "../command.ts";
import { fit, wrap } from "../table.ts";
import type { TerminalDevice } from "../terminal-device.ts";
import { withoutControls } from "../without-controls.ts";
import type { ClipboardContent, Editor, SentDraft } from "./editor/editor-parts.ts";
import { createEditor } from "./editor/editor.ts";
import { createPanelStack, isTyped } from "./panels/panel-stack.ts";
import type { KeyPress, PanelStack, ScreenTranscript } from "./parts.ts";
import { type ControlParts, createScreenControls, type ScreenControls } from "./screen-controls.ts";
import { createScreenLook, type ScreenLook } from "./screen-look.ts";
import { createScreenView } from "./screen-view.ts";
import { openTerminal, type Terminal } from "./terminal/open-terminal.ts";
import { terminalFacts } from "./terminal/terminal-facts.ts";
import { failureText } from "./texts/reason-text.ts";
import { createScreenTranscript } from "./transcript/screen-transcript.ts";

/** The drawn screen. It has no access to a session: `ScreenHost` does. */
export interface OpenedScreen extends AsyncDisposable {
  readonly terminal: Terminal;
  readonly editor: Editor;
  readonly transcript: ScreenTranscript;
  readonly panels: PanelStack;
  readonly controls: ScreenControls;
  readonly look: ScreenLook;
  /** Shows a message above the prompt, already coloured. */
  note(text: string): void;
  /** Writes bytes that take rows of their own, such as a picture, below the finished lines. */
  insert(bytes: string): void;
  /** Draws soon. */
  redraw(): void;
  /** Reports every key, focus changes of the window, and every question. */
  watch(watcher: ScreenWatcher): void;
  /** Shows the last lines of a command that the user runs. */
  setPrinting(lines: readonly string[]): void;
  /** Shows the current step of the start instead of the status line; undefined when the start is finished. */
  setProgress(text: string | undefined): void;
  /** Writes finished lines and restores the terminal. */
  close(): Promise<void>;
}

export interface ScreenWatcher {
  pressed(key: KeyPress): void;
  questionWaits(): void;
  /** A key that is used by neither the editor nor a panel, such as the record key of voice mode. */
  takes(key: KeyPress): boolean;
  /** A key that nothing else uses, such as a plugin's key. */
  otherKey(chord: string): void;
}

export interface QueuedLine {
  readonly text: string;
  /** It waits until the user sends it. */
  readonly isHeld: boolean;
}

/** The program that uses the screen. */
export interface ScreenHost {
  submitted(draft: SentDraft): void;
  /** Sends the prompts that are held. */
  sendHeld(): void;
  interrupt(): boolean;
  isBusy(): boolean;
  open(panel: PanelName): void;
  leave(exitCode: number): void;
  /** Called when the screen cannot continue. */
  failed(thrown: unknown): void;
  emoji(tool: string): string;
  /** Queued prompts in order. */
  queue(): readonly QueuedLine[];
  /** The number of queued prompts that are held. */
  heldPrompts(): number;
  readClipboard(kind: "image" | "any"): Promise<Result<ClipboardContent>>;
  /** The image in a file. Undefined: it is not an image. */
  readImage(path: string): Promise<Result<ClipboardContent> | undefined>;
  /** Lines at the bottom. */
  status(columns: number): readonly string[];
}

export interface ScreenOptions {
  readonly device: TerminalDevice;
  readonly io: Pick<CliIo, "columns" | "rows">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly host: ScreenHost;
  readonly signal: AbortSignal;
}

/** Takes control of the terminal and draws an empty prompt. */
export function openScreen({ device, io, env, clock, host, signal }: ScreenOptions): OpenedScreen {
  const facts = terminalFacts(env);
  const look = createScreenLook(facts.colours, facts.isLight);
  const { theme, texts, translate } = look;
  let hint: Parameters<ControlParts["hint"]>[0];
  let watcher: ScreenWatcher | undefined;
  let progress: string | undefined = texts.screen.loading;
  let printing: readonly string[] = [];
  const redraw = () => view.redraw();
  const transcript = createScreenTranscript({
    theme: () => theme,
    display: () => look.display,
    clock,
    texts: texts.transcript,
    translate,
    translateFailure: (text) => failureText(text, texts),
    emoji: host.emoji,
    hyperlinks: facts.hyperlinks,
    showsAll: "Ctrl-O",
  });
  const panels = createPanelStack({
    theme: () => theme,
    texts,
    clock,
    redraw,
    early: (key) => void editor.press(key),
    asked: () => watcher?.questionWaits(),
  });
  const controls = createScreenControls({
    clock,
    panel: () => panels.current,
    editor: {
      press: (key) => editor.press(key),
      get isEmpty() {
        return editor.isEmpty;
      },
      clear: () => editor.clear(),
    },
    interrupt: host.interrupt,
    suspend: () => terminal.suspend(),
    redraw: () => terminal.redraw(true),
    open: host.open,
    other: (chord) => watcher?.otherKey(chord),
    leave: host.leave,
    hint(kind) {
      hint = kind;
    },
    changed: () => view.drawNow(),
  });
  const editor = createEditor({
    theme: () => theme,
    texts: texts.editor,
    clock,
    keys: controls.editorKeys,
    history: { lines: [], add() {} },
    redraw,
    isBusy: host.isBusy,
    submit(draft) {
      controls.sent();
      host.submitted(draft);
    },
    submitEmpty: host.sendHeld,
    editInProgram: async (text) => {
      const { editInProgram } = await import("./editor/edit-in-program.ts");
      return editInProgram(text, { env, signal, lend: (work) => terminal.lend(work) });
    },
    readClipboard: host.readClipboard,
    readImage: host.readImage,
  });
  const view = createScreenView({
    clock,
    terminal: () => terminal,
    transcript,
    editor,
    panel: () => panels.current,
    failed: host.failed,
    theme: () => theme,
    queue: (columns) => [
      // A command that waits for an approval does not run yet.
      ...(panels.current?.isQuestion ? [] : printing).map((line) =>
        theme.dim(fit(`  ${withoutControls(line)}`, columns)),
      ),
      ...(host.heldPrompts() > 0
        ? wrap(texts.screen.held(host.heldPrompts()), columns).split("\n").map(theme.warn)
        : []),
      ...host.queue().map(({ text, isHeld }) => {
        const { waits, isHeld: held } = texts.screen;
        return isHeld
          ? theme.warn(fit(`${waits} ${held} ${text}`, columns))
          : theme.dim(fit(`${waits} ${text}`, columns));
      }),
    ],
    status(columns) {
      const line = hintText() ?? progress;
      return line === undefined ? host.status(columns) : [theme.paintAs("status", fit(line, columns))];
    },
  });
  const terminal = openTerminal({
    device,
    facts,
    clock,
    space: () => ({ columns: io.columns, rows: io.rows }),
    listener: {
      pressed(keys) {
        const isBurst = keys.filter(isTyped).length > 1;
        for (const each of keys) {
          const key = isBurst ? { ...each, isBurst } : each;
          watcher?.pressed(key);
          if (!watcher?.takes(key)) controls.press(key);
        }
        view.drawNow();
      },
      changed() {
        if (terminal.isLight !== undefined) void look.useBackground(terminal.isLight).then(redraw);
        view.drawNow();
      },
      drained: () => view.redraw(),
      ended: () => host.leave(129),
      warned: (text) => note(theme.dim(withoutControls(text).trimEnd())),
    },
  });
  view.drawNow();

  /** Once the turn has stopped, the hint no longer says that it stops. */
  function hintText(): string | undefined {
    if (hint === undefined || hint === "leaving" || host.isBusy()) return hint && texts.screen.hints[hint];
    return hint === "stopping" ? undefined : texts.screen.hints.leaving;
  }

  function note(text: string): void {
    transcript.note(text);
    redraw();
  }

  let closing: Promise<void> | undefined;
  const close = () =>
    (closing ??= (async () => {
      await terminal.settled();
      view.end();
      editor[Symbol.dispose]();
      await terminal.close();
    })());
  return {
    terminal,
    editor,
    transcript,
    panels,
    controls,
    look,
    note,
    insert: view.insert,
    redraw,
    watch(wanted) {
      watcher = wanted;
    },
    setPrinting(lines) {
      printing = lines.slice(-maxPrintedLines);
      redraw();
    },
    setProgress(text) {
      progress = text;
      redraw();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const maxPrintedLines = 5;
