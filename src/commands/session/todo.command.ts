import type { TodoItem } from "../../contracts/session/todo.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "todo",
  aliases: ["todos"],
  summary: "Show the plan of this session",
  where: "everywhere",
  whileBusy: "now",
  async run(_args, { run }) {
    const { todos } = await run("session.context", {});
    return {
      text: todos.map(({ status, content }) => `  ${marks[status]} ${content}`).join("\n") || "There is no plan yet.",
    };
  },
});

const marks: Readonly<Record<TodoItem["status"], string>> = {
  pending: "○",
  in_progress: "◐",
  completed: "●",
  cancelled: "–",
};
