import { Parser } from "htmlparser2";

import type { WebHit } from "../../contracts/web/pages.ts";

export interface ResultPage {
  readonly hits: readonly WebHit[];
  /** True if the page asks the visitor to prove that they are human. */
  readonly isRefusal: boolean;
}

/** The results on DuckDuckGo's HTML page, without advertisements. */
export function parseResults(html: string): ResultPage {
  const hits: { url: string; title: string; description: string }[] = [];
  let current: { url: string; title: string; description: string } | undefined;
  let part: "title" | "description" | undefined;
  /** Open elements since the part began. */
  let depth = 0;
  let isRefusal = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      const classes = (attributes["class"] ?? "").split(/\s+/u);
      if (classes.some((each) => each.startsWith("anomaly-modal")) || attributes["id"] === "challenge-form")
        isRefusal = true;
      if (part !== undefined) {
        depth++;
        return;
      }
      if (name === "a" && classes.includes("result__a")) {
        const url = targetOf(attributes["href"] ?? "");
        current = url === undefined ? undefined : { url, title: "", description: "" };
        if (current) hits.push(current);
        [part, depth] = ["title", 0];
      } else if (classes.includes("result__snippet")) [part, depth] = ["description", 0];
    },
    ontext(text) {
      if (current && part !== undefined) current[part] += text;
    },
    onclosetag() {
      if (part === undefined) return;
      if (depth === 0) part = undefined;
      else depth--;
    },
  });
  parser.end(html);
  const tidy = (text: string) => text.replaceAll(/\s+/gu, " ").trim();
  return {
    hits: hits.map(({ url, title, description }) => ({ url, title: tidy(title), description: tidy(description) })),
    isRefusal: isRefusal && hits.length === 0,
  };
}

/**
 * The target of a link, which usually goes through a click counter. Undefined for an advertisement or another kind of
 * address.
 */
function targetOf(href: string): string | undefined {
  const link = URL.parse(href, "https://duckduckgo.com/");
  if (!link || link.pathname.endsWith("/y.js")) return undefined;
  const isCounter = /(?:^|\.)duckduckgo\.com$/u.test(link.hostname) && link.pathname.startsWith("/l/");
  const target = isCounter ? URL.parse(link.searchParams.get("uddg") ?? "") : link;
  if (!target || !/^https?:$/u.test(target.protocol)) return undefined;
  const isAdvertisement = /(?:^|\.)duckduckgo\.com$/u.test(target.hostname) && target.pathname.endsWith("/y.js");
  return isAdvertisement ? undefined : target.href;
}
