/** The code blocks of a guide page, in order, by language. */
export function guideBlocks(page: string): Readonly<Record<"sh" | "python" | "text" | "markdown" | "json", string[]>> {
  const blocks = { sh: [], python: [], text: [], markdown: [], json: [] } as Record<string, string[]>;
  for (const [, language = "", body = ""] of page.matchAll(/^```(\w+)\n(.*?)^```$/gmsu)) blocks[language]?.push(body);
  return blocks as ReturnType<typeof guideBlocks>;
}
