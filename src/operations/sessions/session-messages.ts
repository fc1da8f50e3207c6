import { ok } from "../../base/result.ts";
import { summaryBegin } from "../../contracts/model/context.ts";
import { shownContent, type Message } from "../../contracts/model/message.ts";
import { readOperation } from "../operation.ts";

/** A prompt or an answer of a session. */
export interface SpokenMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Tools that the model called before its answer, in order. */
  readonly tools: readonly string[];
}

/** Operations that read the messages of the live session. */
export const messageOperations = {
  messages: readOperation({
    summary: "Read the prompts and answers of this session, oldest first, without the outputs of tools",
    needs: ["session"],
    run: async (_input, { session }) => {
      const history = session.history();
      return ok({ messages: spokenMessages(history), isCompacted: history.some(isSummary) });
    },
  }),
};

/** Whether a compaction wrote this message in place of older ones. */
function isSummary(message: Message): boolean {
  return message.role === "user" && shownContent(message.content).startsWith(summaryBegin);
}

/** One answer per prompt: the texts of its messages, and the tools between them. */
function spokenMessages(history: readonly Message[]): readonly SpokenMessage[] {
  const spoken: SpokenMessage[] = [];
  for (const message of history) {
    if (message.role === "tool" || isSummary(message)) continue;
    const text = shownContent(message.content);
    if (message.role === "user") {
      spoken.push({ role: "user", text, tools: [] });
      continue;
    }
    const last = spoken.at(-1);
    const tools = message.calls.map(({ name }) => name);
    const before = last?.role === "assistant" ? last : undefined;
    const joined = [before?.text ?? "", text].filter((part) => part.trim() !== "").join("\n\n");
    const answer = { role: "assistant" as const, text: joined, tools: [...(before?.tools ?? []), ...tools] };
    if (before) spoken[spoken.length - 1] = answer;
    else spoken.push(answer);
  }
  return spoken;
}
