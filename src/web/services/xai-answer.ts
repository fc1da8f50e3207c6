import { isObject } from "../../base/json.ts";

/** The text and the sources of an answer of xAI's Responses API. */
export interface XaiAnswer {
  readonly text: string;
  /** URLs on which the whole answer is based. */
  readonly citations: readonly string[];
  readonly inline: readonly XaiCitation[];
}

interface XaiCitation {
  readonly url: string;
  readonly title: string;
  readonly startIndex?: number;
  readonly endIndex?: number;
}

export function readXaiAnswer(body: unknown): XaiAnswer {
  const answer = isObject(body) ? body : {};
  const parts = listOf(answer["output"]).flatMap((item) =>
    isObject(item) && item["type"] === "message" ? listOf(item["content"]) : [],
  );
  const texts = parts.flatMap((part) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : []));
  const inline = parts.flatMap((part) => (isObject(part) ? listOf(part["annotations"]).flatMap(citationIn) : []));
  const cited = listOf(answer["citations"]).flatMap((each) => {
    const url = isObject(each) ? each["url"] : each;
    return typeof url === "string" ? [url] : [];
  });
  return {
    text:
      texts.length > 0
        ? texts.join("\n").trim()
        : typeof answer["output_text"] === "string"
          ? answer["output_text"]
          : "",
    citations: [...new Set([...cited, ...inline.map(({ url }) => url)])],
    inline,
  };
}

function citationIn(value: unknown): readonly XaiCitation[] {
  if (!isObject(value) || value["type"] !== "url_citation" || typeof value["url"] !== "string") return [];
  const { url, title, start_index: start, end_index: end } = value;
  return [
    {
      url,
      title: typeof title === "string" ? title : "",
      ...(typeof start === "number" && { startIndex: start }),
      ...(typeof end === "number" && { endIndex: end }),
    },
  ];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
