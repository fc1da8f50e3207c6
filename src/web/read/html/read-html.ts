import { PageLinks } from "../page-links.ts";
import type { PageText } from "../page-text.ts";
import { measurePage } from "./measure-page.ts";
import { needsScript } from "./needs-script.ts";
import { type PageElement, walk } from "./page-element.ts";
import { pageFacts } from "./page-facts.ts";
import { parseHtml } from "./parse-html.ts";
import { selectContent } from "./select-content.ts";
import { writeMarkdown } from "./write-markdown.ts";

/** An HTML page: its content as Markdown, and its metadata. */
export function readHtml(html: string, url: string): Omit<PageText, "wholeLength"> {
  const { root, styles, isCut } = parseHtml(html);
  measurePage(root, styles);
  const links = new PageLinks(url, baseOf(root));
  const facts = pageFacts(root, links);
  const isEmptyWithoutScript = needsScript(root);
  const content = selectContent(root);
  const markdown = titled(writeMarkdown(content, links), facts.title, content);
  return {
    ...facts,
    kind: "html",
    markdown,
    links: links.list,
    needsScript: isEmptyWithoutScript,
    notes: isCut ? ["The page is too large: its end is missing."] : [],
  };
}

/** An HTML fragment, as in feeds: all of it is content. */
export function htmlFragment(html: string, links: PageLinks): string {
  const { root, styles } = parseHtml(html);
  measurePage(root, styles);
  return writeMarkdown(root, links);
}

function baseOf(root: PageElement): string | undefined {
  const find = (element: PageElement, depth: number): string | undefined => {
    for (const child of element.elements()) {
      if (child.tag === "base") return child.attribute("href");
      const inner = depth < 3 && (child.tag === "html" || child.tag === "head") ? find(child, depth + 1) : undefined;
      if (inner !== undefined) return inner;
    }
    return undefined;
  };
  return find(root, 0);
}

/** The title comes first, unless the content begins with it. */
function titled(markdown: string, title: string | undefined, content: PageElement): string {
  if (title === undefined || markdown === "") return markdown;
  if (walk(content, ({ tag }) => tag === "h1")) return markdown;
  return `# ${title}\n\n${markdown}`;
}
