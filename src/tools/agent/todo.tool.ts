import { z } from "zod";

import { plural } from "../../base/text/text.ts";
import { type TodoItem, todoLimits, type TodoStatus, todoStatuses } from "../../contracts/session/todo.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "todo",
  toolset: "todo",
  description:
    "Keep a plan for work of three or more steps. todos replaces the list; merge: true updates items by id and adds " +
    "others; without todos, returns the list. Order is priority. Keep one item in_progress; mark it completed when done.",
  emoji: "📋",
  input: z.object({
    todos: z
      .array(
        z.object({
          id: z.string().min(1),
          content: z.string().min(1).max(todoLimits.contentChars),
          status: z.enum(todoStatuses),
        }),
      )
      .max(todoLimits.items)
      .optional(),
    merge: z.boolean().default(false),
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
