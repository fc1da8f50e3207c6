import { canonicalJson, isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import {
  type ContentPart,
  type Message,
  type ToolCall,
  type ToolMessage,
  shownContent,
} from "../../contracts/model/message.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";
import { helpText, notUnderstood } from "./answers.ts";
import { readRequest } from "./read-request.ts";
import { labelOf, listIn, reportOf } from "./report.ts";
import type { CallOutcome, PlannedCall, Report, Step } from "./step.ts";

export interface OfflineReply {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

/**
 * Derives the state from the messages: the steps requested since the last answer, and which of them the calls have
 * completed.
 */
export function replyTo(
  messages: readonly Message[],
  definitions: readonly ToolDefinition[],
  mayCall: boolean,
): OfflineReply {
  const exchanges = splitExchanges(messages.slice(-maxMessages));
  const work = workOf(exchanges.at(-1) ?? [], exchanges.slice(0, -1));
  const names = definitions.map(({ name }) => name);
  const { texts, next, done, hasFailed } = advance(work, (call) => routeCall(call, names, work.outcomes));
  if (next.length > 0 && mayCall) return { text: "", calls: next };
  const left =
    hasFailed || !mayCall ? work.steps.slice(done).flatMap((step) => ("call" in step ? [labelOf(step.call)] : [])) : [];
  const undone = left.length === 0 ? "" : `Not done: ${left.join("; ")}. Say "go on" to continue.`;
  const text = [...texts, undone, ...work.notes].filter((each) => each !== "").join("\n\n");
  return { text: text === "" ? helpText : text, calls: [] };
}

const maxMessages = 400;

interface Work {
  readonly steps: readonly Step[];
  readonly outcomes: readonly CallOutcome[];
  /** Texts to add to the answer: messages that were not understood, and reports of background processes. */
  readonly notes: readonly string[];
}

type Exchange = readonly Message[];

/** Each exchange begins with a request and ends with an answer or with a call that the user cancelled. */
function splitExchanges(messages: readonly Message[]): readonly Exchange[] {
  const exchanges: Message[][] = [];
  let isAnswered = true;
  for (const message of messages) {
    if (message.role === "user" && isAnswered) exchanges.push([]);
    if (message.role === "user") isAnswered = false;
    exchanges.at(-1)?.push(message);
    if (message.role === "assistant" && message.calls.length === 0) isAnswered = true;
    if (message.role === "tool" && message.failed)
      isAnswered ||= /\bwas cancelled (?:before it started|while it ran)/u.test(shownContent(message.content));
  }
  return exchanges;
}

function workOf(exchange: Exchange, earlier: readonly Exchange[]): Work {
  let steps: Step[] = [];
  const outcomes: CallOutcome[] = [];
  const notes: string[] = [];
  const previous = earlier.at(-1);
  const before = previous && workOf(previous, earlier.slice(-maxExchanges, -1));
  let lastPath = lastPathOf(before?.steps ?? []);
  for (const message of exchange) {
    if (message.role === "assistant") outcomes.push(...message.calls.flatMap((call) => outcomeOf(call, exchange)));
    if (message.role !== "user") continue;
    const { words, input } = splitContent(message.content);
    if (/^(?:\[Summary of the |You (?:cannot|can no longer) call tools)/u.test(words)) continue;
    const isNews = /^Background process \S+ /u.test(words);
    const request = isNews ? undefined : readRequest(words, { lastPath, input });
    if (!request) {
      notes.push(isNews ? words : notUnderstood(words));
      continue;
    }
    if (request.dropsRest) steps = steps.slice(0, countDone(steps, outcomes));
    if (request.dropsRest && request.steps.length === 0) notes.push("Stopped.");
    const old = before?.steps ?? [];
    const repeated = request.again === "rest" ? old.slice(countDone(old, before?.outcomes ?? [])) : old;
    if (request.again && repeated.length === 0) notes.push("There is nothing to continue.");
    steps.push(...request.steps, ...(request.again ? repeated : []));
    lastPath = lastPathOf(steps) ?? lastPath;
  }
  return { steps, outcomes, notes };
}

function lastPathOf(steps: readonly Step[]): string | undefined {
  return steps.flatMap((step) => ("path" in step && step.path !== undefined ? [step.path] : [])).at(-1);
}

/** The number of earlier exchanges to which "it" and "again" can refer. */
const maxExchanges = 10;

/** The first text is the request; the others were piped in or attached. */
function splitContent(content: readonly ContentPart[]): { readonly words: string; readonly input?: string } {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const attached = texts.slice(1).join("\n");
  // The first line names the source of the text.
  const input = attached.replace(/^\s*[^\n]{1,60}:\n\n/u, "");
  // References such as @notes.txt contain the file name without the sign. Hermes adds explanations in brackets to some
  // prompts.
  const own = (texts[0] ?? "").replace(/^\[A side question [^\n]*\]\n|\n\n\[Work towards this goal [^\n]*\]$/u, "");
  const words = texts
    .slice(1)
    .flatMap((text) => /^Attached by the user: (?<reference>@\S+)/u.exec(text)?.groups?.["reference"] ?? [])
    .reduce((rest, reference) => rest.replaceAll(reference, reference.replace(/^@(?:file:)?/u, "")), own);
  return { words, ...(input !== "" && { input }) };
}

function outcomeOf(call: ToolCall, exchange: Exchange): CallOutcome[] {
  const result = exchange.find(
    (message): message is ToolMessage => message.role === "tool" && message.callId === call.id,
  );
  if (!result) return [];
  const first = result.content.find(({ type }) => type === "text");
  const data = objectIn(first?.type === "text" ? first.text : "");
  const args = objectIn(call.args);
  const inner = call.name === "tool_call" && typeof args["name"] === "string" ? args["name"] : undefined;
  return [
    {
      name: inner ?? call.name,
      args: inner === undefined ? args : objectIn(args["arguments"]),
      failed: result.failed,
      denied: result.failed && typeof data["cause"] === "string",
      data,
      text: shownContent(result.content),
    },
  ];
}

function objectIn(value: JsonValue | undefined): JsonObject {
  const parsed = typeof value === "string" ? parseJson(value, { maxChars: 5_000_000, maxDepth: 100 }) : undefined;
  const data = parsed?.ok ? parsed.value : value;
  return isObject(data) ? data : {};
}

interface Progress {
  readonly texts: readonly string[];
  readonly next: readonly PlannedCall[];
  readonly done: number;
  readonly hasFailed: boolean;
}

/** Matches the steps with the outcomes of their calls, up to the first step that needs another call. */
function advance(work: Pick<Work, "steps" | "outcomes">, route: Route): Progress {
  const outcomes = [...work.outcomes];
  const texts: string[] = [];
  const next: PlannedCall[] = [];
  let done = 0;
  for (const step of work.steps) {
    const result = advanceStep(step, outcomes);
    if ("name" in result) {
      const call = route(result);
      if (!call && next.length === 0) texts.push(`This session does not have the tool ${result.name}.`);
      if (!call) return { texts, next, done: done + 1, hasFailed: true };
      next.push(call);
      // Several read-only steps can run in parallel.
      if (call.name !== "read_file" && call.name !== "search_files") break;
    } else {
      if (next.length > 0) break;
      texts.push(result.text);
      done += 1;
      if (result.failed) return { texts, next, done, hasFailed: true };
    }
  }
  return { texts, next, done, hasFailed: false };
}

/** Returns the next call of a step, or its report. Removes the outcomes of the step from `outcomes`. */
function advanceStep(step: Step, outcomes: CallOutcome[]): PlannedCall | Report {
  if ("text" in step) return { text: step.text, failed: false };
  const first = takeOutcome(step.call, outcomes);
  if (!first) return step.call;
  const second = step.second?.(first);
  if (!second) return reportOf(first);
  if ("text" in second) return second;
  const outcome = takeOutcome(second, outcomes);
  return outcome ? reportOf(outcome) : second;
}

function takeOutcome({ name, args }: PlannedCall, outcomes: CallOutcome[]): CallOutcome | undefined {
  const argsText = canonicalJson(args);
  const index = outcomes.findIndex((each) => each.name === name && canonicalJson(each.args) === argsText);
  return index < 0 ? undefined : outcomes.splice(index, 1)[0];
}

function countDone(steps: readonly Step[], outcomes: readonly CallOutcome[]): number {
  return advance({ steps, outcomes }, (call) => call).done;
}

type Route = (call: PlannedCall) => PlannedCall | undefined;

/** Searches for a deferred tool first and calls it through `tool_call`. Undefined if the tool is missing. */
function routeCall(
  call: PlannedCall,
  names: readonly string[],
  outcomes: readonly CallOutcome[],
): PlannedCall | undefined {
  const { name, args } = call;
  if (names.includes(name)) return call;
  const searches = outcomes.filter((each) => each.name === "tool_search");
  if (searches.some((each) => listIn(each.data, "matches").some((match) => match["name"] === name)))
    return { name: "tool_call", args: { name, arguments: args } };
  const canSearch = names.includes("tool_search") && !searches.some((each) => each.args["query"] === name);
  return canSearch ? { name: "tool_search", args: { query: name } } : undefined;
}
