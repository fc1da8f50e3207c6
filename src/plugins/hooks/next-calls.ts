import { type Id, newId } from "../../base/ids.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

type RunNext = (payload: JsonObject | undefined) => Promise<JsonValue>;

/** The wrapped calls whose middleware, in a plugin's process, may still call `next`. */
export interface NextCalls {
  /** Creates a token for one wrapped call. The token is valid until it is disposed. */
  open(run: RunNext): Disposable & { readonly token: string };
  /** Handles a `next` request from a plugin's process. Never rejects. */
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
      if (!run) return err("The wrapped call has ended, or the token belongs to another call.");
      try {
        // The cast is safe: the transport delivers only JSON.
        return ok(await run(isObject(payload) ? (payload as JsonObject) : undefined));
      } catch (thrown) {
        return err(reasonOf(thrown));
      }
    },
  };
}
