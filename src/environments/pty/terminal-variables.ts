/** What our terminal is, for programs that run in it. */
export const terminalVariables: Readonly<Record<string, string>> = { TERM: "xterm-256color", COLORTERM: "truecolor" };
