/** The colours of a skin, by their names in a file. */
export const skinColors = [
  "banner_border",
  "banner_title",
  "banner_accent",
  "banner_dim",
  "banner_text",
  "ui_accent",
  "ui_label",
  "ui_ok",
  "ui_error",
  "ui_warn",
  "prompt",
  "input_rule",
  "response_border",
  "session_label",
  "session_border",
  "status_bar_bg",
  "voice_status_bg",
  "selection_bg",
  "completion_menu_bg",
  "completion_menu_current_bg",
  "completion_menu_meta_bg",
  "completion_menu_meta_current_bg",
] as const;

export type SkinColor = (typeof skinColors)[number];

/** The texts of a skin, by their names in the file. A missing text keeps its default. */
export const skinTexts = [
  "agent_name",
  "welcome",
  "goodbye",
  "response_label",
  "prompt_symbol",
  "help_header",
] as const;

export type SkinText = (typeof skinTexts)[number];

/** The appearance of a chat: colours, symbols and texts, under the names of a skin file. */
export interface Skin {
  readonly name: string;
  readonly description: string;
  /** `#rrggbb`, or `default` for the colour of the terminal. */
  readonly colors: Readonly<Record<SkinColor, string>>;
  readonly spinner: {
    readonly waiting_faces: readonly string[];
    readonly thinking_faces: readonly string[];
    readonly thinking_verbs: readonly string[];
    /** Characters to the left and right of the spinner. */
    readonly wings: readonly (readonly [left: string, right: string])[];
  };
  readonly branding: Readonly<Partial<Record<SkinText, string>>>;
  /** Shown before the line of a tool call. */
  readonly tool_prefix: string;
  /** Emojis of tools, by tool name. Other tools keep their default emoji. */
  readonly tool_emojis: Readonly<Partial<Record<string, string>>>;
  /** ASCII art above the opening lines. Empty: no art. */
  readonly banner_logo: string;
  readonly banner_hero: string;
}
