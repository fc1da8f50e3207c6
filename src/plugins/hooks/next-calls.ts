import { type Id, newId } from "../../base/ids.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

type RunNext = (payload: JsonObject | undefined) => Promise<JsonValue>;

/** The wrapped calls that wait for `next` from a plugin's process. */
export interface NextCalls {
  /** Opens a token for one call, until it is disposed. */
  open(run: RunNext): Disposable & { readonly token: string };
  /** Answers the request `next` of a process. Never rejects. */
  answer(params: Readonly<Record<string, unknown>>): Promise<Result<JsonValue, string>>;
}

export function createNextCalls(): NextCalls {
  const waiting = new Map<string, RunNext>();
  return {
    open(run) {
      const token = newId<Id<"next">>("next");
      waiting.set(token, run);
      return { token, [Symbol.dispose]: () => void waiting.delete(token) };
    },
    async answer({ token, payload }) {
      const run = typeof token === "string" ? waiting.get(token) : undefined;
      if (!run) return err("The wrapped call has ended, or this is not its token.");
      try {
        // The transport delivers JSON.
        return ok(await run(isObject(payload) ? (payload as JsonObject) : undefined));
      } catch (thrown) {
        return err(reasonOf(thrown));
      }
    },
  };
}
