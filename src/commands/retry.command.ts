import { defineCommand } from "../contracts/command.ts";

export default defineCommand({
  name: "retry",
  summary: "Take back the last exchange and ask the same again",
  where: "everywhere",
  whileBusy: "refuse",
  async run(_args, { session }) {
    const undone = await session.undo(1);
    if (!undone.ok) return { text: undone.error.message, failed: true };
    return { text: "", effect: { kind: "prompt", content: undone.value.prompt } };
  },
});
