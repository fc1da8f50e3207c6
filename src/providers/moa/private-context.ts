import { cut, oneLine } from "../../base/text/text.ts";
import type { UserMessage } from "../../contracts/model/message.ts";
import type { Consulted } from "../../contracts/model/model.ts";

/** What the references said, for the aggregator alone: the end of one request, and never part of the conversation. */
export function privateContext(heard: readonly Consulted[], maxChars: number): UserMessage {
  const each = Math.floor(maxChars / Math.max(1, heard.length));
  const text = [heading, ...heard.map((one) => block(one, each))].join("\n\n");
  return { role: "user", content: [{ type: "text", text }] };
}

function block({ provider, model, text, error }: Consulted, maxChars: number): string {
  const by = `${provider}/${model}`.replaceAll(/["<>\s]/gu, "");
  if (text === undefined)
    return `<reference model="${by}">did not answer: ${plain(oneLine(error?.message ?? "", 300))}</reference>`;
  const said = text.length > maxChars ? `${cut(text, maxChars)}\n[… cut off]` : text;
  return `<reference model="${by}">\n${plain(said)}\n</reference>`;
}

/** A reference cannot end its block and speak as somebody else. */
function plain(text: string): string {
  return text.replaceAll(/<(?=\/?\s*reference)/giu, "‹");
}

const heading =
  "[Private context, not written by the user: what other models say to this conversation. They see what was said and no tools, no results and no files, and may be wrong. Use what holds, check what you can, and answer in your own words without mentioning them.]";
