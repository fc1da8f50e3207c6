import { z } from "zod";

import { plural } from "../../base/text.ts";
import { defineTool } from "../../contracts/define-tool.ts";
import { type TodoItem, todoLimits, type TodoStatus, todoStatuses } from "../../contracts/todo.ts";
import { fail, json } from "../../contracts/tool.ts";

export default defineTool({
  name: "todo",
  toolset: "todo",
  description:
    "Keep the plan of this conversation. Use it for work of three or more steps, or when the user gives several tasks. " +
    "Call it without todos to read the list. With todos it replaces the list, or with merge: true changes the items of " +
    "the same id and adds the others. The order is the priority. Have one item in_progress at a time, and mark an item " +
    "completed as soon as it is done. Every call returns the whole list.",
  emoji: "📋",
  input: z.object({
    todos: z
      .array(
        z.object({
          id: z.string().min(1).describe("Any id, unique in the list"),
          content: z.string().min(1).max(todoLimits.contentChars).describe("What is to be done"),
          status: z.enum(todoStatuses).describe("How far it is"),
        }),
      )
      .max(todoLimits.items)
      .optional()
      .describe("Items to write; leave out to read"),
    merge: z.boolean().default(false).describe("Change and add items instead of replacing the list"),
  }),
  needs: ["todos"],
  effects: () => [],
  async run({ todos, merge }, { todos: list }) {
    if (!todos) return shown(list.read());
    if (!merge) return shown(list.replace(todos));
    const ids = new Set([...list.read(), ...todos].map(({ id }) => id));
    if (ids.size > todoLimits.items) {
      return fail(
        `The list would have ${plural(ids.size, "item")}; at most ${todoLimits.items} fit. ` +
          "Replace it with the items that still matter.",
      );
    }
    return shown(list.merge(todos));
  },
});

function shown(items: readonly TodoItem[]) {
  const count = (status: TodoStatus) => items.filter((item) => item.status === status).length;
  return json({
    todos: items.map(({ id, content, status }) => ({ id, content, status })),
    summary: {
      total: items.length,
      pending: count("pending"),
      in_progress: count("in_progress"),
      completed: count("completed"),
      cancelled: count("cancelled"),
    },
  });
}
