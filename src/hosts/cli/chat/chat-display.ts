import type { DisplayState } from "../../../contracts/host/command.ts";
import type { Settings } from "../../../operations/settings/load-settings.ts";

/** The display of a chat: the settings, and later changes by commands. */
export interface ChatDisplay extends DisplayState {
  readonly markdown: boolean;
  readonly file_mutation_verifier: boolean;
}

/** The display before the settings are read. */
export const defaultDisplay: ChatDisplay = {
  skin: "default",
  busy_input_mode: "interrupt",
  show_reasoning: false,
  tool_progress: "all",
  markdown: true,
  file_mutation_verifier: true,
  status_line: true,
  footer: false,
  timestamps: false,
  indicator: "kaomoji",
  focus: false,
  voice: "off",
};

export function displayOf({ values: { display } }: Settings): ChatDisplay {
  const { skin, busy_input_mode, show_reasoning, tool_progress, markdown, status_line } = display;
  const { footer, timestamps, indicator, file_mutation_verifier } = display;
  return {
    ...defaultDisplay,
    skin,
    busy_input_mode,
    show_reasoning,
    tool_progress,
    markdown,
    status_line,
    footer,
    timestamps,
    indicator,
    file_mutation_verifier,
  };
}
