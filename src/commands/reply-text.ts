import { plural } from "../base/text/text.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import { isAttachedPart } from "../contracts/session/attached-part.ts";
import { promptForPeople } from "../contracts/session/program-prompt.ts";

export function promptOf(text: string): readonly ContentPart[] {
  return [{ type: "text", text }];
}

/** The text of a prompt as people read it, with marks for its attachments. */
export function promptText(content: readonly ContentPart[]): string {
  const texts = content
    .filter((part) => !isAttachedPart(part))
    .map((part) => (part.type === "text" ? promptForPeople(part.text) : `[${part.type}]`));
  return texts.join(" ");
}

/** Says that queued prompts are held, and how to send or remove them. */
export function heldQueueText(count: number): string {
  return `Held: ${plural(count, "queued prompt")} (Enter on an empty line sends, /queue clear removes).`;
}

/** Words that skip a confirmation. */
export const sureWords: readonly string[] = ["now", "--yes", "-y"];

/** `12.3k`, `1.2M`, `900`. */
export function tokenCount(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(1))}M`;
  return tokens >= 10_000 ? `${Math.round(tokens / 1_000)}k` : String(Math.round(tokens));
}

export function dollars(costUsd: number | undefined): string {
  if (costUsd === undefined) return "unknown";
  return `$${costUsd !== 0 && costUsd < 0.1 ? costUsd.toFixed(4) : costUsd.toFixed(2)}`;
}

/** Formats rows of two columns. */
export function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join("\n");
}
