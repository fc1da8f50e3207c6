import type { CallId } from "../base/ids.ts";
import { isObject, type JsonObject, parsedJson } from "../base/json.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { SessionStore } from "../contracts/session/session.ts";
import type { Effect } from "../contracts/tool/effect.ts";

/** A call of an earlier turn that changed something, or that was refused before it could do so. */
export interface RecentCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly effects: readonly Effect[];
  readonly cwd: string;
}

const maxSessions = 50;

/** Returns the newest calls of a principal that do more than read, newest first, across sessions. */
export async function recentCalls(
  store: Pick<SessionStore, "list" | "entries">,
  who: Principal,
  limit: number,
  signal: AbortSignal,
): Promise<readonly RecentCall[]> {
  const calls: RecentCall[] = [];
  for (const { id, cwd = "/" } of await store.list({ limit: maxSessions }, who)) {
    if (calls.length >= limit) break;
    signal.throwIfAborted();
    const entries = await store.entries(id);
    const planned = new Set<CallId>(entries.flatMap((entry) => (entry.type === "planned" ? [entry.call.callId] : [])));
    for (const entry of entries.toReversed()) {
      if (entry.type === "planned") {
        const { tool, args, effects } = entry.call;
        const exec = effects.find((effect) => effect.kind === "exec");
        if (effects.some(({ kind }) => kind !== "read")) calls.push({ tool, args, effects, cwd: exec?.cwd ?? cwd });
      } else if (entry.type === "message" && entry.message.role === "assistant") {
        const refused = entry.message.calls.filter((call) => !planned.has(call.id));
        calls.push(...refused.toReversed().flatMap(({ name, args }) => refusedCommand(name, args, cwd) ?? []));
      }
    }
  }
  return calls.slice(0, limit);
}

/** The record of a refused call has no effects; the effect of a command follows from its arguments. */
function refusedCommand(tool: string, given: string | JsonObject, cwd: string): RecentCall | undefined {
  const args = typeof given === "string" ? parsedJson(given) : given;
  const command = isObject(args) ? args["command"] : undefined;
  if (!isObject(args) || typeof command !== "string") return undefined;
  // Safe cast: arguments of a stored call are JSON.
  return { tool, args: args as JsonObject, effects: [{ kind: "exec", command, cwd, background: false }], cwd };
}
