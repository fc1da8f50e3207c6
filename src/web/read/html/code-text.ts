import type { PageElement } from "./page-element.ts";
import { cellTags } from "./tags.ts";

/** The text of code unchanged, with the line breaks of `br` and blocks. */
export function plainCode(element: PageElement): string {
  const parts: string[] = [];
  let isAtStart = true;
  const add = (text: string) => {
    if (text === "") return;
    parts.push(text);
    isAtStart = text.endsWith("\n");
  };
  const collect = (from: PageElement): void => {
    for (const child of from.children) {
      if (typeof child === "string") add(child);
      else if (child.isDropped || isBesideCode(child)) continue;
      else if (child.tag === "br") add("\n");
      else {
        const isLine = child.hasBlock && !cellTags.has(child.tag);
        if (isLine && !isAtStart) add("\n");
        collect(child);
        if (isLine && !isAtStart) add("\n");
      }
    }
  };
  collect(element);
  return parts.join("");
}

/** Line numbers, and lines that a documentation tool hides. */
function isBesideCode(element: PageElement): boolean {
  if (element.attributes.length === 0) return false;
  const names = element.attribute("class") ?? "";
  return besideCode.test(names);
}

const besideCode =
  /(?:^|\s)(?:linenos?|line-numbers?(?:-rows)?|lineno|lnt?|gutter|rouge-gutter|blob-num|hljs-ln-numbers|boring|copybtn|copy-button|prompt-copy)(?:$|\s)/iu;

/** `code` between enough backticks. */
export function codeSpan(code: string): string {
  const text = code.replaceAll(/\s+/gu, " ");
  if (text.trim() === "") return text;
  const ticks = "`".repeat(longestRun(text) + 1);
  const lead = /^\s/u.test(text) ? " " : "";
  const trail = /\s$/u.test(text) ? " " : "";
  const inner = text.trim();
  const pad = inner.startsWith("`") || inner.endsWith("`") ? " " : "";
  return `${lead}${ticks}${pad}${inner}${pad}${ticks}${trail}`;
}

/** A block of code between fences. */
export function fencedCode(code: string, language: string): string {
  const text = code
    .replaceAll(/\r\n?/gu, "\n")
    .replaceAll(/(?<![ \t])[ \t]+$/gmu, "")
    .replace(/^\n+/u, "")
    .trimEnd();
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  if (!text.includes("`")) return 0;
  let max = 0;
  for (const [run] of text.matchAll(/`+/gu)) max = Math.max(max, run.length);
  return max;
}

/** The language of a code block, from the names that highlighters give to it, its code and its container. */
export function codeLanguage(pre: PageElement): string {
  const first = innerCode(pre);
  const around = [pre.parent, pre.parent?.parent];
  for (const element of [first, pre, ...around]) {
    if (!element) continue;
    const given = element.attribute("data-lang") ?? element.attribute("data-language");
    if (given && /^[\w+#.-]{1,20}$/u.test(given)) return given.toLowerCase();
    const language = languageIn(element.attribute("class") ?? "", element === pre || element === first);
    if (language !== "") return language;
  }
  return "";
}

function innerCode(element: PageElement, depth = 0): PageElement | undefined {
  const [first] = element.elements();
  return first === undefined || first.tag === "code" || depth > 2 ? first : innerCode(first, depth + 1);
}

function languageIn(names: string, isCode: boolean): string {
  const marked =
    /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?\s?|src|prettyprint lang)-?([\w+#.]{1,20})(?=$|[\s;])/iu.exec(
      names,
    )?.[1];
  if (marked !== undefined && !notLanguages.has(marked.toLowerCase())) {
    const language = marked.toLowerCase();
    return language === "python3" || language === "ipython3"
      ? "python"
      : language === "default" || language === "none"
        ? ""
        : language;
  }
  if (!isCode) return "";
  return (
    names
      .toLowerCase()
      .split(/\s+/u)
      .find((name) => bareLanguages.has(name)) ?? ""
  );
}

const notLanguages: ReadonlySet<string> = new Set([
  "source",
  "text",
  "block",
  "container",
  "er",
  "rouge",
  "wrapper",
  "notranslate",
]);
const bareLanguages: ReadonlySet<string> = new Set(
  "bash c cpp csharp css diff go html java javascript js json kotlin makefile perl php powershell programlisting-sql python r ruby rust scala sh shell sql swift toml ts typescript xml yaml".split(
    " ",
  ),
);
