/** Facts about the terminal that the environment provides. */
export interface TerminalFacts {
  readonly colours: "none" | "16" | "256" | "true";
  /** Whether the background is light. Undefined: ask the terminal. */
  readonly isLight: boolean | undefined;
  /** True if the terminal answers queries about itself. */
  readonly answers: boolean;
  /** True if the terminal wraps rows instead of cutting them when the window becomes narrower. */
  readonly reflows: boolean;
  /** True if the terminal also wraps the row of the cursor. */
  readonly reflowsCursorRow: boolean;
  readonly isTmux: boolean;
  /** True if the terminal supports links (OSC 8). */
  readonly hyperlinks: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function terminalFacts(env: Environment): TerminalFacts {
  const kind = env["TERM"] ?? "";
  const program = env["TERM_PROGRAM"] ?? "";
  return {
    colours: coloursOf(env),
    isLight: isLightOf(env),
    // These terminals print parts of queries that they do not know.
    answers: kind !== "linux" && kind !== "dumb" && program !== "Apple_Terminal",
    reflows: !env["XTERM_VERSION"] && kind !== "linux" && (env["STY"] ?? "") === "",
    reflowsCursorRow: program !== "vscode",
    isTmux: (env["TMUX"] ?? "") !== "",
    hyperlinks: hyperlinksOf(env),
  };
}

function coloursOf(env: Environment): TerminalFacts["colours"] {
  const force = env["FORCE_COLOR"] ?? "";
  const kind = env["TERM"] ?? "";
  const program = env["TERM_PROGRAM"] ?? "";
  if (env["NO_COLOR"] || force === "0" || kind === "dumb") return "none";
  if (force === "3" || /^(?:truecolor|24bit)$/iu.test(env["COLORTERM"] ?? "")) return "true";
  if (/-direct$|kitty|ghostty|alacritty/u.test(kind)) return "true";
  if (/^(?:iTerm\.app|vscode|WezTerm|ghostty)$/u.test(program)) return "true";
  if (force === "2" || /-256(?:color)?$/u.test(kind) || program === "Apple_Terminal") return "256";
  return "16";
}

/** `HERMES_TUI_THEME` is `light` or `dark`; `COLORFGBG` is `0;15` on a light background. */
function isLightOf(env: Environment): boolean | undefined {
  const theme = (env["HERMES_TUI_THEME"] ?? "").trim().toLowerCase();
  if (theme === "light" || theme === "dark") return theme === "light";
  const background = /;(?<colour>\d+)$/u.exec(env["COLORFGBG"] ?? "")?.groups?.["colour"];
  if (background === undefined) return undefined;
  const colour = Number(background);
  return colour === 7 || (colour >= 9 && colour <= 15);
}

/** Only these terminals get links; others would show the label without its address. */
function hyperlinksOf(env: Environment): boolean {
  const force = env["FORCE_HYPERLINK"] ?? "";
  if (force !== "") return force !== "0";
  const program = env["TERM_PROGRAM"] ?? "";
  if (env["TMUX"]) return program === "tmux" && Number.parseFloat(env["TERM_PROGRAM_VERSION"] ?? "") >= 3.4;
  if (env["STY"]) return false;
  if (/kitty|ghostty|alacritty|foot|wezterm/u.test(env["TERM"] ?? "")) return true;
  if (/^(?:iTerm\.app|vscode|WezTerm|ghostty|Hyper|rio|WarpTerminal)$/u.test(program)) return true;
  return Boolean(env["WT_SESSION"]) || Boolean(env["KONSOLE_VERSION"]) || Number(env["VTE_VERSION"]) >= 5_000;
}
