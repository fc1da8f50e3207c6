/** How this terminal draws pictures, according to its environment. Undefined: it does not, or this is unknown. */
export function pictureProtocol(
  env: Readonly<Record<string, string | undefined>>,
  wish: "auto" | "kitty" | "iterm" | "sixel" | "off",
): "kitty" | "iterm" | "sixel" | undefined {
  if (wish === "off") return undefined;
  if (wish !== "auto") return wish;
  // A multiplexer draws its own screen and loses pictures.
  if (env["TMUX"] || env["STY"] || env["ZELLIJ"]) return undefined;
  const [kind, program] = [env["TERM"] ?? "", env["TERM_PROGRAM"] ?? ""];
  if (/kitty|ghostty/u.test(kind) || env["KITTY_WINDOW_ID"] || program === "ghostty") return "kitty";
  if (/^(?:iTerm\.app|WezTerm|mintty|rio)$/u.test(program)) return "iterm";
  return /^(?:foot|mlterm|contour|yaft|sixel)|-sixel$/u.test(kind) ? "sixel" : undefined;
}
