/**
 * Returns whether this shell pattern (`*`, `?`, `[…]`) can match this text. `*` and `?` do not match a slash. The time
 * is linear in practice.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  return fits(tokens(pattern), text.split(""));
}

type Token = { readonly kind: "any" } | { readonly kind: "one"; takes(char: string): boolean };

function tokens(pattern: string): readonly Token[] {
  const parsed: Token[] = [];
  for (let offset = 0; offset < pattern.length; offset++) {
    const char = pattern[offset] ?? "";
    if (char === "*") {
      if (parsed.at(-1)?.kind !== "any") parsed.push({ kind: "any" });
      continue;
    }
    const end = char === "[" ? pattern.indexOf("]", offset + 2) : -1;
    if (end > 0) {
      const inner = pattern.slice(offset + 1, end);
      parsed.push({ kind: "one", takes: (given) => given !== "/" && isInSet(given, inner) });
      offset = end;
    } else parsed.push({ kind: "one", takes: char === "?" ? (given) => given !== "/" : (given) => given === char });
  }
  return parsed;
}

/** Translates the inside of `[a-z]` or `[!x]`. A class such as `[:alpha:]` matches anything. */
function isInSet(char: string, inner: string): boolean {
  if (inner.includes(":")) return true;
  const isNegated = /^[!^]/u.test(inner);
  const members = isNegated ? inner.slice(1) : inner;
  for (let offset = 0; offset < members.length; offset++) {
    const [first = "", last = ""] = [members[offset], members[offset + 2]];
    const isRange = members[offset + 1] === "-" && last !== "";
    if (isRange ? char >= first && char <= last : char === first) return !isNegated;
    if (isRange) offset += 2;
  }
  return isNegated;
}

function fits(pattern: readonly Token[], text: readonly string[]): boolean {
  let [offset, index, star, mark] = [0, 0, -1, 0];
  while (index < text.length) {
    const token = pattern[offset];
    const char = text[index] ?? "";
    if (token?.kind === "any") {
      [star, mark] = [offset, index];
      offset += 1;
    } else if (token?.takes(char)) {
      offset += 1;
      index += 1;
    } else if (star >= 0 && text[mark] !== "/") {
      offset = star + 1;
      mark += 1;
      index = mark;
    } else return false;
  }
  while (pattern[offset]?.kind === "any") offset += 1;
  return offset === pattern.length;
}
