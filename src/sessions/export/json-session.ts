import type { ReadableSession } from "./readable-session.ts";

/** Exports a session as one JSON document for other programs: its facts, branches and exchanges. */
export function jsonSession({ record, tree, exchanges, tokens, costUsd }: ReadableSession): object {
  const { id, title, source, cwd, createdAt, changedAt } = record;
  return {
    session: { id, title, source, cwd, createdAt, changedAt, tokens, costUsd },
    branches: tree.branches,
    exchanges: exchanges.map(({ number, after, parts }) => ({
      number,
      after,
      parts: parts.map((part) => {
        if (part.kind === "asked") return { role: "user", content: part.content, at: part.at };
        if (part.kind === "answered")
          return { role: "assistant", content: part.content, reasoning: part.reasoning || undefined, at: part.at };
        if (part.kind === "call") return { role: "tool", tool: part.tool, args: part.args, ...part.result };
        return { role: "note", ...part };
      }),
    })),
  };
}
