import { Parser } from "htmlparser2";

import { err, ok } from "../../base/result.ts";
import type { PageReading } from "./page-reading.ts";

/** Text without structure: until the reader of pages is there. */
export const plainReading: PageReading = {
  async read({ bytes, contentType = "" }) {
    const text = new TextDecoder().decode(bytes);
    if (/^(?:image|audio|video|font)\/|octet-stream|zip|pdf/iu.test(contentType) || text.includes("\u0000"))
      return err({ message: `The address has no text but a binary file (${contentType}).` });
    return ok({
      ...(/html/iu.test(contentType) ? plainText(text) : { markdown: text }),
      needsScript: false,
      notes: [],
    });
  },
  async passages(markdown) {
    return ok({ markdown, needsScript: false, notes: [] });
  },
};

function plainText(html: string): { readonly title: string; readonly markdown: string } {
  let [title, markdown, hidden, inTitle] = ["", "", 0, false];
  const parser = new Parser({
    onopentagname(name) {
      if (/^(?:script|style|noscript|template|svg|nav)$/u.test(name)) hidden++;
      if (name === "title") inTitle = true;
      const [, level] = /^h([1-6])$/u.exec(name) ?? [];
      if (level !== undefined) markdown += `\n\n${"#".repeat(Number(level))} `;
      else if (/^(?:p|div|li|tr|pre|br|section|article|table|ul|ol|blockquote)$/u.test(name)) markdown += "\n";
    },
    ontext(text) {
      if (inTitle) title += text;
      else if (hidden === 0) markdown += text;
    },
    onclosetag(name) {
      if (/^(?:script|style|noscript|template|svg|nav)$/u.test(name)) hidden--;
      if (name === "title") inTitle = false;
    },
  });
  parser.end(html);
  return {
    title: title.trim(),
    markdown: markdown
      .replaceAll(/[ \t]+/gu, " ")
      .replaceAll(/\s*\n\s*\n\s*/gu, "\n\n")
      .trim(),
  };
}
