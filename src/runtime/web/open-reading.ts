import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { documentText } from "../../tools/files/documents/document-text.ts";
import type { PageReading } from "../../web/extract/page-reading.ts";
import { linkReferences } from "../../web/read/page-links.ts";
import { createPageReader } from "../../web/read/page-reader.ts";
import type { PageText } from "../../web/read/page-text.ts";

/** Our own reader, with the converter of documents that `read_file` uses. */
export function openReading(clock: Clock): PageReading & AsyncDisposable {
  const reader = createPageReader({
    clock,
    async readDocument(bytes, signal) {
      const document = await documentText(bytes, { signal, clock });
      if (document.ok) return document;
      const { what, why } = document.error;
      return err({ message: `It is ${what}, and ${why}.` });
    },
  });
  return {
    read: async (source, options) => readText(await reader.read(source, options)),
    async passages(markdown, options) {
      const page: PageText = {
        kind: "markdown",
        markdown,
        links: [],
        needsScript: false,
        notes: [],
        wholeLength: markdown.length,
      };
      return readText(await reader.ask(page, options));
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

function readText(page: Result<PageText>): Awaited<ReturnType<PageReading["read"]>> {
  if (!page.ok) return page;
  const { title, markdown, links, needsScript, notes } = page.value;
  return ok({
    ...(title !== undefined && { title }),
    markdown,
    needsScript,
    notes,
    references: (part) => linkReferences(part, links),
  });
}
