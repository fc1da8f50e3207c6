import { systemClock } from "../../base/clock.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { durationText } from "../../base/text/time-text.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const kernelsCommand: SlashCommand = {
  name: "kernels",
  args: "[interrupt|kill NUMBER|LANGUAGE]",
  summary: "Show the kernels of execute_code, which keep variables between scripts; interrupt or end one",
  async run(args, ctx) {
    const [verb = "", kernel = ""] = args.split(/\s+/u).filter((word) => word !== "");
    switch (verb) {
      case "":
      case "list": {
        const { kernels } = await ctx.run("code.kernels", {});
        if (kernels.length === 0)
          return { text: "This session has no kernels. execute_code with kernel: true starts one." };
        const now = systemClock.now();
        const lines = kernels.map(({ language, isBusy, scripts, memoryBytes, usedAt, pid }, index) => {
          const facts = [
            isBusy ? "busy" : `idle for ${durationText(now - usedAt)}`,
            plural(scripts, "script"),
            `${Math.round(memoryBytes / 2 ** 20)} MB`,
            `pid ${pid}`,
          ];
          return [`${index + 1} ${language}`, facts.join(", ")] as const;
        });
        return { text: rows(lines) };
      }
      case "interrupt": {
        if (kernel === "") return { text: "Usage: /kernels interrupt NUMBER", failed: true };
        const { language } = await ctx.run("code.interruptKernel", { kernel });
        return { text: `Interrupted the ${language} kernel. Its variables stay.` };
      }
      case "kill": {
        if (kernel === "") return { text: "Usage: /kernels kill NUMBER", failed: true };
        const { language } = await ctx.run("code.killKernel", { kernel });
        return { text: `Ended the ${language} kernel. The next script with kernel: true starts another one.` };
      }
      default:
        return { text: `"${oneLine(verb, 40)}" is not one of interrupt, kill.`, failed: true };
    }
  },
};
