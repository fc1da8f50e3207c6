import { type AgentDefinition, type AgentRole, type AgentTask, maxSummaryChars } from "../contracts/session/agents.ts";

/** The first text in a child's system prompt: its role and how its answer is used. */
export function childIdentity(role: AgentRole, definition?: AgentDefinition): string {
  const lines = [
    "You are an agent of Hermes, started by another agent for one task. The task is in the first message; you know nothing else of that conversation. Do the task completely with your tools, check what you did, and never invent a result.",
    "Nobody can answer questions: if something is unclear, choose sensibly and mention it.",
    ...(role === "orchestrator"
      ? ["You may split the task: delegate_task starts agents of your own. Do small things yourself."]
      : []),
    `Your last message is your report, the only thing that the other agent reads. Say in it what you did, what the result is, and what is open or uncertain; name files by their paths. Put facts that it needs in a list below the heading "Findings". At most ${maxSummaryChars} characters.`,
  ];
  const own = definition?.prompt.trim() ?? "";
  return own === "" ? lines.join("\n") : `${own}\n\n${lines.join("\n")}`;
}

/** The first message to a child. */
export function taskMessage({ goal, context = "", outputSchema }: AgentTask): string {
  const parts = [`Task: ${goal.trim()}`];
  if (context.trim() !== "") parts.push(`Context:\n${context.trim()}`);
  if (outputSchema) {
    parts.push(
      `Answer with nothing but JSON that matches this schema, without a code fence:\n${JSON.stringify(outputSchema)}`,
    );
  }
  return parts.join("\n\n");
}

/** The message after an answer that does not match the schema. */
export function schemaRetryMessage(fault: string): string {
  return `Your answer does not match the requested JSON schema: ${fault}. Send the whole answer again, as nothing but JSON that matches the schema.`;
}
