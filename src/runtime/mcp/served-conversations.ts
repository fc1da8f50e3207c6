import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import { createConversationEvents } from "../../mcp/serve/conversation-events.ts";
import { conversationTools, messageFacts, questionFacts } from "../../mcp/serve/conversation-tools.ts";
import { ownSessions } from "../../sessions/own-sessions.ts";
import type { Contribution } from "../contributions.ts";
import type { OpenedRuntime } from "../create-runtime.ts";

/** The tools that show the conversations of the user who runs the server. */
export function servedConversations(
  runtime: () => Promise<Pick<OpenedRuntime, "sessions" | "approvals">>,
  owner: Principal,
  clock: Clock,
): Contribution {
  const sessions = once(async () => ownSessions((await runtime()).sessions, owner));
  const pending = async () => {
    const all = await (await runtime()).approvals.pending(owner);
    return all.filter(({ principal }) => principal === owner.id);
  };
  const events = createConversationEvents({
    sessions,
    pending,
    entriesAfter: async (place, limit) => (await runtime()).sessions.entriesAfter(place, limit),
    message: messageFacts,
    question: questionFacts,
  });
  const approvals = {
    pending,
    answer: async (id: string, answer: Parameters<OpenedRuntime["approvals"]["answer"]>[1]) =>
      (await runtime()).approvals.answer(id, answer, { principal: owner, name: "an MCP client" }),
  };
  return {
    owner: "conversations for MCP clients",
    toolsets: () => [{ name: "conversations", description: "Read and follow the person's conversations", tools: [] }],
    tools: () =>
      conversationTools({ sessions, events, approvals, clock }).map((tool) => ({ tool, source: { kind: "builtin" } })),
  };
}
