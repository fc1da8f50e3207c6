/** The initial text of a new agent file, for its author to change. */
export function agentTemplate(name: string, description: string): string {
  return `---
name: ${name}
description: ${description}
# Tools or toolsets; without the line, all tools of the agent that starts it.
tools: read_file, search_files
# readonly: it changes nothing. manual: dangerous calls need approval. Without the line: as its parent.
permissions: readonly
# model: provider/model
---

You are a specialist for one kind of task. (Replace this text: it is the prompt of the agent.)

How to work:

1. Read the task and look at the places that it names.
2. Check each result before you report it.

Report:

- First the result, in one to three sentences.
- Then the evidence, with \`path:line\`.
- Then what is open or uncertain.
`;
}
