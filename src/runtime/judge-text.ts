import { oneLine } from "../base/text.ts";

/** Rules for the model that come from a file: why they may not reach it. The scanner is loaded by the first text. */
export async function judgeText(text: string): Promise<string | undefined> {
  const { scanText } = await import("../safety/injection/scan-text.ts");
  const { verdict, findings } = scanText(text, "context");
  if (verdict === "allow") return undefined;
  const [first] = findings;
  const quote = first ? ` (${first.rule}: "${oneLine(first.quote, 80)}")` : "";
  return `it looks like an attempt to take over the model${quote}`;
}
