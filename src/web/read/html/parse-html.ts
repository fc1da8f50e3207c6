import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

import { PageElement } from "./page-element.ts";
import {
  blockTags,
  cellTags,
  headTags,
  headingTags,
  specialTags,
  tableSections,
  tagsThatEndParagraphs,
  tagsThatLeaveSvg,
  voidTags,
} from "./tags.ts";

export interface ParsedPage {
  readonly root: PageElement;
  readonly styles: readonly PageElement[];
  /** True if the page has more elements than the limit; the rest is missing. */
  readonly isCut: boolean;
}

export interface ParseOptions {
  /** True if names and nesting are used as written, without implied elements. */
  readonly isXml?: boolean;
  readonly maxElements?: number;
}

/** Text of a page as a tree, in one pass and in linear time for any input. */
export function parseHtml(
  text: string,
  { isXml = false, maxElements = defaultMaxElements }: ParseOptions = {},
): ParsedPage {
  const builder = new TreeBuilder(text, isXml, maxElements);
  const tokenizer = new Tokenizer({ xmlMode: isXml, decodeEntities: true }, builder);
  builder.stop = () => tokenizer.pause();
  tokenizer.write(text);
  tokenizer.end();
  return { root: builder.root, styles: builder.styles, isCut: builder.isCut };
}

class TreeBuilder implements TokenizerCallbacks {
  readonly root = new PageElement("#root", undefined);
  readonly styles: PageElement[] = [];
  isCut = false;
  stop = (): void => {};
  readonly #source: string;
  readonly #isXml: boolean;
  readonly #maxElements: number;
  readonly #open: PageElement[] = [this.root];
  /** The number of open elements by name, so that a stray end tag costs nothing. */
  readonly #openCounts = new Map<string, number>();
  #current = this.root;
  #elements = 0;
  /** Elements beyond the depth limit; their text goes to the deepest one. */
  #tooDeep = 0;
  /** The tag between its name and its end. */
  #tag = "";
  #attributes: string[] = [];
  #name = "";
  #value = "";
  /** Open `svg` elements: nothing in them is text. */
  #svg = 0;
  #foreignObjects = 0;
  #hasBody = false;
  #pre = 0;

  constructor(source: string, isXml: boolean, maxElements: number) {
    this.#source = source;
    this.#isXml = isXml;
    this.#maxElements = maxElements;
  }

  isInForeignContext(): boolean {
    return this.#svg > 0;
  }

  ontext(start: number, end: number): void {
    if (this.#svg > 0) return;
    const text = this.#source.slice(start, end);
    if (this.#pre === 0 && !this.#isXml && end - start < maxBlank && !/\S/u.test(text)) this.#append(" ");
    else this.#append(text);
  }

  ontextentity(point: number): void {
    if (this.#svg === 0) this.#append(String.fromCodePoint(point));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.#isXml) this.#append(this.#source.slice(start, end - endOffset));
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  onopentagname(start: number, end: number): void {
    const name = this.#source.slice(start, Math.min(end, start + maxNameChars)).toLowerCase();
    this.#tag = name === "image" ? "img" : name;
    this.#attributes = [];
  }

  onattribname(start: number, end: number): void {
    this.#name = this.#source.slice(start, Math.min(end, start + maxNameChars)).toLowerCase();
    this.#value = "";
  }

  onattribdata(start: number, end: number): void {
    const room = maxValueChars - this.#value.length;
    if (room > 0) this.#value += this.#source.slice(start, Math.min(end, start + room));
  }

  onattribentity(point: number): void {
    if (this.#value.length < maxValueChars) this.#value += String.fromCodePoint(point);
  }

  onattribend(): void {
    if (this.#attributes.length >= 2 * maxAttributes || !(this.#isXml || keptAttributes.has(this.#name))) return;
    // An inline image is longer than everything else, and only its presence matters.
    const value = /^\s*data:/iu.test(this.#value) ? this.#value.trim().slice(0, 32) : this.#value;
    this.#attributes.push(this.#name, value);
  }

  onopentagend(): void {
    this.#openTag(false);
  }

  onselfclosingtag(): void {
    this.#openTag(this.#isXml || this.#svg > 0);
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#source.slice(start, Math.min(end, start + maxNameChars)).toLowerCase();
    if (this.#svg > 0) {
      if (tag === "svg") this.#svg--;
      else if (tag === "foreignobject" && this.#foreignObjects > 0) this.#foreignObjects--;
      return;
    }
    if (this.#isXml) this.#closeNearest(tag, noTags);
    else if (tag === "br") this.#add("br");
    else if (tag === "body" || tag === "html") return;
    else if (this.#tooDeep > 0 && !voidTags.has(tag)) this.#tooDeep--;
    else this.#closeNearest(tag, boundariesOf(tag));
  }

  #openTag(isClosed: boolean): void {
    const tag = this.#tag;
    if (this.#svg > 0) {
      if (tag === "svg" && !isClosed) this.#svg++;
      else if (tag === "foreignobject" && !isClosed) this.#foreignObjects++;
      else if (this.#foreignObjects === 0 && tagsThatLeaveSvg.has(tag)) this.#svg = 0;
      if (this.#svg > 0) return;
    }
    if (!this.#isXml && !this.#prepare(tag)) return;
    const element = this.#add(tag, this.#attributes);
    if (!element || isClosed || (!this.#isXml && voidTags.has(tag))) return;
    if (tag === "svg" && !this.#isXml) {
      this.#svg = 1;
      this.#foreignObjects = 0;
    } else if (this.#open.length < maxDepth) this.#push(element);
    else this.#tooDeep++;
  }

  /** Closes the elements that the tag ends. Returns false if the tag adds no element. */
  #prepare(tag: string): boolean {
    if (tag === "html") return !this.#openCounts.get("html");
    if (tag === "body") {
      if (this.#hasBody) return false;
      this.#hasBody = true;
      this.#closeNearest("head", noTags);
      return true;
    }
    if (this.#current.tag === "head" && !headTags.has(tag)) this.#pop();
    if (tagsThatEndParagraphs.has(tag)) this.#closeNearest("p", paragraphScope);
    if (headingTags.has(tag)) {
      if (headingTags.has(this.#current.tag)) this.#pop();
    } else if (tag === "li") this.#closeNearest("li", listScope);
    else if (tag === "dt" || tag === "dd") {
      this.#closeNearest("dt", definitionScope);
      this.#closeNearest("dd", definitionScope);
    } else if (tag === "tr") this.#closeNearest("tr", tableScope);
    else if (cellTags.has(tag)) {
      this.#closeNearest("td", rowScope);
      this.#closeNearest("th", rowScope);
    } else if (tableSections.has(tag)) for (const section of tableSections) this.#closeNearest(section, tableScope);
    else if (tag === "option") this.#closeNearest("option", selectScope);
    else if (tag === "a") this.#closeNearest("a", specialTags);
    return true;
  }

  #add(tag: string, attributes: readonly string[] = []): PageElement | undefined {
    if (this.#elements >= this.#maxElements) {
      this.isCut = true;
      this.stop();
      return undefined;
    }
    this.#elements++;
    const element = new PageElement(tag, this.#current);
    if (attributes.length > 0) element.attributes.push(...attributes);
    this.#current.children.push(element);
    if (tag === "style") this.styles.push(element);
    return element;
  }

  #append(text: string): void {
    const { children } = this.#current;
    const last = children.at(-1);
    // An entity or a stray tag divides a text.
    if (typeof last === "string") {
      if (text !== " " || !last.endsWith(" ")) children[children.length - 1] = last + text;
    } else children.push(text);
  }

  #push(element: PageElement): void {
    this.#open.push(element);
    this.#current = element;
    this.#openCounts.set(element.tag, (this.#openCounts.get(element.tag) ?? 0) + 1);
    if (element.tag === "pre" || element.tag === "xmp" || element.tag === "textarea") this.#pre++;
  }

  #pop(): void {
    if (this.#open.length === 1) return;
    const element = this.#open.pop();
    if (!element) return;
    this.#openCounts.set(element.tag, (this.#openCounts.get(element.tag) ?? 1) - 1);
    if (element.tag === "pre" || element.tag === "xmp" || element.tag === "textarea") this.#pre--;
    this.#current = this.#open.at(-1) ?? this.root;
  }

  /** Closes the innermost open element of this name and all in it, unless a boundary lies between. */
  #closeNearest(tag: string, boundaries: ReadonlySet<string>): void {
    if (!this.#openCounts.get(tag)) return;
    for (let index = this.#open.length - 1; index > 0; index--) {
      const name = this.#open[index]?.tag ?? "";
      if (name === tag) {
        while (this.#open.length > index) this.#pop();
        return;
      }
      if (boundaries.has(name)) return;
    }
  }
}

/** Elements over which the end tag of this name does not reach. */
function boundariesOf(tag: string): ReadonlySet<string> {
  if (tag === "table") return noTags;
  if (cellTags.has(tag) || tag === "tr" || tableSections.has(tag) || tag === "caption") return tableScope;
  if (tag === "li") return listScope;
  return blockTags.has(tag) || tag === "button" ? cellScope : specialTags;
}

const noTags: ReadonlySet<string> = new Set();
const cellScope: ReadonlySet<string> = new Set(["table", "td", "th", "caption", "template", "object"]);
const tableScope: ReadonlySet<string> = new Set(["table", "template"]);
const rowScope: ReadonlySet<string> = new Set(["table", "tr", "template"]);
const listScope: ReadonlySet<string> = new Set([...cellScope, "ul", "ol", "menu", "dir"]);
const definitionScope: ReadonlySet<string> = new Set([...cellScope, "dl"]);
const selectScope: ReadonlySet<string> = new Set(["select", "datalist"]);
const paragraphScope: ReadonlySet<string> = new Set([...cellScope, "button"]);

/** The attributes that a reader uses. */
const keptAttributes: ReadonlySet<string> = new Set(
  "alt alttext aria-hidden aria-label cite class colspan content data-lang data-language data-original data-src datetime encoding hidden href http-equiv id itemprop lang name property rel role rowspan shadowrootmode src srcset start style title type xml:lang".split(
    " ",
  ),
);
/** The same limit as in browsers. */
const maxDepth = 512;
const defaultMaxElements = 500_000;
const maxAttributes = 24;
const maxNameChars = 80;
const maxValueChars = 8192;
const maxBlank = 400;
