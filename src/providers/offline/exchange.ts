import { canonicalJson, isObject, type JsonObject, parseJson } from "../../base/json.ts";
import type { ContentPart, Message, ToolCall, ToolMessage } from "../../contracts/model/message.ts";
import type { ToolDefinition } from "../../contracts/tool/tool.ts";
import { actOf, nameOf, onlyLooks } from "./act-of.ts";
import type { Action, Outcome, ToolsHere } from "./act.ts";
import { matchesIn } from "./acts/tool-acts.ts";
import type { Step } from "./step.ts";
import { notUnderstood, talks } from "./talk.ts";
import { type Before, pathIn, understand } from "./understand.ts";

export interface PlannedCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** What the model says next. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

/**
 * The answer to a conversation. Everything is worked out anew from its messages: what was asked since the last answer,
 * and how far that has come by the calls that were made for it.
 */
export function replyTo(messages: readonly Message[], definitions: readonly ToolDefinition[], mayCall: boolean): Reply {
  const exchanges = splitExchanges(messages);
  const current = exchanges.at(-1) ?? [];
  const work = workOf(current, exchanges.slice(0, -1));
  const tools = toolsHere(definitions, work.outcomes);
  return nextReply(work, tools, mayCall);
}

// ── what was asked ──────────────────────────────────────────────────────────────────────────────────────────────────

interface Work {
  readonly steps: readonly Step[];
  readonly outcomes: readonly Outcome[];
  /** What else is to be said: words that were not understood, notes of processes. */
  readonly asides: readonly string[];
}

/** From each request to the answer before the next one, or to where the person stopped it. */
function splitExchanges(messages: readonly Message[]): readonly (readonly Message[])[] {
  const exchanges: Message[][] = [];
  let isAnswered = true;
  for (const message of messages.slice(-mostMessages)) {
    if (message.role === "user" && isAnswered) exchanges.push([]);
    if (message.role === "user") isAnswered = false;
    exchanges.at(-1)?.push(message);
    if (message.role === "assistant" && message.calls.length === 0) isAnswered = true;
    if (message.role === "tool" && message.failed) isAnswered ||= wasStopped(message);
  }
  return exchanges;
}

function wasStopped({ content }: ToolMessage): boolean {
  return content.some(
    (part) => part.type === "text" && /\bwas cancelled (?:before it started|while it ran)/u.test(part.text),
  );
}

/** Older messages than these are not looked at. */
const mostMessages = 400;
const mostExchanges = 10;

function workOf(exchange: readonly Message[], earlier: readonly (readonly Message[])[]): Work {
  let steps: Step[] = [];
  const outcomes: Outcome[] = [];
  const asides: string[] = [];
  const previous = earlier.slice(-mostExchanges);
  let lastPath = lastPathOf(previous);
  for (const message of exchange) {
    if (message.role === "assistant") outcomes.push(...message.calls.flatMap((call) => outcomeOf(call, exchange)));
    if (message.role !== "user") continue;
    const { said, input } = wordsOf(message.content);
    const note = noteIn(said);
    if (note !== undefined) {
      asides.push(note);
      continue;
    }
    const before: Before = { ...(lastPath !== undefined && { lastPath }), ...(input !== undefined && { input }) };
    const understood = understand(said, before);
    if (!understood) {
      asides.push(notUnderstood(said));
      continue;
    }
    if (understood.drops) steps = steps.slice(0, doneSteps(steps, outcomes));
    if (understood.drops && understood.steps.length === 0) asides.push("Stopped: nothing more is done.");
    const again = understood.again && stepsAgain(understood.again, previous);
    if (again?.length === 0) asides.push(talks["nothing to go on with"]);
    steps.push(...understood.steps, ...(again ?? []));
    for (const step of steps) lastPath = pathIn(step) ?? lastPath;
  }
  return { steps, outcomes, asides };
}

/** What the last request still has to have done, or all of it once more. */
function stepsAgain(how: "go on" | "repeat", earlier: readonly (readonly Message[])[]): readonly Step[] {
  const last = earlier.at(-1);
  if (!last) return [];
  const { steps, outcomes } = workOf(last, earlier.slice(0, -1));
  return how === "repeat" ? steps : steps.slice(doneSteps(steps, outcomes));
}

function lastPathOf(earlier: readonly (readonly Message[])[]): string | undefined {
  for (const exchange of earlier.toReversed()) {
    for (const message of exchange.toReversed()) {
      if (message.role !== "user") continue;
      const path = understand(wordsOf(message.content).said)?.steps.findLast((step) => pathIn(step) !== undefined);
      if (path) return pathIn(path);
    }
  }
  return undefined;
}

/** The first text is what the person says; further ones came with it. */
function wordsOf(content: readonly ContentPart[]): { readonly said: string; readonly input?: string } {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  // The line that says where it comes from is not part of it.
  const input = texts
    .slice(1)
    .join("\n")
    .replace(/^\s*[^\n]{1,60}:\n\n/u, "");
  return { said: texts[0] ?? "", ...(input !== "" && { input }) };
}

/** Not the person speaks: a background process is passed on, a summary and the end of the tools need no answer. */
function noteIn(said: string): string | undefined {
  if (/^(?:\[Summary of the conversation|You cannot call tools any more)/u.test(said)) return "";
  return /^Background process \S+ (?:has ended|wrote|writes)\b/u.test(said) ? said : undefined;
}

// ── what became of it ───────────────────────────────────────────────────────────────────────────────────────────────

function outcomeOf(call: ToolCall, exchange: readonly Message[]): Outcome[] {
  const result = exchange.find(
    (message): message is ToolMessage => message.role === "tool" && message.callId === call.id,
  );
  if (!result) return [];
  const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [`[${part.type}]`])).join("\n");
  const first = result.content.find(({ type }) => type === "text");
  const parsed = parseJson(first?.type === "text" ? first.text : "", limits);
  const data = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const args = argsOf(call.args);
  const denied = result.failed && typeof data["cause"] === "string";
  const inner = call.name === "tool_call" && typeof args["name"] === "string" ? args["name"] : undefined;
  const innerArgs = isObject(args["arguments"]) ? args["arguments"] : {};
  return [
    {
      name: inner ?? call.name,
      args: inner === undefined ? args : innerArgs,
      failed: result.failed,
      denied,
      data,
      text,
    },
  ];
}

const limits = { maxChars: 5_000_000, maxDepth: 100 };

function argsOf(args: string | JsonObject): JsonObject {
  if (typeof args !== "string") return args;
  const parsed = parseJson(args, limits);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

// ── what comes next ─────────────────────────────────────────────────────────────────────────────────────────────────

interface Progress {
  readonly said: readonly string[];
  readonly next: readonly PlannedCall[];
  /** Of the steps; those behind a failed one are not done. */
  readonly done: number;
  readonly hasFailed: boolean;
}

function nextReply(work: Work, tools: ToolsHere & Reaching, mayCall: boolean): Reply {
  const { said, next, done, hasFailed } = progress(work.steps, work.outcomes, tools);
  if (next.length > 0 && mayCall) return { text: "", calls: next };
  const left = work.steps.slice(done);
  const undone =
    left.length === 0 || (!hasFailed && mayCall)
      ? []
      : [
          `Not done: ${left.map(nameOf).join("; ")}. Say "go on" to do ${left.length === 1 ? "it" : "them"} nevertheless.`,
        ];
  const text = [...said, ...undone, ...work.asides].filter((part) => part !== "").join("\n\n");
  return { text: text === "" ? talks.help : text, calls: [] };
}

interface Reaching {
  /** How a call of that tool is made now; nothing when the tool is not there. */
  reach(call: PlannedCall): PlannedCall | undefined;
}

/** Plays the steps against what their calls gave, until one has not got all that it needs. */
function progress(steps: readonly Step[], outcomes: readonly Outcome[], tools: ToolsHere & Reaching): Progress {
  const waiting = [...outcomes];
  const said: string[] = [];
  const next: PlannedCall[] = [];
  let done = 0;
  for (const step of steps) {
    const { action, hasBegun } = play(step, waiting, tools);
    if ("call" in action) {
      const call = tools.reach(action.call);
      if (!call) {
        if (next.length === 0)
          said.push(`That needs the tool ${action.call.name}, which is not there in this conversation.`);
        return { said, next, done: done + 1, hasFailed: true };
      }
      next.push(call);
      if (!onlyLooks(step) || hasBegun || call.name === "tool_search") break;
      continue;
    }
    if (next.length > 0) break;
    said.push(action.say);
    done += 1;
    if (action.failed) return { said, next, done, hasFailed: true };
  }
  return { said, next, done, hasFailed: false };
}

/** Takes from `waiting` what the calls of the step gave. */
function play(
  step: Step,
  waiting: Outcome[],
  tools: ToolsHere,
): { readonly action: Action; readonly hasBegun: boolean } {
  const act = actOf(step);
  const seen: Outcome[] = [];
  while (true) {
    const action = act(seen, tools);
    if ("say" in action) return { action, hasBegun: true };
    const at = waiting.findIndex((outcome) => isOf(outcome, action.call));
    const [outcome] = at < 0 ? [] : waiting.splice(at, 1);
    if (!outcome) return { action, hasBegun: seen.length > 0 };
    seen.push(outcome);
  }
}

function isOf({ name, args }: Outcome, call: PlannedCall): boolean {
  return name === call.name && canonicalJson(args) === canonicalJson(call.args);
}

function doneSteps(steps: readonly Step[], outcomes: readonly Outcome[]): number {
  const everything = { names: [], canReach: () => true, reach: (call: PlannedCall) => call };
  return progress(steps, outcomes, everything).done;
}

function toolsHere(definitions: readonly ToolDefinition[], outcomes: readonly Outcome[]): ToolsHere & Reaching {
  const names = definitions.map(({ name }) => name);
  const direct = new Set(names);
  const searches = outcomes.filter(({ name }) => name === "tool_search");
  const found = new Set(searches.flatMap((search) => matchesIn(search).map(({ name }) => name)));
  const canSearch = direct.has("tool_search") && direct.has("tool_call");
  const wasSearched = (name: string) => searches.some(({ args }) => args["query"] === name);
  return {
    names,
    canReach: (name) => direct.has(name) || found.has(name) || (canSearch && !wasSearched(name)),
    reach({ name, args }) {
      if (direct.has(name)) return { name, args };
      if (found.has(name)) return { name: "tool_call", args: { name, arguments: args } };
      return canSearch && !wasSearched(name) ? { name: "tool_search", args: { query: name } } : undefined;
    },
  };
}
