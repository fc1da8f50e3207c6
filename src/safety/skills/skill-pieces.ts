import type { ScriptLanguage } from "./skill-scan.ts";

/** A part of a skill's file for one check. `start` is its offset in the file. */
export interface SkillPiece {
  readonly reads: "shell" | "prose" | "other" | ScriptLanguage;
  readonly text: string;
  readonly start: number;
  /** `script`: a file that runs. `shown`: a block in a text. `viewed`: code that runs when the model views the text. */
  readonly role: "script" | "shown" | "viewed";
}

/** Splits a text file of a skill into pieces, according to its name and first line. */
export function piecesOf(path: string, text: string): readonly SkillPiece[] {
  const name = path.split("/").at(-1) ?? "";
  const script = (reads: SkillPiece["reads"], from = text, start = 0): SkillPiece => ({
    reads,
    text: from,
    start,
    role: "script",
  });
  if (name === "package.json") return installScripts(text).map(({ command, start }) => script("shell", command, start));
  const shebang = /^#!.*?\b(sh|bash|zsh|dash|ksh|python\d?|node|deno|bun|perl|ruby|php|lua)/u.exec(text)?.[1];
  const extension = /\.(\w+)$/u.exec(name)?.[1]?.toLowerCase() ?? "";
  const reads = byExtension[extension] ?? byShebang[shebang?.replace(/\d$/u, "") ?? ""];
  if (reads !== undefined && reads !== "prose") return [script(reads)];
  if (reads === undefined && extension !== "") return [{ reads: "other", text, start: 0, role: "shown" }];
  return [{ reads: "prose", text, start: 0, role: "shown" }, ...blocksIn(text)];
}

const byExtension: Readonly<Partial<Record<string, SkillPiece["reads"]>>> = {
  ...Object.fromEntries(["md", "markdown", "mdx", "txt", "rst", "html", "htm"].map((end) => [end, "prose"])),
  ...Object.fromEntries(["sh", "bash", "zsh", "ksh", "command"].map((end) => [end, "shell"])),
  ...Object.fromEntries(["js", "mjs", "cjs", "ts", "mts", "jsx", "tsx"].map((end) => [end, "javascript"])),
  ...Object.fromEntries(["py", "pyw"].map((end) => [end, "python"])),
  ...Object.fromEntries(["pl", "pm"].map((end) => [end, "perl"])),
  rb: "ruby",
  php: "php",
  lua: "lua",
};

const byShebang: Readonly<Partial<Record<string, SkillPiece["reads"]>>> = {
  ...Object.fromEntries(["sh", "bash", "zsh", "dash", "ksh"].map((shell) => [shell, "shell"])),
  ...Object.fromEntries(["node", "deno", "bun"].map((runtime) => [runtime, "javascript"])),
  python: "python",
  perl: "perl",
  ruby: "ruby",
  php: "php",
  lua: "lua",
};

function blocksIn(text: string): readonly SkillPiece[] {
  const fenced = [
    ...text.matchAll(/^[ \t>]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n([\s\S]*?)(?:^[ \t>]*\1|(?![\s\S]))/gmu),
  ];
  const blocks = fenced.flatMap(({ 0: whole, 2: label = "", 3: body = "", index }): SkillPiece[] => {
    const reads = byLabel(label.toLowerCase());
    if (reads === undefined) return [];
    const start = index + whole.indexOf(body, whole.indexOf("\n"));
    return [{ reads, text: reads === "shell" ? withoutPrompts(body) : body, start, role: "shown" }];
  });
  // Some hosts run these commands when they show the text.
  const viewed = [...text.matchAll(/(?<![\w`])!`([^`\n]+)`/gu)].map(({ 1: command = "", index }): SkillPiece => ({
    reads: "shell",
    text: command,
    start: index + 2,
    role: "viewed",
  }));
  const spans = [...text.matchAll(/(?<![`!])`([^`\n]{12,})`(?!`)/gu)]
    // A formula or a call, such as `min(a, b / c)`, is not a command.
    .filter(({ 1: command = "" }) => /\s/u.test(command) && !/^\w+\(/u.test(command))
    .map(({ 1: command = "", index }): SkillPiece => ({
      reads: "shell",
      text: command,
      start: index + 1,
      role: "shown",
    }));
  return [...blocks, ...viewed, ...spans];
}

function byLabel(label: string): SkillPiece["reads"] | undefined {
  if (/^(?:|sh|bash|zsh|shell|console|terminal|shell-session|shellsession|fish)$/u.test(label)) return "shell";
  if (/^(?:python|py)\d?$/u.test(label)) return "python";
  if (/^(?:javascript|js|node|typescript|ts|mjs)$/u.test(label)) return "javascript";
  return label === "perl" || label === "ruby" || label === "php" || label === "lua" ? label : undefined;
}

/** Replaces shell prompts by spaces, so that offsets stay the same. */
function withoutPrompts(text: string): string {
  return text.replaceAll(/^[ \t]*[$#%>](?= )/gmu, (prompt) => " ".repeat(prompt.length));
}

/** Scripts that a package manager runs automatically. */
function installScripts(text: string): readonly { readonly command: string; readonly start: number }[] {
  const hooks = /"(?:preinstall|install|postinstall|prepare|preprepare|postprepare)"\s*:\s*"((?:[^"\\]|\\.)*)"/gu;
  return [...text.matchAll(hooks)].map(({ 0: whole, 1: command = "", index }) => ({
    command: command.replaceAll(/\\(["\\/])/gu, "$1"),
    start: index + whole.length - command.length - 1,
  }));
}
