/** One token of a TypeScript file. Punctuation is one character, except `=>`. */
export interface Token {
  readonly kind: "name" | "number" | "punctuation" | "string" | "comment" | "regex";
  readonly text: string;
  readonly line: number;
  /** The innermost open bracket around the token: `(`, `[`, `{` or nothing. */
  readonly bracket: string;
}

/** Splits TypeScript into tokens. A template string yields one string token for each part between its placeholders. */
export function tokensOf(code: string): readonly Token[] {
  const tokens: Token[] = [];
  const brackets: string[] = [];
  let line = 1;
  let offset = 0;
  const take = (kind: Token["kind"], length: number): void => {
    const text = code.slice(offset, offset + length);
    tokens.push({ kind, text, line, bracket: brackets.at(-1)?.replace("${", "{") ?? "" });
    for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) line++;
    offset += length;
  };
  while (offset < code.length) {
    const matchHere = (pattern: RegExp): number => {
      pattern.lastIndex = offset;
      return pattern.exec(code)?.[0].length ?? 0;
    };
    const char = code[offset] ?? "";
    let length: number;
    if (char === "\n") line++;
    if (/\s/.test(char)) offset++;
    else if ((length = matchHere(/#!.*|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/y)) > 0) take("comment", length);
    else if ((length = matchHere(/[\p{L}_$#][\p{L}\p{N}_$]*/uy)) > 0) take("name", length);
    else if ((length = matchHere(/\d[\w.]*/y)) > 0) take("number", length);
    else if ((length = matchHere(/"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/y)) > 0) take("string", length);
    else if (char === "/" && startsRegex(tokens) && (length = matchHere(regexLiteral)) > 0) take("regex", length);
    else if (char === "`" || (char === "}" && brackets.at(-1) === "${")) {
      if (char === "}") brackets.pop();
      take("string", matchHere(/[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)?/y));
      if (code.slice(offset - 2, offset) === "${") brackets.push("${");
    } else {
      if (")]}".includes(char)) brackets.pop();
      take("punctuation", code.startsWith("=>", offset) ? 2 : 1);
      if ("([{".includes(char)) brackets.push(char);
    }
  }
  return tokens;
}

const regexLiteral = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;

/** After a value a slash divides; elsewhere it starts a regular expression. */
function startsRegex(tokens: readonly Token[]): boolean {
  const before = tokens.findLast((token) => token.kind !== "comment");
  if (before === undefined) return true;
  if (before.kind === "name") return ["return", "typeof", "case", "in", "of", "await", "yield"].includes(before.text);
  return before.kind === "punctuation" && !")]}".includes(before.text);
}
