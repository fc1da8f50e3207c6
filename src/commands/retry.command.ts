import { oneLine } from "../base/text/text.ts";
import { promptText } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "retry",
  summary: "Take back the last exchange and ask the same again",
  where: "everywhere",
  whileBusy: "refuse",
  async run(_args, { session }) {
    if (session.history().length === 0) return { text: "Nothing was said yet.", failed: true };
    const undone = await session.undo(1);
    if (!undone.ok) return { text: undone.error.message, failed: true };
    const { prompt } = undone.value;
    return { text: `Again: ${oneLine(promptText(prompt), 200)}`, effect: { kind: "prompt", content: prompt } };
  },
});
