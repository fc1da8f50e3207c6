import type { CallId } from "../../../base/ids.ts";
import { newId } from "../../../base/ids.ts";
import { admit, isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { firstSentence, plural } from "../../../base/text/text.ts";
import type { ToolCall } from "../../../contracts/model/message.ts";
import type { ApprovalSurface } from "../../../contracts/safety/approval.ts";
import { describeSource } from "../../../contracts/tool/registry.ts";
import type { ToolResult } from "../../../contracts/tool/tool-result.ts";
import type { Toolbox, ToolStatus } from "../../../runtime/calls/toolbox.ts";
import { approvalSurfaceAt, elsewhere, saidBefore } from "../ask-approval.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { schemaLines } from "../schema-lines.ts";
import { readStdin, stdinLines } from "../stdin-text.ts";
import { table, wrap } from "../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["tools", "list"],
    summary: "List the tools: which the agent has here, and why not the others",
    options: [{ flags: "-a, --all", summary: "also tools that the selection leaves out" }],
    async run(input, ctx) {
      const toolbox = await ctx.toolbox();
      const { notices, empty } = await toolbox.catalog(ctx.signal);
      const statuses = await toolbox.overview(ctx.signal);
      const shown = input.flag("all") ? statuses : statuses.filter(({ state }) => state !== "not selected");
      return {
        data: {
          tools: shown.map(statusData),
          notices,
          ...(empty !== undefined && { error: { message: empty } }),
          diagnostics: toolbox.diagnostics.map(({ source, message }) => ({ source, message })),
        },
        text: listText(shown, statuses.length - shown.length, toolbox, ctx),
        exitCode: empty === undefined ? 0 : 1,
      };
    },
  },
  {
    path: ["tools", "show"],
    summary: "Show one tool: what it does, its parameters, and whether it can be used here",
    args: [{ name: "name", summary: "the tool" }],
    async run(input, ctx) {
      const toolbox = await ctx.toolbox();
      const statuses = await toolbox.overview(ctx.signal);
      const found = findStatus(statuses, input.arg("name"));
      // As the model is shown it here, which is also how calls are checked.
      const status = { ...found, tool: (await toolbox.catalog(ctx.signal)).find(found.tool.name) ?? found.tool };
      return { data: { ...statusData(status), inputSchema: status.tool.inputSchema }, text: showText(status, ctx) };
    },
  },
  {
    path: ["tools", "search"],
    summary: "Find tools by what they do",
    args: [{ name: "words", summary: "what to look for", rest: true }],
    options: [{ flags: "-n, --limit <count>", summary: "how many at most" }],
    async run(input, ctx) {
      const toolbox = await ctx.toolbox();
      const query = input.rest("words").join(" ");
      const limit = wholeNumber(input.option("limit"));
      const { total, matches } = await toolbox.search(query, limit, ctx.signal);
      const text =
        matches.length === 0
          ? `Nothing among ${plural(total, "tool")} fits "${query}".`
          : table(
              matches.map(({ name, sourceName, description }) => [
                ctx.paint.bold(name),
                ctx.paint.dim(sourceName),
                firstSentence(description, 200),
              ]),
              ctx.io.columns,
            );
      return { data: { query, total, matches: matches.map(({ ...match }) => match) }, text };
    },
  },
  {
    path: ["tools", "call"],
    summary: "Call a tool yourself, through the same checks as the agent",
    details:
      "What can do harm is asked about at the terminal; --approve says yes beforehand. Without a terminal it is denied,\n" +
      "unless --wait lets another terminal answer. Hardline and deny rules hold for everyone.\n" +
      "--args - reads the arguments from standard input. With --jsonl standard\n" +
      'input has many calls, one {"name", "args", "id"} per line (NAME given here is the default), and each answer is one line.',
    args: [{ name: "name", summary: "the tool", optional: true }],
    options: [
      { flags: "--args <json>", summary: "its arguments as a JSON object, or - for standard input" },
      { flags: "--approve", summary: "allow this once what would be asked about; hardline and deny rules hold" },
      { flags: "--wait", summary: "wait for hermes approvals answer, from another terminal" },
      { flags: "--jsonl", summary: "many calls from standard input, one JSON object per line in and out" },
    ],
    examples: [`hermes tools call tool_search --args '{"query":"plan"}'`, `hermes tools call --jsonl < calls.jsonl`],
    async run(input, ctx) {
      const isPiped = input.flag("jsonl") || input.option("args") === "-";
      const surface = approverFor(input, isPiped, ctx);
      if (input.flag("jsonl")) return callLines(input.optionalArg("name"), surface, ctx);
      const name = input.optionalArg("name");
      if (name === undefined) throw new CommandFailed("Which tool?", "hermes tools call NAME --args JSON", 2);
      const given = input.option("args");
      const args = given === "-" ? await readStdin(ctx.io, maxArgsChars, ctx.signal) : (given ?? "{}");
      const toolbox = await ctx.toolbox();
      using _attached = surface && toolbox.attach(surface);
      const answer = await callOne({ name, args }, toolbox, ctx);
      return replyTo(answer, ctx);
    },
  },
];

const maxArgsChars = 32_000_000;

/** Who is asked. Nobody in a script or a pipe: what needs approval is denied there. */
function approverFor(input: CliInput, isPiped: boolean, { io, paint }: CliContext): ApprovalSurface | undefined {
  if (input.flag("approve")) return saidBefore;
  if (input.flag("wait")) return elsewhere(io);
  return isPiped ? undefined : approvalSurfaceAt(io, paint);
}

interface Answer {
  readonly name: string;
  readonly result: ToolResult;
  readonly durationMs: number;
}

async function callOne(call: Pick<ToolCall, "name" | "args">, toolbox: Toolbox, ctx: CliContext): Promise<Answer> {
  const startedAt = toolbox.clock.elapsed();
  const result = await toolbox.call({ id: newId<CallId>("call"), ...call }, ctx.signal);
  for (const message of toolbox.messages()) ctx.io.warn(`${message}\n`);
  return { name: call.name, result, durationMs: Math.round((toolbox.clock.elapsed() - startedAt) * 1000) / 1000 };
}

/** One answer for every line, in order, also for lines that make no sense. */
async function callLines(
  defaultName: string | undefined,
  surface: ApprovalSurface | undefined,
  ctx: CliContext,
): Promise<Reply> {
  const toolbox = await ctx.toolbox();
  using _attached = surface && toolbox.attach(surface);
  for await (const { text, tooLong } of stdinLines(ctx.io, maxArgsChars, ctx.signal)) {
    if (text.trim() === "") continue;
    await ctx.io.write(`${JSON.stringify(await answerLine(text, tooLong, defaultName, toolbox, ctx))}\n`);
  }
  return {};
}

async function answerLine(
  line: string,
  tooLong: boolean,
  defaultName: string | undefined,
  toolbox: Toolbox,
  ctx: CliContext,
): Promise<JsonValue> {
  const refuse = (message: string, id?: JsonValue): JsonValue => ({
    ...(id !== undefined && { id }),
    ok: false,
    error: { kind: "invalid_args", message, effect: "none" },
  });
  if (tooLong) return refuse(`the line is longer than ${maxArgsChars} characters`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refuse('not a JSON object: write {"name": …, "args": {…}} on one line');
  }
  if (!isObject(value)) return refuse('not a JSON object: write {"name": …, "args": {…}} on one line');
  const known = admit(value.id, { maxChars: 10_000, maxDepth: 20 });
  const id = known.ok ? known.value : undefined;
  const name = value.name ?? defaultName;
  if (typeof name !== "string") return refuse('"name" is missing', id);
  // Whatever it is: the dispatcher reads it as it reads what a model sends.
  const args = (value.args ?? value.arguments ?? {}) as ToolCall["args"];
  const answer = await callOne({ name, args }, toolbox, ctx);
  return { ...(id !== undefined && { id }), ...answerData(answer) };
}

function replyTo(answer: Answer, ctx: CliContext): Reply {
  const data = answerData(answer);
  if (answer.result.ok) {
    const { content, data: value } = answer.result.value;
    // A person at a terminal reads lines; a program gets the model's text as it is.
    const isForPerson = ctx.io.stdoutIsTerminal && isObject(value) && content.length === 1;
    return { data, text: isForPerson ? JSON.stringify(value, undefined, 2) : textOf(content) };
  }
  const { error } = answer.result;
  const said = textOf(error.content ?? []);
  const exitCode = ctx.signal.aborted ? 130 : 1;
  if (ctx.json) return { data, exitCode };
  const detail = isObject(error.data) && typeof error.data.message === "string" ? `: ${error.data.message}` : "";
  ctx.io.warn(`${ctx.paint.bad("error:")} ${error.message}${detail}\n`);
  return { text: said, exitCode };
}

function answerData({ name, result, durationMs }: Answer): JsonObject {
  if (result.ok) {
    const { content, data } = result.value;
    return {
      ok: true,
      name,
      text: textOf(content),
      content: content.map((part) => ({ ...part })),
      ...(data !== undefined && { data }),
      durationMs,
    };
  }
  const { kind, message, effect, data, content } = result.error;
  return {
    ok: false,
    name,
    error: { kind, message, effect, ...(data !== undefined && { data }), ...(content && { text: textOf(content) }) },
    durationMs,
  };
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map((part) => part.text ?? `[${part.type}]`).join("\n");
}

function statusData({ tool, source, state, why, needsConversation }: ToolStatus): JsonObject {
  return {
    name: tool.name,
    toolset: tool.toolset,
    description: tool.description,
    source: { ...source },
    state,
    ...(why !== undefined && { why }),
    needsConversation,
    requiresEnv: tool.requiresEnv,
    needs: tool.needs,
  };
}

function listText(shown: readonly ToolStatus[], left: number, toolbox: Toolbox, { paint, io }: CliContext): string {
  const rows = shown.map(({ tool, state, why, needsConversation }) => [
    `${isUsable(state) ? paint.good("✓") : paint.warn("•")} ${paint.bold(tool.name)}`,
    paint.dim(tool.toolset),
    isUsable(state)
      ? `${firstSentence(tool.description, 120)}${needsConversation ? " (in a conversation)" : ""}`
      : paint.dim(`${state}: ${why ?? "no reason given"}`),
  ]);
  const usable = shown.filter(({ state }) => isUsable(state));
  const lines = [table(rows, io.columns), ""];
  const found = usable.filter(({ state }) => state === "searchable").length;
  lines.push(`${plural(usable.length, "tool")} available${found > 0 ? `, ${found} of them found by search` : ""}.`);
  if (left > 0) lines.push(paint.dim(`${plural(left, "tool")} not selected (hermes tools list --all).`));
  for (const { source, message } of toolbox.diagnostics) lines.push(`${paint.warn("warning:")} ${source}: ${message}`);
  return lines.join("\n");
}

function isUsable(state: ToolStatus["state"]): boolean {
  return state === "direct" || state === "searchable";
}

function showText({ tool, source, state, why, needsConversation }: ToolStatus, { paint, io }: CliContext): string {
  const facts: (readonly string[])[] = [
    ["toolset", tool.toolset],
    ["from", describeSource(source)],
    ["here", why ?? (needsConversation ? "available in a conversation" : "available")],
    ["sent", state === "direct" ? "with every request" : state === "searchable" ? "found by search when needed" : "no"],
  ];
  if (tool.requiresEnv.length > 0) facts.push(["needs", tool.requiresEnv.join(", ")]);
  const parameters = schemaLines(tool.inputSchema);
  return [
    paint.bold(tool.name),
    wrap(tool.description, io.columns),
    "",
    table(
      facts.map(([name = "", fact = ""]) => [paint.dim(name), fact]),
      io.columns,
    ),
    "",
    parameters.length > 0
      ? table(
          parameters.map(([name, type, about]) => [`  ${paint.accent(name)}`, paint.dim(type), about]),
          io.columns,
        ) + (parameters.some(([name]) => name.endsWith("*")) ? `\n  ${paint.dim("* required")}` : "")
      : paint.dim("No parameters."),
  ].join("\n");
}

function findStatus(statuses: readonly ToolStatus[], name: string): ToolStatus {
  const status = statuses.find(({ tool }) => tool.name === name);
  if (status) return status;
  const hint = didYouMean(
    name,
    statuses.map(({ tool }) => tool.name),
  );
  throw new CommandFailed(`There is no tool "${name}".`, hint || "hermes tools list --all shows every tool.");
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new CommandFailed(`--limit ${text}: a whole number from 1 on is needed.`, undefined, 2);
  return value;
}
