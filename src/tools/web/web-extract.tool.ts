import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "web_extract",
  toolset: "web",
  description:
    "Read web pages as Markdown: articles, documentation, code, PDF, Office, feeds, JSON. Up to 5 URLs at once. With a question, " +
    "returns only the passages that answer it. A long page is shortened; its whole text is saved to a file that the result names.",
  emoji: "📄",
  input: z.object({
    urls: z.array(z.string().min(1).max(8_000)).min(1).max(5),
    char_limit: z.int().min(2_000).max(500_000).optional().describe("Characters of one page; default 15000"),
    question: z.string().max(2_000).optional().describe("Return only what answers it"),
  }),
  needs: ["pages"],
  traits: { readOnly: true, parallel: true, callers: "both", untrusted: true, timeoutMs: 300_000 },
  effects: ({ urls }) => urls.map((url) => ({ kind: "network", url: url.trim() })),
  async run({ urls, char_limit: charLimit, question }, { pages, userTask, origin, signal }) {
    const reports = await pages.extract(
      {
        urls,
        ...(charLimit !== undefined && { charLimit }),
        ...(question !== undefined && { question }),
        ...(userTask !== undefined && { personText: userTask }),
        isByPerson: origin === "user",
      },
      signal,
    );
    const results = reports.map(({ url, title, content, error }) => ({ url, title, content, error: error ?? null }));
    if (!reports.every(({ error }) => error !== undefined)) return json({ results });
    const message = reports
      .map(({ url, error = "" }) => (error.startsWith(url) ? error : `${url}: ${error}`))
      .join("\n");
    return fail(message, signal.aborted ? "aborted" : "failed", { data: { results } });
  },
});
