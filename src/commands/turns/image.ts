import type { SlashCommand } from "../slash-command.ts";

export const imageCommand: SlashCommand = {
  name: "image",
  args: "<path>",
  summary: "Attach an image file to your next prompt",
  where: "terminal",
  async choices(before, { run }) {
    if (before.length > 0) return [];
    const { files } = await run("references.files", {});
    return files.filter((file) => /\.(?:png|jpe?g|gif|webp)$/iu.test(file)).slice(0, maxChoices);
  },
  async run(args, { run }) {
    const path = args.replace(/^(["'])(.*)\1$/su, "$2");
    if (path === "") return { text: "Name an image file: /image PATH", failed: true };
    const { content, label } = await run("images.read", { path });
    return { text: `Attached to your next prompt: ${label}`, effect: { kind: "attach", content: [content] } };
  },
};

const maxChoices = 500;
