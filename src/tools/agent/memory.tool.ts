import { z } from "zod";

import { isObject } from "../../base/json.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { type MemoryChange, type MemoryPage, memoryTargets } from "../../contracts/knowledge/memory.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

const fields = {
  action: z.enum(["add", "replace", "remove"]),
  content: z.string().optional(),
  old_text: z.string().optional(),
};
const operation = z.preprocess(withContent, z.object(fields));

export default defineTool({
  name: "memory",
  toolset: "memory",
  description:
    "Save short facts for later sessions. memory: work, machines, conventions; user: who the user is, preferences. " +
    "Save corrections, preferences and hard-won facts, not task progress or facts that are easy to look up. replace and " +
    "remove select the entry by old_text, a unique part of it. operations: several changes at once, all or none.",
  emoji: "🧠",
  input: z.preprocess(
    withContent,
    z.object({
      target: z.enum(memoryTargets),
      ...fields,
      action: fields.action.optional(),
      operations: z.array(operation).max(50).optional(),
    }),
  ),
  needs: ["memory"],
  effects: ({ action, operations }) =>
    action === undefined && !operations ? [] : [{ kind: "state", store: "memory" }],
  async run({ target, action, content, old_text, operations = [] }, { memory, signal }) {
    const request = action === undefined ? operations : [{ action, content, old_text }, ...operations];
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

/** Models also call the new text `new_text`, beside `old_text`. */
function withContent(given: unknown): unknown {
  return isObject(given) && given["content"] === undefined && given["new_text"] !== undefined
    ? { ...given, content: given["new_text"] }
    : given;
}

type Operation = z.infer<typeof operation>;

function changeOf({ action, content, old_text: oldText }: Operation): MemoryChange | string {
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
