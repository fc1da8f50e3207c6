import { oneLine, plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { confirm } from "../../input.ts";

type ListedHook = OutputOf<"hooks.list">["hooks"][number];

const command = { name: "command", summary: "the command, as in the settings" };

export const commands: readonly CliCommand[] = [
  {
    path: ["hooks", "list"],
    summary: "List the shell hooks of the settings, and whether you accepted each",
    async run(_input, ctx) {
      const data = await ctx.run("hooks.list", {});
      const lines = [
        ...data.hooks.map((hook) => hookLine(hook, ctx)),
        ...data.problems.map((each) => ctx.paint.bad(each)),
      ];
      return { data, text: lines.join("\n") || "No shell hook is configured. See docs/guide/hooks.md." };
    },
  },
  {
    path: ["hooks", "accept"],
    summary: "Accept shell hooks: shows what would run, then asks",
    details:
      "Your consent covers the command line and the content of its files. After a change you must accept it again. Until then a " +
      "pre_tool_call that is a policy blocks the calls that it covers, and other hooks do not run.",
    args: [{ ...command, optional: true, rest: true }],
    options: [{ flags: "-y, --yes", summary: "do not ask" }],
    run: accept,
  },
  {
    path: ["hooks", "test"],
    summary: "Run the accepted shell hooks of an event with sample arguments",
    args: [{ name: "event", summary: "such as pre_tool_call" }],
    options: [
      { flags: "--for-tool <name>", summary: "the tool of the sample call; default: terminal" },
      { flags: "--payload-file <file>", summary: "JSON file with arguments that replace the sample's" },
    ],
    examples: ["hermes hooks test pre_tool_call --for-tool write_file"],
    async run(input, ctx) {
      const event = input.arg("event");
      const [forTool, payloadFile] = [input.option("forTool"), input.option("payloadFile")];
      const data = await ctx.run("hooks.test", { event, forTool, payloadFile });
      const text = data.results.map((result) => `${hookLine(result, ctx)}\n${resultText(result, ctx)}`).join("\n");
      return { data, text: text || `No shell hook runs at ${event} for this call.` };
    },
  },
  {
    path: ["hooks", "revoke"],
    summary: "Revoke your consent to a shell hook",
    args: [{ ...command, rest: true }],
    async run(input, ctx) {
      const data = await ctx.run("hooks.revoke", { command: input.rest("command").join(" ") });
      return {
        data,
        text: `Revoked ${plural(data.revoked, "consent")}. The hook no longer runs, not even in open sessions.`,
      };
    },
  },
  {
    path: ["hooks", "doctor"],
    summary: "Check the shell hooks: programs, consents, and answers to sample arguments",
    async run(_input, ctx) {
      const data = await ctx.run("hooks.doctor", {});
      const lines = data.hooks.flatMap((hook) => [
        hookLine(hook, ctx),
        ...hook.faults.map((fault) => ctx.paint.bad(`    ${escapeInvisible(fault)}`)),
        ...(hook.faults.length === 0 ? [ctx.paint.good("    ok")] : []),
      ]);
      const problems = data.problems.map((problem) => ctx.paint.bad(problem));
      const none = data.hooks.length === 0 && problems.length === 0 ? ["No shell hook is configured."] : [];
      return { data, text: [...lines, ...problems, ...none].join("\n"), exitCode: data.healthy ? 0 : 1 };
    },
  },
];

async function accept(input: CliInput, ctx: CliContext): Promise<Reply> {
  const named = input.rest("command").join(" ") || undefined;
  const { hooks } = await ctx.run("hooks.list", {});
  const open = hooks.filter((hook) => hook.state !== "accepted" && (named === undefined || hook.command === named));
  const shown = open.map((hook) => consentText(hook)).join("\n");
  if (open.length > 0) await confirm(input, ctx, `${shown}\nRun ${open.length === 1 ? "it" : "them"} from now on?`);
  const data = await ctx.run("hooks.accept", { command: named });
  const count = data.accepted.length;
  return { data, text: count === 0 ? "Every shell hook is accepted." : `Accepted ${plural(count, "shell hook")}.` };
}

/** The question about a hook. */
export function consentText({ event, command: line, files, policy, state }: ListedHook): string {
  const kind = policy ? "decides about tool calls" : "runs";
  const again = state === "changed" ? " It changed since you accepted it." : "";
  const read = files.length === 0 ? "" : ` Its files: ${files.map(escapeInvisible).join(", ")}.`;
  return `The shell hook ${escapeInvisible(line)} ${kind} at ${event}, outside of the sandbox.${again}${read}`;
}

function hookLine(hook: ListedHook, { paint }: CliContext): string {
  const state = { accepted: paint.good("accepted"), new: paint.bad("not accepted"), changed: paint.bad("changed") };
  const facts = [
    ...(hook.matcher === undefined ? [] : [`matcher ${hook.matcher}`]),
    `${hook.timeout} s`,
    ...(hook.policy ? ["policy"] : []),
  ];
  return `${hook.event}: ${escapeInvisible(hook.command)} (${facts.join(", ")}) ${state[hook.state]}`;
}

function resultText(result: OutputOf<"hooks.test">["results"][number], { paint }: CliContext): string {
  if ("fault" in result) return paint.bad(`    ${escapeInvisible(oneLine(result.fault, 400))}`);
  const answer = "answer" in result ? oneLine(JSON.stringify(result.answer), 400) : "no answer";
  return `    exit code ${result.exitCode}, ${result.durationMs} ms: ${escapeInvisible(answer)}`;
}
