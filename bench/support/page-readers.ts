/** Page readers that ours is compared with: Mozilla's Readability and defuddle, both on linkedom. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { linkedomIn, type DomDocument } from "./marked-pages.ts";
import { withTitle } from "./word-overlap.ts";

/** Returns the content as Markdown, preceded by the title if the text does not start with it. */
export type ReadHtml = (html: string, url: string) => Promise<string>;

interface Content {
  readonly title?: string | null;
  readonly content?: string | null;
}

interface ReadabilityModule {
  readonly Readability: new (document: DomDocument) => { parse(): Content | null };
}
interface TurndownModule {
  readonly default: new (options: object) => { turndown(html: string): string };
}
interface DefuddleModule {
  readonly Defuddle: (document: DomDocument, url: string, options: object) => Promise<Content>;
}

export async function peerReaders(
  programs: string,
): Promise<{ readonly readability: ReadHtml; readonly defuddle: ReadHtml }> {
  const parseHtml = await linkedomIn(programs);
  const { Readability } = await load<ReadabilityModule>(programs, "@mozilla/readability/index.js");
  const { default: Turndown } = await load<TurndownModule>(programs, "turndown/lib/turndown.cjs.js");
  const { Defuddle } = await load<DefuddleModule>(programs, "defuddle/dist/node.js");
  const markdownOf = (result: Content | null): string =>
    withTitle(
      result?.title,
      new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" }).turndown(result?.content ?? ""),
    );
  return {
    readability: async (html) => markdownOf(new Readability(parseHtml(html).document).parse()),
    defuddle: async (html, url) => markdownOf(await Defuddle(parseHtml(html).document, url, {})),
  };
}

async function load<T>(programs: string, file: string): Promise<T> {
  return (await import(pathToFileURL(join(programs, file)).href)) as T;
}
