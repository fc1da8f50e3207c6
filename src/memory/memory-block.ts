import { oneLine } from "../base/text/text.ts";
import type { MemoryPage, MemoryTarget } from "../contracts/knowledge/memory.ts";

const titles: Readonly<Record<MemoryTarget, string>> = {
  memory: "What you remember of earlier work",
  user: "What you remember of the person",
};

/** As the system prompt shows it. Empty: there is nothing. */
export function memoryBlock(target: MemoryTarget, entries: readonly string[], { chars, limit }: MemoryPage): string {
  if (entries.length === 0) return "";
  return `# ${titles[target]} (${fill(chars, limit)})\n\n${entries.map((entry) => `- ${entry.replaceAll("\n", "\n  ")}`).join("\n")}`;
}

/** `45 %, 990 of 2,200 characters`. */
function fill(chars: number, limit: number): string {
  const count = (value: number) => value.toLocaleString("en-US");
  return `${Math.round((chars / limit) * 100)} %, ${count(chars)} of ${count(limit)} characters`;
}

/** The entries that a prompt may hold, and what is to be told of the others. */
export async function safeEntries(
  entries: readonly string[],
  judge: (text: string) => Promise<string | undefined>,
): Promise<{ readonly entries: readonly string[]; readonly notices: readonly string[] }> {
  const safe: string[] = [];
  const notices: string[] = [];
  for (const entry of entries) {
    const why = await judge(entry);
    if (why === undefined) safe.push(entry);
    else notices.push(`A note of the memory is left out of this session: ${why}. It says: "${oneLine(entry, 100)}"`);
  }
  return { entries: safe, notices };
}
