/**
 * Converts a module to text for a console, where `import` and `export` do not exist: imports become calls of
 * `$import`, and declarations lose `export`. Line numbers do not change. The input should be JavaScript; for other
 * text, the interpreter reports the error.
 */
export function consoleImports(code: string): string {
  if (!/\b(?:import|export)\b/u.test(code)) return code;
  let output = "";
  let copied = 0;
  for (const word of wordsOf(code)) {
    if (word.start < copied) continue;
    const change = word.text === "import" ? importChange(code, word) : exportChange(code, word);
    if (!change) continue;
    output += code.slice(copied, word.start) + change.text;
    copied = word.start + change.length;
  }
  return output + code.slice(copied);
}

interface Word {
  readonly text: "import" | "export";
  readonly start: number;
}

interface Change {
  readonly text: string;
  /** The range of characters that is replaced. */
  readonly length: number;
}

const importStatement =
  /^import\s*(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)\s*|(\{[^}]*\})\s*)?(?:from\s*)?("[^"\n]*"|'[^'\n]*')(?:\s*with\s*(\{[^}]*\}))?/u;

function importChange(code: string, { start }: Word): Change | undefined {
  const rest = code.slice(start);
  if (/^import\s*[(.]/u.test(rest)) return { text: "$import", length: "import".length };
  const match = importStatement.exec(rest);
  if (!match) return undefined;
  const [whole, own, all, list, from, attributes] = match;
  const call = `await $import(${from}${attributes === undefined ? "" : `, { with: ${attributes} }`})`;
  const lines = "\n".repeat(countLines(whole) - countLines(list ?? "") - countLines(attributes ?? ""));
  return { text: `${declaration(call, { own, all, list })}${lines}`, length: whole.length };
}

function declaration(
  call: string,
  { own, all, list }: Readonly<Record<"own" | "all" | "list", string | undefined>>,
): string {
  const names = list?.replace(/\bas\b(?=\s)/gu, ":").replace(/\s+:\s/gu, ": ");
  if (all !== undefined) return `const ${all} = ${call}${own === undefined ? "" : `, { default: ${own} } = ${all}`}`;
  if (own === undefined) return names === undefined ? call : `const ${names} = ${call}`;
  return names === undefined
    ? `const { default: ${own} } = ${call}`
    : `const { default: ${own}, ${names.slice(1)} = ${call}`;
}

function exportChange(code: string, { start }: Word): Change | undefined {
  const match = /^export\s+(?:default\s+)?(?=(?:const|let|var|function|class|async)\b)/u.exec(code.slice(start));
  return match ? { text: "\n".repeat(countLines(match[0])), length: match[0].length } : undefined;
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

const wordBeforeRegex =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|instanceof|do|else|await|yield)$/u;

/** Yields the words outside of strings, templates, comments and regular expressions. */
function* wordsOf(code: string): Generator<Word> {
  // For each open template, the number of open braces in its expression.
  const templates: number[] = [];
  let before = "";
  for (let index = 0; index < code.length;) {
    const character = code[index] ?? "";
    const two = code.slice(index, index + 2);
    if (two === "//") index = endOf(code, /\n/gu, index);
    else if (two === "/*") index = endOf(code, /\*\//gu, index + 2);
    else if (character === '"' || character === "'") {
      index = endOf(code, character === '"' ? /\\[^]|"|\n/gu : /\\[^]|'|\n/gu, index + 1);
      before = ")";
    } else if (character === "`" || (character === "}" && templates.at(-1) === 0)) {
      if (character === "}") templates.pop();
      index = endOf(code, /\\[^]|`|\$\{/gu, index + 1);
      const isExpression = code.slice(index - 2, index) === "${";
      if (isExpression) templates.push(0);
      before = isExpression ? "{" : ")";
    } else if (character === "/" && startsRegex(before)) {
      index = endOf(code, /\\[^]|\[(?:\\[^]|[^\]\\\n])*\]|\/|\n/gu, index + 1);
      before = ")";
    } else if (/[\w$]/u.test(character)) {
      const text = /^[\w$]+/u.exec(code.slice(index, index + maxWordChars))?.[0] ?? character;
      const isMember = before.endsWith(".");
      if (!isMember && (text === "import" || text === "export")) yield { text, start: index };
      index += text.length;
      before = isMember ? "x" : text;
    } else {
      if (templates.length > 0 && character === "{") templates[templates.length - 1] = (templates.at(-1) ?? 0) + 1;
      if (templates.length > 0 && character === "}") templates[templates.length - 1] = (templates.at(-1) ?? 0) - 1;
      if (!/\s/u.test(character)) before = character;
      index += 1;
    }
  }
}

/** A slash after a value divides; after anything else it starts a regular expression. */
function startsRegex(before: string): boolean {
  return before === "" || /^[^\w$)\]]$/u.test(before) || wordBeforeRegex.test(before);
}

/** The offset after the next match of `end`. Skips escapes and character classes, which also match. */
function endOf(code: string, end: RegExp, from: number): number {
  end.lastIndex = from;
  for (let match = end.exec(code); match; match = end.exec(code))
    if (!match[0].startsWith("\\") && !match[0].startsWith("[")) return end.lastIndex;
  return code.length;
}

const maxWordChars = 64;
