import { isObject, parsedJson } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import type { WebHit } from "../../contracts/web/pages.ts";
import { openService, type ServiceDeps, openedTargets } from "../services/service-access.ts";
import { xai } from "../services/service-row.ts";
import { readXaiAnswer, type XaiAnswer } from "../services/xai-answer.ts";
import { hitsOf, type SearchBackend, textIn } from "./search-backend.ts";

/** Grok searches and writes the list of results, so that it costs tokens and may be wrong: only used by name. */
export function createXaiSearch(deps: ServiceDeps, model: string): SearchBackend {
  return {
    name: "xai",
    targets: (signal) => openedTargets(xai, deps, signal),
    async search(query, limit, signal) {
      const opened = await openService(xai, deps, signal);
      if (!opened.ok) return opened;
      const json = {
        model,
        input: [{ role: "user", content: promptFor(query, limit) }],
        tools: [{ type: "web_search" }],
        store: false,
      };
      const answered = await opened.value.call({ path: "/responses", json, timeoutMs: 120_000 }, signal);
      if (!answered.ok) return answered;
      return ok({ hits: hitsIn(readXaiAnswer(answered.value)).slice(0, limit), notes: [generated] });
    },
  };
}

const generated = "A model of xAI wrote these results: check an address before you rely on it.";

function promptFor(query: string, limit: number): string {
  return [
    `Search the web for the query below and list the ${limit} best pages.`,
    'Answer with JSON alone: [{"url": "…", "title": "…", "description": "one or two sentences"}].',
    "Only pages that your search returned.",
    "",
    `Query: ${query}`,
  ].join("\n");
}

/** The list in the text, or else the sources of the answer. */
function hitsIn({ text, inline, citations }: XaiAnswer): readonly WebHit[] {
  const [list = ""] = /\[[\s\S]*\]/u.exec(text) ?? [];
  const parsed = parsedJson(list);
  const listed = hitsOf(isObject(parsed) ? [parsed] : parsed, ({ url, title, description }) => ({
    url: textIn(url),
    title: textIn(title),
    description: textIn(description),
  }));
  if (listed.length > 0) return listed;
  const titles = new Map(inline.map(({ url, title }) => [url, title]));
  return hitsOf(
    citations.map((url) => ({ url })),
    ({ url }) => ({ url: textIn(url), title: titles.get(textIn(url)) ?? "", description: "" }),
  );
}
