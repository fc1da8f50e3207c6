import type { EntryId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import type { SessionTree } from "../contracts/session/session-tree.ts";
import type { Entry } from "../contracts/session/session.ts";

/** A point where a branch can start. */
export interface BranchPlace {
  /** The entry after which the branch starts. Undefined: the start of the session. */
  readonly to?: EntryId;
  /** The prompt at that point. It is not part of the branch. */
  readonly prompt?: readonly ContentPart[];
}

/**
 * Resolves `from`: after the exchange with that number (`0`: before the first), or at the message with that entry id.
 * No call loses its result.
 */
export function branchPlace(from: string, entries: readonly Entry[], { exchanges }: SessionTree): Result<BranchPlace> {
  const text = from.trim();
  if (text === "0") return ok(before(exchanges[0]?.parent));
  if (/^\d+$/u.test(text)) {
    const exchange = exchanges[Number(text) - 1];
    if (exchange) return ok({ to: exchange.end });
    return err({ message: `there is no exchange ${text}; /tree shows their numbers` });
  }
  const index = entries.findIndex(({ id }) => id === text);
  const entry = entries[index];
  if (!entry) return err({ message: `there is no exchange or entry "${text}"; /tree shows the numbers` });
  const prompt = exchanges.find(({ entry: first }) => first === entry.id);
  switch (entry.type) {
    case "message":
      if (entry.message.role === "user" && prompt)
        return ok({ ...before(entry.parent), prompt: entry.message.content });
      return ok({ to: withResults(entry, entries.slice(index + 1)) });
    case "settled":
    case "compacted":
    case "checkpointed":
      return ok({ to: entry.id });
    default:
      return err({ message: `${text} is not a message` });
  }
}

function before(parent: EntryId | undefined): BranchPlace {
  return parent === undefined ? {} : { to: parent };
}

/** Returns the last result of the calls of a message, on the first path. */
function withResults(entry: Entry & { readonly type: "message" }, later: readonly Entry[]): EntryId {
  const { message } = entry;
  const open = new Set(message.role === "assistant" ? message.calls.map(({ id }) => id) : []);
  let end = entry.id;
  let to = entry.id;
  for (const next of later) {
    if (open.size === 0) break;
    if (next.parent !== end) continue;
    if (next.type === "message" || next.type === "head_moved") break;
    end = next.id;
    if (next.type === "settled" && open.delete(next.callId)) to = next.id;
  }
  return to;
}
