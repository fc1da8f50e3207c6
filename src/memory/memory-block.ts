import { oneLine } from "../base/text/text.ts";
import type { MemoryPage, MemoryTarget } from "../contracts/knowledge/memory.ts";

const titles: Readonly<Record<MemoryTarget, string>> = {
  memory: "Your notes on earlier work",
  user: "Your notes on the person",
};

/** The section of the system prompt. Empty when there are no entries. */
export function memoryBlock(target: MemoryTarget, entries: readonly string[], { chars, limit }: MemoryPage): string {
  if (entries.length === 0) return "";
  return `# ${titles[target]} (${fill(chars, limit)})\n\n${entries.map((entry) => `- ${entry.replaceAll("\n", "\n  ")}`).join("\n")}`;
}

/** `45 %, 990 of 2,200 characters`. */
function fill(chars: number, limit: number): string {
  const count = (value: number) => value.toLocaleString("en-US");
  return `${Math.round((chars / limit) * 100)} %, ${count(chars)} of ${count(limit)} characters`;
}

/** Entries that may enter a prompt, and a notice for each rejected one. */
export async function safeEntries(
  entries: readonly string[],
  judge: (text: string) => Promise<string | undefined>,
): Promise<{ readonly entries: readonly string[]; readonly notices: readonly string[] }> {
  const safe: string[] = [];
  const notices: string[] = [];
  for (const entry of entries) {
    const why = await judge(entry);
    if (why === undefined) safe.push(entry);
    else notices.push(`A memory note was skipped in this session: ${why}. Its text: "${oneLine(entry, 100)}"`);
  }
  return { entries: safe, notices };
}
