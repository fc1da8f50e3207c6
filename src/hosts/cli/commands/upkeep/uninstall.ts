import type { CliCommand } from "../../command.ts";
import { confirm } from "../../input.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["uninstall"],
    summary: "Remove what Hermes installed on this machine; your data stays unless you pass --full",
    details:
      "Removes commands of profiles, the link to the launcher, completion scripts, caches and versions that updates added, and names the command that removes the program itself.\n" +
      "--full also deletes the home: settings, keys, sessions, memory and skills of all profiles. Make a backup first: hermes backup.",
    options: [
      { flags: "--full", summary: "also delete the home with all data" },
      { flags: "-y, --yes", summary: "do not ask" },
    ],
    async run(input, ctx) {
      const full = input.flag("full");
      const plan = await ctx.run("uninstall.plan", { full });
      if (plan.removes.length === 0)
        return {
          data: plan,
          text: [
            "Only the program itself has to be removed.",
            plan.program,
            ...plan.stays.map((path) => `Your data stays in ${path}. \`hermes uninstall --full\` deletes it.`),
          ].join("\n"),
        };
      const lines = [
        ...plan.removes.map((path) => `  removes  ${path}`),
        ...plan.stays.map((path) => `  stays    ${path} (your data)`),
      ];
      if (!ctx.json) ctx.io.warn(`${lines.join("\n")}\n`);
      await confirm(input, ctx, full ? "Delete all of this, with all your data?" : "Remove these files?");
      const done = await ctx.run("uninstall.run", { full });
      return { data: done, text: `Removed. To remove the program itself: ${done.program}` };
    },
  },
];
