import { isObject } from "../../base/json.ts";
import type { FitOutcome } from "../../contracts/model/context.ts";
import type { ContentPart, Message } from "../../contracts/model/message.ts";
import type { ModelEvent, ModelFacts, SystemPart } from "../../contracts/model/model.ts";
import type { TurnEnd } from "../../contracts/session/event.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";

/**
 * A recording is a file of these JSON lines in chronological order. Secrets are redacted before a line is written, and
 * digests are computed from the redacted form.
 */
export type RecordingLine =
  | OpenedLine
  | { readonly type: "turn"; readonly prompt: readonly ContentPart[] }
  /** Messages that reached the running turn: steering, process notes. */
  | { readonly type: "said"; readonly content: readonly ContentPart[] }
  | RecordedRequest
  | RecordedAnswer
  | { readonly type: "results"; readonly results: readonly RecordedResult[] }
  | { readonly type: "fit"; readonly why: string; readonly outcome: FitOutcome }
  | { readonly type: "end"; readonly reason: TurnEnd; readonly why?: string }
  | { readonly type: "undo"; readonly turns: number }
  | { readonly type: "compress"; readonly focus?: string; readonly keepExchanges?: number }
  | { readonly type: "model"; readonly name: string; readonly facts: ModelFacts };

/** Written each time the session is opened. */
export interface OpenedLine {
  readonly type: "opened";
  readonly format: 1;
  readonly session: string;
  readonly at: number;
  readonly cwd?: string;
  readonly model: ModelFacts;
  readonly modelCalls: number;
  readonly system: readonly SystemPart[];
  readonly tools: readonly string[];
  /**
   * The history at the start. Only in the first line of this type, because later histories follow from the lines before
   * them.
   */
  readonly history?: readonly Message[];
}

export interface RecordedRequest {
  readonly type: "request";
  /** The number of messages of the previous request that precede `messages`. */
  readonly kept: number;
  readonly messages: readonly Message[];
  /** A digest of all messages, without call ids. */
  readonly digest: string;
}

export interface RecordedAnswer {
  readonly type: "answer";
  /** Consecutive deltas are joined; an aborted answer has no `finish` or `error`. */
  readonly events: readonly ModelEvent[];
}

export interface RecordedResult {
  readonly tool: string;
  readonly result: ToolResult;
  readonly durationMs: number;
  readonly summary: string;
}

const types: ReadonlySet<string> = new Set<RecordingLine["type"]>([
  "opened",
  "turn",
  "said",
  "request",
  "answer",
  "results",
  "fit",
  "end",
  "undo",
  "compress",
  "model",
]);

/** Validates a line of an untrusted file. */
export function isRecordingLine(value: unknown): value is RecordingLine {
  if (!isObject(value) || typeof value["type"] !== "string" || !types.has(value["type"])) return false;
  switch (value["type"]) {
    case "opened":
      return (
        value["format"] === 1 &&
        isFacts(value["model"]) &&
        isList(value["system"], hasText) &&
        areMessages(value["history"] ?? [])
      );
    case "turn":
      return isList(value["prompt"], isPart);
    case "said":
      return isList(value["content"], isPart);
    case "request":
      return areMessages(value["messages"]) && typeof value["kept"] === "number" && typeof value["digest"] === "string";
    case "answer":
      return isList(value["events"], isEvent);
    case "results":
      return isList(value["results"], (each) => typeof each["tool"] === "string" && isResult(each["result"]));
    case "fit":
      return isObject(value["outcome"]) && isOutcome(value["outcome"]);
    case "undo":
      return Number.isInteger(value["turns"]);
    case "model":
      return isFacts(value["facts"]) && typeof value["name"] === "string";
    default:
      return true;
  }
}

type Fields = Record<string, unknown>;

function isList(value: unknown, is: (item: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && is(item));
}

function hasText({ text }: Fields): boolean {
  return typeof text === "string";
}

function isPart(part: Fields): boolean {
  return typeof part["type"] === "string" && (part["type"] !== "text" || hasText(part));
}

function areMessages(value: unknown): boolean {
  return isList(value, isMessage);
}

function isMessage({ role, content, calls, callId, name }: Fields): boolean {
  if (!isList(content, isPart)) return false;
  if (role === "assistant") return isList(calls, isCall);
  return role === "user" || (role === "tool" && typeof callId === "string" && typeof name === "string");
}

function isCall({ id, name, args }: Fields): boolean {
  return typeof id === "string" && typeof name === "string" && (typeof args === "string" || isObject(args));
}

function isFacts(value: unknown): boolean {
  return isObject(value) && typeof value["model"] === "string" && typeof value["contextTokens"] === "number";
}

function isEvent(event: Fields): boolean {
  switch (event["type"]) {
    case "finish":
      return (
        isObject(event["message"]) && isMessage(event["message"]) && isObject(event["usage"]) && isFacts(event["by"])
      );
    case "error":
    case "failed":
      return isObject(event["error"]) && typeof event["error"]["message"] === "string";
    case "text":
    case "reasoning":
      return typeof event["delta"] === "string";
    default:
      return typeof event["type"] === "string";
  }
}

function isResult(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { ok, value: output, error } = value;
  if (ok === true) return isObject(output) && isList(output["content"], isPart);
  return (
    ok === false && isObject(error) && typeof error["message"] === "string" && isList(error["content"] ?? [], isPart)
  );
}

function isOutcome({ failed, compaction }: Fields): boolean {
  if (typeof failed === "string") return true;
  return isObject(compaction) && Number.isInteger(compaction["covers"]) && areMessages(compaction["messages"]);
}
