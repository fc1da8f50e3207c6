/** Variables that describe our terminal to programs in it. */
export const terminalVariables: Readonly<Record<string, string>> = { TERM: "xterm-256color", COLORTERM: "truecolor" };
