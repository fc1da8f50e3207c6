import type { PageLinks } from "../page-links.ts";
import { codeSpan, plainCode } from "./code-text.ts";
import type { PageElement } from "./page-element.ts";

/** Marks that are already open, so that none is nested in itself. */
interface OpenMarks {
  readonly strong?: boolean;
  readonly emphasis?: boolean;
  readonly struck?: boolean;
  readonly link?: boolean;
}

/** One or a few lines of text: white space collapsed, with Markdown marks. */
export class InlineMarkdown {
  readonly #parts: string[] = [];
  /** The last character; a line break at the start, where white space is dropped too. */
  #last = "\n";
  readonly #links: PageLinks;

  constructor(links: PageLinks) {
    this.#links = links;
  }

  /** Trimmed, without empty lines. */
  toString(): string {
    return this.#raw()
      .replaceAll(/ *\n[ \n]*/gu, "\n")
      .trim();
  }

  #raw(): string {
    return this.#parts.join("");
  }

  addText(text: string): void {
    const collapsed = visible(text).replaceAll(/[ \t\n\r\f\v]+/gu, " ");
    this.#add(collapsed);
  }

  addNode(node: PageElement | string, marks: OpenMarks = {}): void {
    if (typeof node === "string") this.addText(node);
    else if (!node.isDropped) this.#addElement(node, marks);
  }

  addChildren(element: PageElement, marks: OpenMarks = {}): void {
    for (const child of element.children) this.addNode(child, marks);
  }

  #addElement(element: PageElement, marks: OpenMarks): void {
    switch (element.tag) {
      case "br":
        this.#add("\n");
        return;
      case "wbr":
      case "rp":
        return;
      case "img":
        this.#addImage(element);
        return;
      case "math":
        this.#addMath(element);
        return;
      case "a":
        this.#addLink(element, marks);
        return;
      case "code":
      case "tt":
      case "kbd":
      case "samp":
        this.#addCode(element, marks);
        return;
      case "b":
      case "strong":
        this.#addMarked(element, marks.strong ? "" : "**", { ...marks, strong: true });
        return;
      case "i":
      case "em":
        this.#addMarked(element, marks.emphasis ? "" : "*", { ...marks, emphasis: true });
        return;
      case "s":
      case "del":
      case "strike":
        this.#addMarked(element, marks.struck ? "" : "~~", { ...marks, struck: true });
        return;
      case "q":
        this.#add("“");
        this.addChildren(element, marks);
        this.#add("”");
        return;
      case "rt":
        this.#addWrapped(element, marks, "(", ")");
        return;
      case "sup":
        this.#addSuperscript(element, marks);
        return;
      default:
        if (element.hasBlock) this.#breakLine();
        this.addChildren(element, marks);
        if (element.hasBlock) this.#breakLine();
    }
  }

  #add(text: string): void {
    const isAfterSpace = this.#last === " " || this.#last === "\n";
    const part = isAfterSpace && text.startsWith(" ") ? text.slice(1) : text;
    if (part === "") return;
    this.#parts.push(part);
    this.#last = part.at(-1) ?? "";
  }

  #breakLine(): void {
    if (this.#last !== "\n") this.#add("\n");
  }

  #inner(element: PageElement, marks: OpenMarks): string {
    const inner = new InlineMarkdown(this.#links);
    inner.addChildren(element, marks);
    return inner.#raw();
  }

  /** Marks are placed directly next to the text: white space goes outside. */
  #addOutside(inner: string, wrap: (text: string) => string): void {
    const text = inner.trim();
    if (inner !== "" && /^\s/u.test(inner)) this.#add(" ");
    if (text !== "") this.#add(wrap(text));
    if (text !== "" && /\s$/u.test(inner)) this.#add(" ");
  }

  #addMarked(element: PageElement, mark: string, marks: OpenMarks): void {
    if (mark === "") {
      this.addChildren(element, marks);
      return;
    }
    this.#addOutside(this.#inner(element, marks), (text) =>
      text
        .split("\n")
        .map((line) => (line.trim() === "" ? "" : `${mark}${line.trim()}${mark}`))
        .join("\n"),
    );
  }

  #addWrapped(element: PageElement, marks: OpenMarks, before: string, after: string): void {
    this.#addOutside(this.#inner(element, marks), (text) => before + text + after);
  }

  /** `10^6` must not become `106`. */
  #addSuperscript(element: PageElement, marks: OpenMarks): void {
    const inner = this.#inner(element, marks);
    const isPower = /^[-+\d.]+$|^[a-z]$/iu.test(inner.trim()) && /[\w)]/u.test(this.#last);
    this.#addOutside(inner, (text) => (isPower ? `^${text}` : text));
  }

  #addCode(element: PageElement, marks: OpenMarks): void {
    const [only] = element.children;
    // A link inside of code is more useful around it.
    if (element.children.length === 1 && typeof only === "object" && only.tag === "a" && !only.isDropped) {
      this.#addOutside(codeSpan(plainCode(only)), (text) => this.#linked(only, text, marks));
      return;
    }
    this.#addOutside(codeSpan(plainCode(element)), (text) => text);
  }

  #addLink(element: PageElement, marks: OpenMarks): void {
    const inner = this.#inner(element, { ...marks, link: true });
    if (isPermalink(element, inner)) return;
    this.#addOutside(inner, (text) => this.#linked(element, text, marks));
  }

  #linked(element: PageElement, text: string, marks: OpenMarks): string {
    if (marks.link) return text;
    const number = this.#links.number(element.attribute("href") ?? "");
    return number === undefined ? text : `[${text.replaceAll("\n", " ")}][${number}]`;
  }

  #addImage(element: PageElement): void {
    const alt = visible(element.attribute("alt") ?? "")
      .replaceAll(/[\s[\]]+/gu, " ")
      .trim();
    const source = imageSource(element);
    if (source === undefined) {
      const isInline = element.attribute("src") !== undefined;
      if (isInline && alt !== "") this.#add(`[IMAGE: ${alt}]`);
      return;
    }
    // A picture without a description is decoration, except in a figure.
    if (alt === "" && !isInFigure(element)) return;
    const number = this.#links.number(source);
    this.#add(number === undefined ? (alt === "" ? "" : `[IMAGE: ${alt}]`) : `![${alt}][${number}]`);
  }

  #addMath(element: PageElement): void {
    const formula = element.attribute("alttext") ?? texOf(element);
    if (formula !== undefined && formula.trim() !== "") this.#add(`$${formula.trim()}$`);
    else this.addChildren(element);
  }
}

/** Symbols next to headings that link to the heading itself. */
function isPermalink(element: PageElement, text: string): boolean {
  if (/^[\s¶#§🔗⚓↩]*$/u.test(text.replaceAll(/[\ufe0e\ufe0f]/gu, ""))) return true;
  return (
    /(?:^|\s)(?:headerlink|permalink|anchorjs-link|heading-anchor)(?:$|\s)/u.test(element.attribute("class") ?? "") &&
    text.length < 12
  );
}

function imageSource(element: PageElement): string | undefined {
  const names = ["src", "data-src", "data-original"];
  for (const name of names) {
    const value = element.attribute(name);
    if (value && !/^\s*data:/iu.test(value)) return value;
  }
  return element
    .attribute("srcset")
    ?.trim()
    .split(/[\s,]+/u, 1)[0];
}

function isInFigure(element: PageElement): boolean {
  for (let up = element.parent, steps = 0; up && steps < 4; up = up.parent, steps++)
    if (up.tag === "figure") return true;
  return false;
}

/** The source of a formula. One in another would be searched once for each around it. */
function texOf(element: PageElement): string | undefined {
  for (const child of element.elements()) {
    if (child.tag === "math") continue;
    if (child.tag === "annotation" && /tex/iu.test(child.attribute("encoding") ?? "")) return plainCode(child);
    const inner = child.tag === "annotation" ? undefined : texOf(child);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Removes control characters, and invisible characters that a model would read. */
export function visible(text: string): string {
  return invisible.test(text) ? text.replaceAll(allInvisible, "") : text;
}

const invisible =
  // oxlint-disable-next-line no-control-regex -- exactly those
  /[\0-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
const allInvisible = new RegExp(invisible.source, "gu");
