import { checkJson, isObject, type JsonValue } from "../../../../base/json.ts";
import { valueOr } from "../../../../base/result.ts";
import { firstSentence, plural } from "../../../../base/text/text.ts";
import type { ApprovalSurface } from "../../../../contracts/safety/approval.ts";
import { describeSource } from "../../../../contracts/tool/registry.ts";
import type { JsonSchema } from "../../../../contracts/tool/tool-definition.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { numberOption } from "../../input.ts";
import { approvalSurfaceAt, otherProcessSurface, approveOnce } from "../../questions/ask-approval.ts";
import { readStdin, stdinLines } from "../../stdin-text.ts";
import { table, wrap } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["tools", "list"],
    summary: "List the tools of the agent, and why others are missing",
    options: [{ flags: "-a, --all", summary: "also tools that the selection excludes" }],
    async run(input, ctx) {
      const listed = await ctx.run("tools.list", { all: input.flag("all") });
      return { data: listed, text: listText(listed, ctx), exitCode: listed.error === undefined ? 0 : 1 };
    },
  },
  {
    path: ["tools", "show"],
    summary: "Show one tool: its description, its parameters and whether it is available",
    args: [{ name: "name", summary: "the tool" }],
    async run(input, ctx) {
      const tool = await ctx.run("tools.show", { name: input.arg("name") });
      return { data: tool, text: showText(tool, ctx) };
    },
  },
  {
    path: ["tools", "search"],
    summary: "Search tools by their descriptions",
    args: [{ name: "words", summary: "what the tool should do", rest: true }],
    options: [{ flags: "-n, --limit <count>", summary: "maximum number of matches" }],
    async run(input, ctx) {
      const query = input.rest("words").join(" ");
      const searched = await ctx.run("tools.search", { query, limit: numberOption(input, "limit") });
      const rows = searched.matches.map(({ name, sourceName, description }) => [
        ctx.paint.bold(name),
        ctx.paint.dim(sourceName),
        firstSentence(description, 200),
      ]);
      const none = `None of ${plural(searched.total, "tool")} matches "${query}".`;
      return { data: searched, text: rows.length === 0 ? none : table(rows, ctx.io.columns) };
    },
  },
  {
    path: ["tools", "call"],
    summary: "Call a tool with the same checks as a call of the agent",
    details:
      "Hermes asks at the terminal before a call that can do harm; --approve answers yes in advance. Without a terminal it denies such " +
      "a call, unless --wait lets another terminal answer. Hard blocks and deny rules always apply.\n" +
      "--args - reads the arguments from standard input. With --jsonl, standard input holds many calls, one {name, args, id} " +
      "per line (NAME on the command line is the default), and each answer is one line.",
    args: [{ name: "name", summary: "the tool", optional: true }],
    options: [
      { flags: "--args <json>", summary: "the arguments as a JSON object, or - for standard input" },
      { flags: "--approve", summary: "approve once; hard blocks and deny rules still apply" },
      { flags: "--wait", summary: "wait for hermes approvals answer, from another terminal" },
      {
        flags: "--jsonl",
        summary: "read many calls from standard input and write their results, one JSON object per line",
      },
    ],
    examples: [`hermes tools call tool_search --args '{"query":"plan"}'`, `hermes tools call --jsonl < calls.jsonl`],
    async run(input, ctx) {
      const name = input.optionalArg("name");
      const isPiped = input.flag("jsonl") || input.option("args") === "-";
      const surface = surfaceFor(input, isPiped, ctx);
      if (input.flag("jsonl")) return callLines(name, surface, ctx);
      if (name === undefined) throw new CommandFailed("Which tool?", "hermes tools call NAME --args JSON", 2);
      const given = input.option("args");
      const args = given === "-" ? await readStdin(ctx.io, maxArgsChars, ctx.signal) : (given ?? "{}");
      return replyTo(await callTool(name, args, surface, ctx), ctx);
    },
  },
  {
    path: ["tools"],
    summary: "Turn toolsets on and off at a terminal; without a terminal, list the tools",
    details:
      "Applies to new sessions at a terminal. `hermes setup tools --tools NAMES` does the same without questions.",
    options: [
      { flags: "-a, --all", summary: "without a terminal: also tools that the selection excludes" },
      { flags: "--summary", summary: "only list the toolsets and their state" },
    ],
    async run(input, ctx) {
      if (input.flag("summary")) {
        const choices = await ctx.run("toolsets.choices", {});
        const rows = choices.toolsets.map(({ name, isOn, description }) => [isOn ? "on" : "off", name, description]);
        return { data: choices, text: table(rows, ctx.io.columns) };
      }
      const { runSetupSection } = await import("../../setup/run-setup.ts");
      const picked = await runSetupSection("tools", input, ctx);
      if (picked) return picked;
      const listed = await ctx.run("tools.list", { all: input.flag("all") });
      return { data: listed, text: listText(listed, ctx), exitCode: listed.error === undefined ? 0 : 1 };
    },
  },
];

const maxArgsChars = 32_000_000;

/** Selects the approval surface. A script or a pipe has none, so calls that need approval are denied. */
function surfaceFor(input: CliInput, isPiped: boolean, ctx: CliContext): ApprovalSurface | undefined {
  if (input.flag("approve")) return approveOnce;
  if (input.flag("wait")) return otherProcessSurface(ctx.io);
  return isPiped ? undefined : approvalSurfaceAt(ctx);
}

function callTool(name: string, args: JsonValue, surface: ApprovalSurface | undefined, ctx: CliContext) {
  return ctx.run("tools.call", { name, args }, { approvalSurface: () => surface });
}

/** Writes one answer per input line, in order, even for invalid lines. */
async function callLines(
  defaultName: string | undefined,
  surface: ApprovalSurface | undefined,
  ctx: CliContext,
): Promise<Reply> {
  for await (const { text, tooLong } of stdinLines(ctx.io, maxArgsChars, ctx.signal)) {
    if (text.trim() === "") continue;
    await ctx.io.write(`${JSON.stringify(await answerLine(text, tooLong, defaultName, surface, ctx))}\n`);
  }
  return {};
}

async function answerLine(
  line: string,
  tooLong: boolean,
  defaultName: string | undefined,
  surface: ApprovalSurface | undefined,
  ctx: CliContext,
): Promise<object> {
  const reject = (message: string, id?: JsonValue) => ({
    ...(id !== undefined && { id }),
    ok: false,
    error: { kind: "invalid_args", message, effect: "none" },
  });
  if (tooLong) return reject(`the line is longer than ${maxArgsChars} characters`);
  const value = parse(line);
  if (!isObject(value)) return reject('not a JSON object: write {"name": …, "args": {…}} on one line');
  const admitted = checkJson(value.id, { maxChars: 10_000, maxDepth: 20 });
  const id = admitted.ok ? admitted.value : undefined;
  const name = value.name ?? defaultName;
  if (typeof name !== "string") return reject('"name" is missing', id);
  // The dispatcher validates the arguments like those of a model.
  const args = (value.args ?? value.arguments ?? {}) as JsonValue;
  return { ...(id !== undefined && { id }), ...(await callTool(name, args, surface, ctx)) };
}

function parse(line: string): unknown {
  return valueOr((): unknown => JSON.parse(line), undefined);
}

function replyTo(answer: OutputOf<"tools.call">, ctx: CliContext): Reply {
  if (answer.ok) {
    // A person at a terminal reads indented lines; a program gets the model's text unchanged.
    const isForPerson = ctx.io.stdoutIsTerminal && isObject(answer.data) && answer.content.length === 1;
    return { data: answer, text: isForPerson ? JSON.stringify(answer.data, undefined, 2) : answer.text };
  }
  const { error } = answer;
  const exitCode = ctx.signal.aborted ? 130 : 1;
  if (ctx.json) return { data: answer, exitCode };
  const detail = isObject(error.data) && typeof error.data.message === "string" ? `: ${error.data.message}` : "";
  const next = error.kind === "unknown_tool" ? "`hermes tools list` lists the tools.\n" : "";
  ctx.io.warn(`${ctx.paint.bad("error:")} ${error.message}${detail}\n${next}`);
  return { text: error.text ?? "", exitCode };
}

function listText(listed: OutputOf<"tools.list">, { paint, io }: CliContext): string {
  const rows = listed.tools.map(({ name, toolset, description, state, why, needsConversation }) => [
    `${isUsable(state) ? paint.good("✓") : paint.warn("•")} ${paint.bold(name)}`,
    paint.dim(toolset),
    isUsable(state)
      ? `${firstSentence(description, 120)}${needsConversation ? " (in a session)" : ""}`
      : paint.dim(`${state}: ${why ?? "no reason given"}`),
  ]);
  const usable = listed.tools.filter(({ state }) => isUsable(state));
  const deferred = usable.filter(({ state }) => state === "searchable").length;
  return [
    table(rows, io.columns),
    "",
    `${plural(usable.length, "tool")} available${deferred > 0 ? `, ${deferred} of them through search` : ""}.`,
    ...(listed.omitted > 0
      ? [paint.dim(`${plural(listed.omitted, "tool")} not selected (hermes tools list --all).`)]
      : []),
    ...listed.diagnostics.map(({ source, message }) => `${paint.warn("warning:")} ${source}: ${message}`),
  ].join("\n");
}

function isUsable(state: OutputOf<"tools.list">["tools"][number]["state"]): boolean {
  return state === "direct" || state === "searchable";
}

function showText(tool: OutputOf<"tools.show">, { paint, io }: CliContext): string {
  const { state, why, needsConversation, requiresEnv } = tool;
  const facts = [
    ["toolset", tool.toolset],
    ["source", describeSource(tool.source)],
    ["state", why ?? (needsConversation ? "available in a session" : "available")],
    ["sent", state === "direct" ? "with every request" : state === "searchable" ? "when found by search" : "no"],
    ...(requiresEnv.length > 0 ? [["needs", requiresEnv.join(", ")]] : []),
  ];
  const parameters = schemaLines(tool.inputSchema);
  const rows = parameters.map(([name, type, about]) => [`  ${paint.accent(name)}`, paint.dim(type), about]);
  const legend = parameters.some(([name]) => name.endsWith("*")) ? `\n  ${paint.dim("* required")}` : "";
  return [
    paint.bold(tool.name),
    wrap(tool.description, io.columns),
    "",
    table(
      facts.map(([name = "", fact = ""]) => [paint.dim(name), fact]),
      io.columns,
    ),
    "",
    rows.length > 0 ? `${table(rows, io.columns)}${legend}` : paint.dim("No parameters."),
  ].join("\n");
}

/** The parameters of a tool as rows of name, type and description. A star marks required ones. */
export function schemaLines(schema: JsonSchema): readonly (readonly [string, string, string])[] {
  const { properties, required } = schema;
  if (!isObject(properties)) return [];
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => [
    needed.includes(name) ? `${name}*` : name,
    typeOf(property),
    isObject(property) && typeof property.description === "string" ? property.description : "",
  ]);
}

function typeOf(property: unknown): string {
  if (!isObject(property)) return "any";
  if (Array.isArray(property.enum)) return property.enum.map((value) => JSON.stringify(value)).join(" | ");
  const branches = property.anyOf ?? property.oneOf;
  if (Array.isArray(branches)) return branches.map(typeOf).join(" | ");
  if (property.type === "array") return `${typeOf(property.items)}[]`;
  if (Array.isArray(property.type)) return property.type.join(" | ");
  return typeof property.type === "string" ? property.type : "any";
}
