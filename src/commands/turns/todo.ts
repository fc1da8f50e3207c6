import type { TodoItem } from "../../contracts/session/todo.ts";
import type { SlashCommand } from "../slash-command.ts";

export const todoCommand: SlashCommand = {
  name: "todo",
  aliases: ["todos"],
  summary: "Show the plan of this session",
  async run(_args, { run }) {
    const { todos } = await run("session.context", {});
    return {
      text: todos.map(({ status, content }) => `  ${marks[status]} ${content}`).join("\n") || "There is no plan yet.",
    };
  },
};

const marks: Readonly<Record<TodoItem["status"], string>> = {
  pending: "○",
  in_progress: "◐",
  completed: "●",
  cancelled: "–",
};
