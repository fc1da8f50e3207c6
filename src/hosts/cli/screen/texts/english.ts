import { heldQueueText } from "../../../../commands/reply-text.ts";
import { englishEditor } from "./english-editor.ts";
import { englishPanels } from "./english-panels.ts";
import { englishTranscript } from "./english-transcript.ts";

/**
 * Every text of the screen that a user reads, by part of the screen. A translation has the type `ScreenTexts`, so that
 * no text can be missing.
 */
export const english = {
  screen: {
    loading: "loading …",
    waits: "⋯",
    isHeld: "(held)",
    held: heldQueueText,
    steered: "The agent sees it after the current tool call.",
    hints: {
      stopping: "stopping …",
      stoppingOrLeaving: "stopping … press Ctrl-C again to exit",
      leaving: "press Ctrl-C again, Ctrl-D or type /quit to exit",
    },
  },
  /** Summaries of slash commands and keys, by name. English has them in the tables of commands and keys. */
  commands: {} as Readonly<Record<string, string>>,
  /** Replies of slash commands, by their English text. Commands write English. */
  replies: {} as Readonly<Record<string, string>>,
  /** Why Hermes asks, by the English sentence of the rule. */
  reasons: {} as Readonly<Record<string, string>>,
  /** Texts below denied and stopped calls, by their English text. */
  failures: {} as Readonly<Record<string, string>>,
  keys: {} as Readonly<Record<string, string>>,
  editor: englishEditor,
  transcript: englishTranscript,
  panels: englishPanels,
};

export type ScreenTexts = typeof english;
