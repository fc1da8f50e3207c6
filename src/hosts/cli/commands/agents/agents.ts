import { firstSentence, oneLine, plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { table } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";

const name = { name: "name", summary: "the agent" };

export const commands: readonly CliCommand[] = [
  {
    path: ["agents", "list"],
    summary: "List the agents: yours, those of the trusted project, and the bundled ones",
    run: list,
  },
  {
    path: ["agents", "show"],
    summary: "Show an agent: description, tools, model, permissions, prompt",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("agents.show", { name: input.arg("name") });
      const { paint } = ctx;
      const facts = [
        ["source", `${data.source}, ${data.path}`],
        ["tools", data.tools === undefined ? "those of its parent" : data.tools.join(", ") || "none"],
        ...(data.withoutTools ? [["never", data.withoutTools.join(", ")]] : []),
        ["model", data.model ?? "that of its parent"],
        ["permissions", data.permissions ?? "those of its parent"],
      ];
      const problems = data.problems.map((problem) => paint.bad(escapeInvisible(problem)));
      const head = `${paint.bold(data.name)}: ${escapeInvisible(data.description)}`;
      const body = withoutControls(data.prompt);
      return { data, text: [head, table(facts, ctx.io.columns), ...problems, "", body].join("\n") };
    },
  },
  {
    path: ["agents", "apply"],
    summary: "Apply the changes that an agent made in a worktree to the project, all or none of them",
    args: [{ name: "agent", summary: "its id, or the beginning or end of the id" }],
    options: [{ flags: "--check", summary: "only check whether the patch applies" }],
    examples: ["hermes agents apply 7nw256 --check"],
    async run(input, ctx) {
      const data = await ctx.run("agents.apply", { child: input.arg("agent"), check: input.flag("check") });
      const files = data.files.map((file) => `  ${escapeInvisible(file)}`);
      const count = plural(data.files.length, "file");
      const head = data.isTrial
        ? `The patch applies: it would change ${count} in ${data.root}.`
        : `Applied to ${count} in ${data.root}. Undo: git apply -R ${data.patch}`;
      return { data, text: [head, ...files].join("\n") };
    },
  },
  {
    path: ["agents", "create"],
    summary: "Create the file of a new agent, for you to edit",
    args: [{ name: "name", summary: "lower-case letters, digits, - and _" }],
    options: [
      { flags: "--description <text>", summary: "when the model should use it" },
      { flags: "--project", summary: "in .hermes/agents of the project instead of your home folder" },
    ],
    examples: ['hermes agents create docs --description "Writes and checks documentation."'],
    async run(input, ctx) {
      const description = input.option("description");
      const isShared = input.flag("project");
      const data = await ctx.run("agents.create", {
        name: input.arg("name"),
        ...(description !== undefined && { description }),
        ...(isShared && { project: true }),
      });
      const trust = isShared ? " Sessions use it once you trust the project: hermes trust" : "";
      return { data, text: `Created ${data.path}. Edit it, then: hermes agents check ${data.name}.${trust}` };
    },
  },
  {
    path: ["agents", "check"],
    summary: "Check agent files: fields, tools, models, permissions, links, injected instructions",
    args: [{ ...name, optional: true }],
    async run(input, ctx) {
      const given = input.optionalArg("name");
      const data = await ctx.run("agents.check", given === undefined ? {} : { name: given });
      const lines = problemLines(data, ctx);
      const isFine = data.problems.length === 0;
      const verdict = isFine ? ctx.paint.good(`${plural(data.checked, "agent")} checked, no problems.`) : "";
      return {
        data,
        text: [...lines, ...(verdict === "" ? [] : [verdict])].join("\n"),
        exitCode: data.problems.some(({ isUnusable }) => isUnusable) ? 1 : 0,
      };
    },
  },
  // Comes last, because the words of every other command of the group start with its word.
  { path: ["agents"], summary: "List the agents in files", run: list },
];

async function list(_input: CliInput, ctx: CliContext): Promise<Reply> {
  const data = await ctx.run("agents.list", {});
  const rows = data.agents.map(({ name: agent, source, description }) => [
    ctx.paint.bold(agent),
    source,
    escapeInvisible(firstSentence(description, 300)),
  ]);
  const notes = [
    ...problemLines(data, ctx),
    "Name one in a prompt, such as: let the agent NAME do it. To write one: hermes agents create NAME",
  ];
  return { data, text: `${table(rows, ctx.io.columns)}\n${notes.join("\n")}` };
}

function problemLines(
  { problems, untrusted }: Pick<OutputOf<"agents.list">, "problems" | "untrusted">,
  { paint }: CliContext,
): readonly string[] {
  return [
    ...problems.map(({ path, message, isUnusable }) => {
      const text = `${isUnusable ? "✗" : "!"} ${escapeInvisible(path)}: ${escapeInvisible(oneLine(message, 400))}`;
      return isUnusable ? paint.bad(text) : paint.warn(text);
    }),
    ...(untrusted === undefined
      ? []
      : [
          paint.warn(
            `The agents of ${escapeInvisible(untrusted)} are off until you trust it: hermes trust ${escapeInvisible(untrusted)}`,
          ),
        ]),
  ];
}
