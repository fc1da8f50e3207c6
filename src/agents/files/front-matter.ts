/** The fields of a front matter: a string or a list of strings. */
export type FrontMatter = ReadonlyMap<string, string | readonly string[]>;

/**
 * Splits a Markdown file into its fields and its body. Undefined if it has no front matter. Reads fields in the forms
 * that agent files of several programs use: one per line, quoted or not, lists inline or on separate lines, and block
 * texts. A description with colons, which strict YAML rejects, is an ordinary text here.
 */
export function readFrontMatter(
  text: string,
): { readonly fields: FrontMatter; readonly body: string; readonly strangeLines: readonly string[] } | undefined {
  const lines = text.replace(/^\uFEFF/u, "").split(/\r?\n/u);
  if (lines[0]?.trimEnd() !== "---") return undefined;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end < 0) return undefined;
  const fields = new Map<string, string | readonly string[]>();
  const strangeLines: string[] = [];
  for (let index = 1; index < end;) {
    const line = lines[index] ?? "";
    const match = /^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/u.exec(line);
    let next = index + 1;
    while (next < end && isContinuation(lines[next] ?? "")) next++;
    if (match) fields.set(fieldName(match[1] ?? ""), valueOf((match[2] ?? "").trim(), lines.slice(index + 1, next)));
    else if (line.trim() !== "" && !line.startsWith("#")) strangeLines.push(line.trim());
    index = next;
  }
  const body = lines.slice(end + 1).join("\n");
  return { fields, body: body.trim(), strangeLines };
}

/** Normalizes names: `disallowedTools`, `disallowed-tools` and `disallowed_tools` are the same field. */
function fieldName(name: string): string {
  return name.replaceAll(/[-_]/gu, "").toLowerCase();
}

function isContinuation(line: string): boolean {
  return line.trim() === "" || /^[ \t]/u.test(line) || /^-[ \t]/u.test(line);
}

function valueOf(first: string, more: readonly string[]): string | readonly string[] {
  const block = /^([|>])[+-]?$/u.exec(first)?.[1];
  const items = more.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  if (block !== undefined) return joined(more, block === "|" ? "\n" : " ");
  if (first === "" && items.length > 0 && items.every((item) => /^-(?:\s|$)/u.test(item)))
    return items.map((item) => plain(item.slice(1).trim())).filter((item) => item !== "");
  const whole = [first, ...items].join(" ").trim();
  if (whole.startsWith("[") && whole.endsWith("]")) {
    const inner = whole.slice(1, -1).trim();
    return inner === "" ? [] : inner.split(",").map((item) => plain(item.trim()));
  }
  return plain(whole);
}

function joined(lines: readonly string[], separator: string): string {
  return lines
    .map((line) => line.trim())
    .join(separator)
    .trim();
}

/** Removes quotes, and a comment after an unquoted word. */
function plain(value: string): string {
  const quoted = /^(["'])(.*)\1$/su.exec(value);
  if (quoted) return (quoted[2] ?? "").replaceAll(quoted[1] === '"' ? '\\"' : "''", quoted[1] ?? "");
  return value.replace(/\s+#\s.*$/u, "");
}
