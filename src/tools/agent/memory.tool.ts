import { z } from "zod";

import { cut, oneLine, plural } from "../../base/text/text.ts";
import { type MemoryChange, type MemoryPage, memoryTargets } from "../../contracts/knowledge/memory.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

const operation = z.object({
  action: z.enum(["add", "replace", "remove"]),
  content: z.string().optional(),
  new_text: z.string().optional().describe("The same as content"),
  old_text: z.string().optional(),
});

export default defineTool({
  name: "memory",
  toolset: "memory",
  description:
    "Save short facts for later sessions. memory: work, machines, conventions; user: who the user is, preferences. " +
    "Save corrections, preferences and hard-won facts, not task progress or facts that are easy to look up. replace and " +
    "remove select the entry by old_text, a unique part of it. operations: several changes at once, all or none.",
  emoji: "🧠",
  input: z.object({
    target: z.enum(memoryTargets),
    action: operation.shape.action.optional(),
    content: operation.shape.content,
    new_text: operation.shape.new_text,
    old_text: operation.shape.old_text,
    operations: z.array(operation).max(50).optional(),
  }),
  needs: ["memory"],
  effects: ({ action, operations }) =>
    action === undefined && !operations ? [] : [{ kind: "state", store: "memory" }],
  async preview({ target, action, content, new_text, old_text, operations = [] }) {
    const changes = action === undefined ? operations : [{ action, content, new_text, old_text }, ...operations];
    return [`${target}: ${plural(changes.length, "change")}`, ...changes.flatMap(changedLines)].join("\n");
  },
  async run({ target, action, content, new_text, old_text, operations = [] }, { memory, signal }) {
    const request = action === undefined ? operations : [{ action, content, new_text, old_text }, ...operations];
    if (request.length === 0) return shown(await memory.read(target), `Current ${target}`);
    const changes: MemoryChange[] = [];
    for (const [index, one] of request.entries()) {
      const change = changeOf(one);
      if (typeof change === "string") return fail(`operation ${index + 1}: ${change}`);
      changes.push(change);
    }
    const applied = await memory.apply(target, changes, signal);
    if (!applied.ok) {
      const { message, page } = applied.error;
      return fail(`The memory was not changed: ${message}. ${target} now: ${JSON.stringify(factsOf(page))}`);
    }
    const { page, evicted, pending } = applied.value;
    if (pending !== undefined) return shown(page, `Waiting for the user to approve it (${pending}); do not retry.`);
    const room = evicted.map((note) => `"${oneLine(note, 80)}"`).join(", ");
    return shown(
      page,
      `${plural(changes.length, "change")} made; later sessions start with it.${room && ` Memory was full: moved to the archive: ${room}.`}`,
    );
  },
});

type Operation = z.infer<typeof operation>;

/** The text that a change removes and adds, as in a diff. */
function changedLines({ new_text: newText, content = newText, old_text: oldText }: Operation): string[] {
  const lines = (sign: string, note = "") => (note === "" ? [] : cut(note, 1_000).replaceAll(/^/gmu, sign));
  return [lines("-", oldText), lines("+", content)].flat();
}

function changeOf({
  action,
  new_text: newText,
  content = newText,
  old_text: oldText,
}: Operation): MemoryChange | string {
  switch (action) {
    case "add":
      return content === undefined ? "add needs content" : { action, content };
    case "replace":
      if (content === undefined || oldText === undefined) return "replace needs old_text and content";
      return { action, oldText, content };
    case "remove":
      return oldText === undefined ? "remove needs old_text" : { action, oldText };
  }
}

function factsOf({ entries, chars, limit }: MemoryPage) {
  const used = `${Math.round((chars / limit) * 100)} %, ${chars} of ${limit} characters`;
  return { used, entries: [...entries] };
}

function shown(page: MemoryPage, message: string) {
  return json({ message, ...factsOf(page) });
}
