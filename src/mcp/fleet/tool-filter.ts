import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";

/** Whether the settings allow this tool, by its name in the server's spelling. `include` wins over `exclude`. */
export function isChosen(tool: string, { include, exclude }: McpServerEntry["tools"]): boolean {
  if (include !== undefined) return include.some((pattern) => matches(pattern, tool));
  return !exclude.some((pattern) => matches(pattern, tool));
}

/** Matches a name, or a file-name pattern (`*`, `?`, `[a-z]`, `[!a]`). */
function matches(pattern: string, text: string): boolean {
  if (pattern === text) return true;
  const tokens = tokensOf(pattern);
  let token = 0;
  let offset = 0;
  // After a mismatch, only the last star has to match one more character.
  let star = -1;
  let starOffset = 0;
  while (offset < text.length) {
    const current = tokens[token];
    if (current === "*") {
      star = token++;
      starOffset = offset;
    } else if (current?.(text[offset] ?? "")) {
      token++;
      offset++;
    } else if (star >= 0) {
      token = star + 1;
      offset = ++starOffset;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === "*");
}

type Token = "*" | ((character: string) => boolean);

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? "";
    const end = character === "[" ? pattern.indexOf("]", index + 2) : -1;
    if (end > 0) {
      tokens.push(setOf(pattern.slice(index + 1, end)));
      index = end;
    } else if (character === "*") tokens.push("*");
    else tokens.push(character === "?" ? () => true : (given) => given === character);
  }
  return tokens;
}

function setOf(inner: string): (character: string) => boolean {
  const isNegated = /^[!^]/u.test(inner);
  const members = isNegated ? inner.slice(1) : inner;
  return (character) => {
    for (let index = 0; index < members.length; index++) {
      const first = members[index] ?? "";
      const last = members[index + 1] === "-" ? members[index + 2] : undefined;
      if (last === undefined ? character === first : character >= first && character <= last) return !isNegated;
      if (last !== undefined) index += 2;
    }
    return isNegated;
  };
}
