import { basename } from "node:path";

import { isObject } from "../../base/json.ts";
import type { ProgramExit } from "../../base/process/child-program.ts";
import { type RpcError, rpcCodes } from "../../base/rpc/json-rpc.ts";
import { oneLine } from "../../base/text/text.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { AgentCommand } from "../endpoint.ts";
import { classifyError, type ErrorContext } from "../wire/classify-error.ts";

/** Recognises an error message that the program sends as its answer: "400 The context is too long", "… (HTTP 404)". */
export function faultInText(words: string, call: AgentCommand, now: number): ModelError {
  const status = /^(4\d\d|5\d\d)\b|(?:HTTP|error:?) (4\d\d|5\d\d)\b/iu.exec(words);
  const given = status === null ? {} : { status: Number(status[1] ?? status[2]) };
  const error = classifyError({ ...given, body: { error: { message: words } } }, scene(call, now));
  return error.kind === "auth" ? signInFault(call, words) : error;
}

/** The error for a request that the program rejects, classified like an error of a server. */
export function refusalFault({ code, message, data }: RpcError, call: AgentCommand, now: number): ModelError {
  const more = isObject(data) ? (data["details"] ?? data["message"]) : data;
  const output = [message, typeof more === "string" && !message.includes(more) ? more : ""].filter(Boolean).join(": ");
  const body = { error: { message: output || `error ${code}` } };
  const error = classifyError({ body }, scene(call, now));
  if (error.kind === "auth" || (error.kind === "server" && code === authRequired)) return signInFault(call, output);
  const isOurs = code >= rpcCodes.invalidParams && code <= rpcCodes.invalidRequest;
  return error.kind === "server" && isOurs ? { ...error, kind: "invalid_request" } : error;
}

function signInFault(call: AgentCommand, output: string): ModelError {
  const why = output === "" ? "" : ` (${oneLine(output, 200)})`;
  return {
    kind: "auth",
    message: `${nameOf(call)} is not signed in${why}. Run \`${call.signIn}\` in a terminal, then ask again.`,
  };
}

/** The error if the program exited during a request. `hasAnswered`: it produced output before, so a retry may work. */
export function exitFault(call: AgentCommand, exit: ProgramExit, complaints: string, hasAnswered: boolean): ModelError {
  const why = complaints === "" ? "" : `: ${complaints}`;
  if (hasAnswered || exit.isKilled)
    return {
      kind: "network",
      message: `${nameOf(call)} ended with ${exit.description} before its answer was complete${why}`,
    };
  const line = [call.command, ...call.args].join(" ");
  return {
    kind: "not_found",
    message: `${nameOf(call)} ended with ${exit.description} before it sent any output${why}. Run \`${line}\` in a terminal to check it. Old versions do not support this command; update with: ${call.install}`,
  };
}

/** The error if the program violates the protocol. `reason` completes "copilot …". */
export function protocolFault(call: AgentCommand, reason: string): ModelError {
  return { kind: "malformed", message: `${nameOf(call)} ${reason}` };
}

export function versionFault(call: AgentCommand, version: unknown): ModelError {
  return {
    kind: "not_found",
    message: `${nameOf(call)} speaks version ${JSON.stringify(version) ?? "?"} of the Agent Client Protocol; Hermes supports version 1. Try another release: ${call.install}`,
  };
}

export function modelFault(call: AgentCommand, model: string, offered: readonly string[]): ModelError {
  return { kind: "not_found", message: `${nameOf(call)} has no model ${model}; it offers ${offered.join(", ")}` };
}

export function idleTimeoutFault(call: AgentCommand, ms: number, complaints: string): ModelError {
  const why = complaints === "" ? "" : `; standard error: ${complaints}`;
  return { kind: "stalled", message: `${nameOf(call)} sent nothing for ${Math.round(ms / 1000)} s${why}` };
}

export function totalTimeoutFault(call: AgentCommand, ms: number): ModelError {
  return { kind: "stalled", message: `${nameOf(call)} took longer than ${Math.round(ms / 1000)} s for its answer` };
}

export function stopFault(call: AgentCommand, reason: string): ModelError {
  return { kind: "server", message: `${nameOf(call)} stopped before its answer was complete (${oneLine(reason, 40)})` };
}

function scene(call: AgentCommand, now: number): ErrorContext {
  return { now, host: nameOf(call), key: undefined };
}

/** The name of the program in messages to the user. */
function nameOf({ command }: AgentCommand): string {
  return basename(command);
}

const authRequired = -32_000;
