import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { type AssistantMessage, type Message, type ToolMessage, shownContent } from "../../contracts/model/message.ts";
import type { SandboxToolCall } from "../../contracts/session/nested-calls.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";

/** One conversation as training data: ShareGPT roles, calls and results in tags. */
export interface Trajectory {
  readonly conversations: readonly { readonly from: "system" | "human" | "gpt" | "tool"; readonly value: string }[];
  /** ISO 8601. */
  readonly timestamp: string;
  readonly model: string;
  /** True if the last turn has an answer. */
  readonly completed: boolean;
  /** The calls that scripts made and that the model did not see. */
  readonly sandbox_tool_calls?: readonly SandboxToolCall[];
}

export interface TrajectoryFacts {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly model: string;
  readonly completed: boolean;
  readonly nested?: readonly SandboxToolCall[];
  readonly at: number;
}

export function trajectoryOf(facts: TrajectoryFacts): Trajectory {
  const { messages, tools, model, completed, nested = [], at: savedAt } = facts;
  const turns: { from: Trajectory["conversations"][number]["from"]; value: string }[] = [
    { from: "system", value: systemText(tools) },
  ];
  for (const message of messages) {
    const last = turns.at(-1);
    switch (message.role) {
      case "user":
        turns.push({ from: "human", value: shownContent(message.content) });
        break;
      case "assistant":
        turns.push({ from: "gpt", value: answerText(message) });
        break;
      case "tool":
        // The results of one answer form one turn.
        if (last?.from === "tool") last.value += `\n${resultText(message)}`;
        else turns.push({ from: "tool", value: resultText(message) });
    }
  }
  return {
    conversations: turns,
    timestamp: new Date(savedAt).toISOString(),
    model,
    completed,
    ...(nested.length > 0 && { sandbox_tool_calls: nested }),
  };
}

function systemText(tools: readonly ToolDefinition[]): string {
  const signatures = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parameters: inputSchema,
  }));
  return (
    `You may call the functions in <tools></tools>.\n<tools>\n${JSON.stringify(signatures)}\n</tools>\n` +
    "Think between <think></think> first. Write each call as one JSON object with name and arguments:\n" +
    '<tool_call>\n{"name": "NAME", "arguments": {}}\n</tool_call>\n' +
    "Results come back between <tool_response></tool_response>."
  );
}

/** Every answer contains a thinking block, even if it is empty. */
function answerText({ reasoning = "", content, calls }: AssistantMessage): string {
  const thoughts = reasoning.trim() === "" ? "<think>\n</think>" : `<think>\n${reasoning.trim()}\n</think>`;
  const callTexts = calls.map(
    ({ name, args }) => `<tool_call>\n${JSON.stringify({ name, arguments: argsOf(args) })}\n</tool_call>`,
  );
  return [thoughts, shownContent(content), ...callTexts].filter((part) => part !== "").join("\n");
}

function resultText({ callId, name, content }: ToolMessage): string {
  const text = shownContent(content);
  const result = { tool_call_id: callId, name, content: /^\s*[[{]/u.test(text) ? parsedOr(text) : text };
  return `<tool_response>\n${JSON.stringify(result)}\n</tool_response>`;
}

function argsOf(args: string | JsonObject): JsonValue {
  if (typeof args !== "string") return args;
  const parsed = parseJson(args, limits);
  return parsed.ok && isObject(parsed.value) ? parsed.value : { raw: args };
}

function parsedOr(text: string): JsonValue {
  const parsed = parseJson(text, limits);
  return parsed.ok ? parsed.value : text;
}

const limits = { maxChars: 5_000_000, maxDepth: 100 };
