import { hole } from "../../command/shell/field.ts";
import type { CodeLanguage } from "../code-judgement.ts";
import type { Effects } from "../reading/effects.ts";
import { closingAt, unescaped } from "../reading/quoted.ts";
import { textValue } from "../reading/value.ts";

/** What commands of vim and ex run and write, one a line. */
export function readVim(source: string, effects: Effects, read: (language: CodeLanguage, code: string) => void): void {
  for (const line of source.split("\n").slice(0, 2_000)) readLine(line, effects, read, 0);
}

const prefix =
  /^(?:[\s:]|sil(?:ent)?!?\s|noa(?:utocmd)?\s|vert(?:ical)?\s|tab\s|keepj(?:umps)?\s|keepp(?:atterns)?\s|unsilent\s|verb(?:ose)?\s|\d*(?:argdo|bufdo|windo|tabdo|cdo|cfdo)!?\s|au(?:tocmd)?!?\s+\S+\s+\S+\s)/u;
const range = /^(?:%|[.$]|\d+|'[<>\w]|\/(?:\\.|[^/\\])*\/|\?(?:\\.|[^?\\])*\?|[-+]\d*|[,;])+/u;

function readLine(
  line: string,
  effects: Effects,
  read: (language: CodeLanguage, code: string) => void,
  depth: number,
): void {
  let text = line.trim();
  for (let count = 0; count < 50; count++) {
    const cut = prefix.exec(text)?.[0] ?? range.exec(text)?.[0];
    if (cut === undefined || cut === "") break;
    text = text.slice(cut.length).trimStart();
  }
  if (text === "" || depth > 6) return;
  if (text.startsWith(hole)) return effects.find("unknown_code", line);
  if (text.startsWith("!")) return effects.carry(textValue(text.replace(/^!+\s*/u, "")), line);
  const [, name = "", bang = "", rest = ""] = /^([a-zA-Z]+\d?)(!?)\s*([^]*)$/u.exec(text) ?? [];
  const go = (inner: string) => readLine(inner, effects, read, depth + 1);
  if (/^(?:r|re|rea|read|w|wr|wri|writ|write|up|update|wq|x|xit|exi|exit|sav|saveas)$/u.test(name)) {
    const [own, next] = split(rest);
    const isReading = name.startsWith("r");
    if (own.startsWith("!")) effects.carry(textValue(rest.slice(1)), line);
    else if (bang === "!" && isReading) effects.carry(textValue(rest), line);
    else if (own !== "")
      effects.path(isReading ? "read" : "write", textValue(own.replace(/^>>\s*/u, "").replace(/\s*$/u, "")));
    if (!own.startsWith("!")) go(next);
    return;
  }
  if (/^(?:g|global|v|vglobal)$/u.test(name)) {
    const sign = rest[0] ?? "/";
    const end = closingAt(rest, 1, sign);
    if (end > 0) go(rest.slice(end));
    return;
  }
  if (/^(?:term|ter|termi|terminal)$/u.test(name)) return effects.carry(textValue(rest), line);
  const language = languages.get(name);
  if (language !== undefined) return read(language, rest.replace(/^<<\s*\w*/u, ""));
  if (/^(?:norm|norma|normal)$/u.test(name)) {
    const typed = /:(!?[^]*)$/u.exec(rest)?.[1];
    if (typed !== undefined) go(typed.replace(/(?:\^M|\r|<CR>)[^]*$/iu, ""));
    return;
  }
  calls(text, effects, go, line);
  const [, next] = split(text);
  if (next !== "") go(next);
}

const languages: ReadonlyMap<string, CodeLanguage> = new Map<string, CodeLanguage>([
  ["lua", "lua"],
  ["luado", "lua"],
  ["py", "python"],
  ["python", "python"],
  ["py3", "python"],
  ["python3", "python"],
  ["pyx", "python"],
  ["pydo", "python"],
  ["py3do", "python"],
  ["perl", "perl"],
  ["perldo", "perl"],
  ["ruby", "ruby"],
  ["rubydo", "ruby"],
]);

/** What stands before a bar, and after it. */
function split(text: string): readonly [string, string] {
  const at = /(?<!\\)\|/u.exec(text)?.index;
  return at === undefined ? [text.trim(), ""] : [text.slice(0, at).trim(), text.slice(at + 1)];
}

/** `system('…')` and the like, wherever they stand. */
function calls(text: string, effects: Effects, go: (line: string) => void, line: string): void {
  for (const found of text.matchAll(
    /\b(system|systemlist|delete|writefile|rename|jobstart|job_start|termopen|term_start|libcall|libcallnr|execute|feedkeys|exe[cute]*)\b\s*(\(?)\s*/gu,
  )) {
    const [whole, name = "", bracket] = found;
    const from = found.index + whole.length;
    const value = argument(text, from);
    if (name.startsWith("exe") && name !== "execute" ? bracket === "" : name === "execute") {
      if (value === undefined) effects.find("unreadable_code", line);
      else go(value);
    } else if (bracket === "") continue;
    else if (name === "delete") {
      effects.find("inline_code", line);
      effects.path("delete", textValue(value ?? hole), /['"]rf['"]/u.test(text));
    } else if (name === "writefile") {
      const all = [...text.slice(from).matchAll(/'([^']*)'|"([^"]*)"/gu)].at(-1);
      effects.path("write", textValue(all?.[1] ?? all?.[2] ?? hole));
    } else if (name === "rename") effects.path("move", textValue(value ?? hole));
    else if (name.startsWith("libcall")) effects.find("unreadable_code", line);
    else if (name === "feedkeys") go(value?.replace(/^:/u, "") ?? hole);
    else effects.carry(textValue(value ?? hole), line);
  }
}

/** A text in quotes that stands alone as the first argument. */
function argument(text: string, at: number): string | undefined {
  const quote = text[at];
  if (quote !== "'" && quote !== '"') return undefined;
  const end = quote === "'" ? text.indexOf("'", at + 1) + 1 : closingAt(text, at + 1, quote);
  if (end <= 0) return undefined;
  const inside = text.slice(at + 1, end - 1);
  const value = quote === "'" ? inside : unescaped(inside);
  return /^\s*\./u.test(text.slice(end)) ? `${value}${hole}` : value;
}
