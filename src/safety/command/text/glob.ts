/** Could this pattern of the shell (`*`, `?`, `[…]`) stand for this text? `*` and `?` do not cross a slash. Linear in practice. */
export function globFits(pattern: string, text: string): boolean {
  return fits(tokens(pattern), text.split(""));
}

type Token = { readonly kind: "any" } | { readonly kind: "one"; takes(char: string): boolean };

function tokens(pattern: string): readonly Token[] {
  const made: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? "";
    if (char === "*") {
      if (made.at(-1)?.kind !== "any") made.push({ kind: "any" });
      continue;
    }
    const end = char === "[" ? pattern.indexOf("]", at + 2) : -1;
    if (end > 0) {
      const inner = pattern.slice(at + 1, end);
      made.push({ kind: "one", takes: (given) => given !== "/" && isInSet(given, inner) });
      at = end;
    } else made.push({ kind: "one", takes: char === "?" ? (given) => given !== "/" : (given) => given === char });
  }
  return made;
}

/** The inside of `[a-z]`, `[!x]`. A class such as `[:alpha:]` takes anything. */
function isInSet(char: string, inner: string): boolean {
  if (inner.includes(":")) return true;
  const isNegated = /^[!^]/u.test(inner);
  const members = isNegated ? inner.slice(1) : inner;
  for (let at = 0; at < members.length; at++) {
    const [first = "", last = ""] = [members[at], members[at + 2]];
    const isRange = members[at + 1] === "-" && last !== "";
    if (isRange ? char >= first && char <= last : char === first) return !isNegated;
    if (isRange) at += 2;
  }
  return isNegated;
}

function fits(pattern: readonly Token[], text: readonly string[]): boolean {
  let [at, index, star, mark] = [0, 0, -1, 0];
  while (index < text.length) {
    const token = pattern[at];
    const char = text[index] ?? "";
    if (token?.kind === "any") {
      [star, mark] = [at, index];
      at += 1;
    } else if (token?.takes(char)) {
      at += 1;
      index += 1;
    } else if (star >= 0 && text[mark] !== "/") {
      at = star + 1;
      mark += 1;
      index = mark;
    } else return false;
  }
  while (pattern[at]?.kind === "any") at += 1;
  return at === pattern.length;
}
