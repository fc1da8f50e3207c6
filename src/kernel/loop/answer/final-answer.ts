import type { SessionId } from "../../../base/ids.ts";
import { firstSentence, endsInCodeBlock } from "../../../base/text/text.ts";
import type { HookBus } from "../../../contracts/host/hook.ts";
import type { AssistantMessage, UserMessage } from "../../../contracts/model/message.ts";
import type { ModelClient } from "../../../contracts/model/model.ts";
import type { AgentEventBody, TurnEnd } from "../../../contracts/session/event.ts";
import { tryRemedy, type TurnState } from "../turn-state.ts";
import type { UnfinishedAnswer } from "../verification.ts";

/** Decides how a turn continues after an answer without calls. Without `end`, the model is called again. */
export interface AnswerStep {
  readonly store: boolean;
  readonly end?: { readonly reason: TurnEnd; readonly why?: string };
}

interface AnswerPorts {
  readonly hooks: HookBus;
  readonly scope: { readonly sessionId: SessionId };
  readonly limits: { readonly verifyNudges?: number };
  model(): Pick<ModelClient, "facts">;
  emit(event: AgentEventBody): void;
  unfinished?(state: UnfinishedAnswer): Promise<string | undefined>;
}

const emptyLimit = 3;
const longerLimit = 4;
const defaultVerifyNudges = 3;
const asTextLimit = 2;

export async function afterAnswer(
  message: AssistantMessage,
  state: TurnState,
  ports: AnswerPorts,
  signal: AbortSignal,
): Promise<AnswerStep> {
  const text = textOf(message);
  const store = text.trim() !== "";
  // The model added nothing after a truncated answer, so the answer was complete.
  if (!store && state.answer.length === 0) {
    if (state.saidBeside.trim() !== "") {
      state.answer = [state.saidBeside];
      return { store: false, end: { reason: "answered" } };
    }
    if (message.stop === "refused")
      return { store: false, end: { reason: "failed", why: "The model refused to answer." } };
    if (!tryRemedy(state, "empty", emptyLimit)) {
      const why = `The model gave an empty answer ${emptyLimit + 1} times. Ask again, or use another model.`;
      return { store: false, end: { reason: "failed", why } };
    }
    state.aside = aside("Your last answer was empty. Answer now, or continue the work.");
    return { store: false };
  }
  const isCall = endsWithTextCall(text);
  if (isCall && tryRemedy(state, "as_text", asTextLimit)) {
    ports.emit({ type: "notice", level: "warn", text: "The model wrote a tool call as text. Hermes asks it again." });
    state.aside = aside(
      "You wrote a tool call as text: nothing was run. Make it as a real tool call, or answer in words.",
    );
    return { store: false };
  }
  if (store) state.answer.push(text);
  if (message.stop === "length" && tryRemedy(state, "longer", longerLimit)) {
    state.aside = aside("Your answer was cut off. Continue exactly where it ended, without repeating anything.");
    return { store };
  }
  const attempt = state.tried.get("verify") ?? 0;
  const { verifyNudges = defaultVerifyNudges } = ports.limits;
  const answer = state.answer.join("");
  const more = attempt < verifyNudges ? await ports.unfinished?.({ turnId: state.id, answer, attempt }) : undefined;
  if (more !== undefined && tryRemedy(state, "verify", verifyNudges)) {
    state.answer = [];
    state.aside = aside(more);
    return { store };
  }
  const about = { sessionId: ports.scope.sessionId, turnId: state.id, model: ports.model().facts().model };
  const changed = await ports.hooks.ask("transformAnswer", { ...about, text: answer }, signal);
  if (changed !== undefined) state.answer = [changed];
  if (message.stop === "length") return { store, end: { reason: "answered", why: "The answer is cut off." } };
  if (message.stop === "refused") return { store, end: { reason: "answered", why: "The model refused to continue." } };
  if (isCall)
    return { store, end: { reason: "answered", why: "The model wrote a tool call as text; it was not run." } };
  return { store, end: { reason: "answered" } };
}

/** Bookkeeping tools: text that accompanies only such calls may be the whole answer. */
const bookkeeping: ReadonlySet<string> = new Set(["memory", "todo", "skill_manage", "session_search"]);

/** Calls start a new step: text before them is not the answer, unless all calls are bookkeeping. */
export function beforeCalls(message: AssistantMessage, state: TurnState): void {
  state.answer = [];
  state.saidBeside = message.calls.every(({ name }) => bookkeeping.has(name)) ? textOf(message) : "";
}

function textOf({ content }: AssistantMessage): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function aside(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/**
 * Returns whether an answer ends with a call written as text, which happens if the server does not parse the model's
 * calls. A call in a code block, in quotes or before more words is only a mention.
 */
export function endsWithTextCall(text: string): boolean {
  const whole = text.trimEnd();
  const from = Math.max(0, whole.length - maxChars);
  const tail = whole.slice(from);
  return forms.some(({ begins, goesToEnd }) => {
    const start = Array.from(tail.matchAll(begins)).at(-1)?.index;
    return start !== undefined && goesToEnd.test(tail.slice(start)) && !endsInCodeBlock(whole.slice(0, from + start));
  });
}

const maxChars = 20_000;

/** The start of the last call, and conditions on the text after it. */
const forms: readonly { readonly begins: RegExp; readonly goesToEnd: RegExp }[] = [
  // The formats of Hermes, Qwen and Claude.
  {
    begins: /^ {0,3}<(?:tool_call>\s*(?:\{|<function=)|function=[\w.-]+>|function_calls>|invoke name="[\w.-]+">)/gmu,
    goesToEnd: /^(?![\s\S]*<\/(?:tool_call|function|function_calls|invoke)>\s*[^\s<])/u,
  },
  // GPT-OSS.
  { begins: /(?:^|[ >])to=functions\.\w[^\n{]{0,200}\{/gmu, goesToEnd: /\}$/u },
  // Mistral.
  {
    begins: /^ {0,3}\[TOOL_CALLS\]\s*(?:\[\s*\{|[\w.-]+\s*(?:\{|\[(?:ARGS|CALL_ID)\]))/gmu,
    goesToEnd: /[}\]](?:<\/s>)?$/u,
  },
  // Llama.
  { begins: /(?<!["'`])<\|python_tag\|>\s*(?:[{[]|[\w.]+\()/gu, goesToEnd: /[}\])](?:<\|\w+\|>)?$/u },
  // The formats of Phi and Gemma.
  { begins: /(?<!["'`])<\|tool_call\|?>\s*(?:[{[]|call:)/gu, goesToEnd: /[}\]](?:<[|/\w]+>)?$/u },
  // Kimi.
  {
    begins: /(?<!["'`])<\|tool_call_begin\|>\s*[\w.-]+:\d+\s*<\|tool_call_arg/gu,
    goesToEnd: /(?:\}|_end\|>)$/u,
  },
  // DeepSeek.
  {
    begins: /(?<!["'`])<｜tool▁call▁begin｜>[\w.-]*\s*<｜tool▁sep｜>/gu,
    goesToEnd: /^(?![\s\S]*<｜tool▁calls?▁end｜>\s*[^\s<])/u,
  },
];

/** The denial text addresses the model; the user needs a text that names the next step. */
export function deniedText(denial: string, byPerson: boolean): string {
  const last = firstSentence(denial, 300);
  if (byPerson)
    return `You denied several calls in a row, so the turn stopped. The last one: ${last} Tell the model how to continue.`;
  return `So many calls were denied in a row that the turn was stopped. The last one: ${last} Allow what is right with \`hermes policy allow\`, or answer the questions at a terminal: hermes.`;
}
