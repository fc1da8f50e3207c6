import { type CliCommand, type CliContext, CommandFailed } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { questionText } from "../../questions/approval-form.ts";
import { askLine } from "../../questions/ask-line.ts";
import { chooseRules, terminalDialog } from "../../questions/choose-rules.ts";

const answers = ["once", "session", "always", "deny"] as const;

export const commands: readonly CliCommand[] = [
  {
    path: ["approvals", "list"],
    summary: "List the pending approvals of all processes that use this home",
    async run(_input, ctx) {
      const listed = await ctx.run("approvals.list", {});
      const questions = listed.approvals.map((each) => `${ctx.paint.bold(each.id)}\n${questionText(each, ctx.paint)}`);
      return { data: listed, text: questions.join("\n\n") || "No approval is pending." };
    },
  },
  {
    path: ["approvals", "answer"],
    summary: "Answer a pending approval, from any terminal",
    details:
      "The first answer counts. session and always store exactly what `hermes approvals list` shows. At a terminal, always shows " +
      "the rules first, tested on your newest calls, and you can edit them; elsewhere you can pass another rule after the word always.",
    args: [
      { name: "id", summary: "id of the approval, or a prefix of it" },
      { name: "answer", summary: "once, session, always or deny" },
      {
        name: "reason",
        summary: "with deny: the reason, for the model; with always: another rule",
        optional: true,
        rest: true,
      },
    ],
    examples: [
      "hermes approvals answer apr_3f9c once",
      "hermes approvals answer apr_3f9c deny use the test database",
      `hermes approvals answer apr_3f9c always "git push origin *"`,
    ],
    async run(input, ctx) {
      const word = input.arg("answer");
      const answer = answers.find((each) => each === word);
      if (!answer) throw new CommandFailed(`"${word}" is not an answer.`, `Use ${answers.join(", ")}.`, 2);
      const id = input.arg("id");
      const reason = input.rest("reason").join(" ");
      const rules = answer === "always" ? await rulesFor(id, reason, ctx) : undefined;
      const done = await ctx.run("approvals.answer", { id, answer, reason, rules });
      const lines = [
        `${done.id}: ${done.answer.scope}`,
        ...done.covers.map((rule) => `covers exactly: ${escapeInvisible(rule)}`),
        ...(done.isPartial ? ["parts that no rule can express are allowed only once"] : []),
      ];
      return { data: { id: done.id, answer: done.answer }, text: lines.join("\n") };
    },
  },
];

/** The rules that the user passed or edited at the terminal. Undefined: the rules of the question. */
async function rulesFor(id: string, rule: string, ctx: CliContext): Promise<readonly string[] | undefined> {
  if (rule !== "") return [rule];
  const { approvals } = ctx.io.stdinIsTerminal && !ctx.json ? await ctx.run("approvals.list", {}) : { approvals: [] };
  const matches = approvals.filter((each) => each.id.startsWith(id));
  const [pending] = matches;
  // Several matches: `approvals.answer` refuses them.
  if (!pending || matches.length > 1) return undefined;
  const dialog = terminalDialog(ctx, ({ text, prompt }) => askLine(ctx.io, `${text}\n${prompt}`, ctx.signal));
  const answer = await chooseRules(pending, dialog, ctx.signal);
  if (answer?.scope === "always") return answer.rules;
  throw new CommandFailed("Not answered.", "`hermes approvals list` shows pending approvals.");
}
