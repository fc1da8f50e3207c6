/**
 * Escape sequences for notifications: `osc9` (iTerm2, WezTerm, Ghostty), `osc777` (urxvt, foot, VTE), `osc99` (kitty),
 * `bell`.
 */
export type NotificationKind = "osc9" | "osc777" | "osc99" | "bell";

interface Notification {
  readonly title: string;
  readonly body: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The bytes of a desktop notification. Inside tmux or screen they go to the terminal around it. */
export function notificationBytes(kind: "auto" | NotificationKind, text: Notification, env: Environment): string {
  const used = kind === "auto" ? kindOf(env) : kind;
  const bytes = sequenceOf(used, text);
  if (used === "bell") return bytes;
  if ((env["TMUX"] ?? "") !== "") return `\x1bPtmux;${bytes.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`;
  return (env["STY"] ?? "") === "" ? bytes : `\x1bP${bytes}\x1b\\`;
}

function kindOf(env: Environment): NotificationKind {
  const kind = env["TERM"] ?? "";
  const program = env["TERM_PROGRAM"] ?? "";
  if (kind === "linux" || kind === "dumb" || program === "Apple_Terminal") return "bell";
  if (kind.includes("kitty") || (env["KITTY_WINDOW_ID"] ?? "") !== "") return "osc99";
  if (/rxvt|^foot/u.test(kind) || (env["VTE_VERSION"] ?? "") !== "") return "osc777";
  return "osc9";
}

/**
 * The texts contain no control characters. The text of OSC 9 must start with a word, because a number has another
 * meaning.
 */
function sequenceOf(kind: NotificationKind, { title, body }: Notification): string {
  switch (kind) {
    case "osc9":
      return `\x1b]9;${title}: ${body}\x07`;
    case "osc777":
      return `\x1b]777;notify;${title.replaceAll(";", ",")};${body.replaceAll(";", ",")}\x07`;
    case "osc99":
      return `\x1b]99;i=hermes:d=0;${title}\x1b\\\x1b]99;i=hermes:p=body;${body}\x1b\\`;
    case "bell":
      return "\x07";
  }
}
