import type { SlashCommand } from "../slash-command.ts";

export const browserCommand: SlashCommand = {
  name: "browser",
  args: "[connect [URL]|disconnect|status]",
  maxWords: 2,
  summary: "Connect the browser tools to a running browser, or show what they use",
  async run(args, ctx) {
    const [verb = "status", url] = args.split(/\s+/u).filter((word) => word !== "");
    if (verb === "connect") {
      const { description } = await ctx.run("browser.connect", { url });
      return {
        text: `Connected to ${description}. New pages open there, with its logins. Only navigations are checked there, not other requests of its pages.`,
      };
    }
    if (verb === "disconnect") {
      const { wasConnected } = await ctx.run("browser.disconnect", {});
      return {
        text: wasConnected ? "Disconnected. New pages open in the browser of the settings." : "Nothing is connected.",
      };
    }
    if (verb !== "status") return { text: "Usage: /browser connect [URL] | disconnect | status" };
    const { problem, program, connected, profile, backend } = await ctx.run("browser.status", {});
    const place = connected === undefined ? (program ?? "no program found") : `the browser at ${connected}`;
    const lines = [`Browser: ${place} (backend ${backend}${profile === undefined ? "" : `, profile ${profile}`})`];
    return { text: [...lines, ...(problem === undefined ? [] : [problem])].join("\n") };
  },
};
