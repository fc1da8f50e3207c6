import type { JsonObject } from "../../src/base/json.ts";
import type { TurnOutcome } from "../../src/contracts/session/event.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import { type ScriptedModel, scriptedModel } from "./scripted-model.ts";

/** A model that makes the call that a prompt contains as JSON and repeats any other prompt. A request costs half a dollar. */
export function obedientModel(): ScriptedModel {
  return scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    const usage = { input: 100, output: 10, costUsd: 0.5 };
    if (last?.role !== "user") return { text: "done", usage };
    const text = last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    return text.startsWith("{") ? { calls: [JSON.parse(text)], usage } : { text: `You said: ${text}`, usage };
  });
}

export function say(session: Session, text: string): Promise<TurnOutcome> {
  return session.prompt([{ type: "text", text }]).done;
}

/** The result of one tool call in that session, as JSON. */
export async function call(session: Session, name: string, args: JsonObject): Promise<string> {
  await say(session, JSON.stringify({ name, args }));
  return JSON.stringify(session.history().findLast(({ role }) => role === "tool"));
}
