import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "title",
  args: "[text]",
  summary: "Show or change what this session is called",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { session }) {
    if (args === "") {
      const { title } = await session.record();
      return { text: title === undefined ? "It has no title yet: /title TEXT" : title };
    }
    const titled = await session.setTitle(args);
    if (!titled.ok) return { text: titled.error.message, failed: true };
    return { text: `This session is called "${titled.value}" now.` };
  },
});
