import type { TodoItem } from "../contracts/session/todo.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "todo",
  aliases: ["todos"],
  summary: "Show the plan of this conversation",
  where: "everywhere",
  whileBusy: "now",
  async run(_args, { session }) {
    const todos = session.todos();
    if (todos.length === 0) return { text: "There is no plan yet." };
    return { text: todos.map(({ status, content }) => `  ${marks[status]} ${content}`).join("\n") };
  },
});

const marks: Readonly<Record<TodoItem["status"], string>> = {
  pending: "○",
  in_progress: "◐",
  completed: "●",
  cancelled: "–",
};
