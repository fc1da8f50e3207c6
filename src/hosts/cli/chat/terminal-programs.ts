/**
 * The program of a typed command that draws on a terminal and reads keys, which a ! command cannot offer. Undefined: the
 * command needs no terminal, as far as its name says.
 */
export function terminalProgram(command: string): string | undefined {
  const words = command.split(/\s+/u).filter((word) => !/^(?:\w+=.*|sudo|env|exec|command|time)$/u.test(word));
  const name = words[0]?.replace(/^.*\//u, "") ?? "";
  // Vi without a screen runs its commands from an option.
  const isScript = words.some((word) => /^-(?:es?|E)$/u.test(word));
  return names.has(name) && !isScript ? name : undefined;
}

const names: ReadonlySet<string> = new Set([
  ..."vi vim nvim view vimdiff nano pico micro hx kak joe ne emacs mcedit".split(" "),
  ..."mc ranger nnn lf htop btop atop tmux screen lazygit tig fzf".split(" "),
]);
