import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand } from "../../command.ts";
import { table } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["browser", "status"],
    summary: "Show which browser the tools use, without starting it",
    async run(_input, ctx) {
      const status = await ctx.run("browser.status", {});
      const exitCode = status.problem === undefined ? 0 : 1;
      return { data: status, text: table(statusRows(status), ctx.io.columns), exitCode };
    },
  },
  {
    path: ["browser", "open"],
    summary: "Open a browser window with a named profile, to log in for the agent",
    details:
      "The profile keeps cookies and logins. Agents use it with the setting browser.profile. The command ends when the window is closed.",
    args: [{ name: "profile", summary: "name of the profile; default: default", optional: true }],
    examples: ["hermes browser open work", "hermes config set browser.profile work"],
    async run(input, ctx) {
      const { profile } = await ctx.run("browser.open", { profile: input.optionalArg("profile") });
      const use = `hermes config set browser.profile ${profile}`;
      return { data: { profile }, text: `The profile ${profile} is saved. Agents use it after: ${use}` };
    },
  },
  {
    path: ["browser", "profiles"],
    summary: "List the named profiles",
    async run(_input, ctx) {
      const listed = await ctx.run("browser.profiles", {});
      const rows = listed.profiles.map((name) => [name, name === listed.current ? "used by agents" : ""]);
      const none = "There are no profiles. `hermes browser open NAME` creates one.";
      return { data: listed, text: rows.length === 0 ? none : table(rows, ctx.io.columns) };
    },
  },
  {
    path: ["browser", "install"],
    summary: "Show how to install a browser on this system; installs nothing",
    async run(_input, ctx) {
      const hint = await ctx.run("browser.install", {});
      const lines = hint.program === undefined ? [] : [`A browser is installed: ${hint.program}`, ""];
      return {
        data: hint,
        text: [...lines, `On ${hint.system}:`, ...hint.commands.map((each) => `  ${each}`)].join("\n"),
      };
    },
  },
];

function statusRows(status: OutputOf<"browser.status">): readonly (readonly string[])[] {
  const { backend, problem, program, account, connected, profile, profiles, allowsPrivate } = status;
  return [
    ["backend", backend],
    ...(problem === undefined ? [] : [["problem", problem]]),
    ["program", program ?? "none"],
    ["runs as", account ?? "you"],
    ...(connected === undefined ? [] : [["connected to", connected]]),
    ["profile", profile ?? "none: conversations start without cookies"],
    ["profiles", profiles.join(", ") || "none"],
    ["private addresses", allowsPrivate ? "allowed" : "blocked"],
  ];
}
