import { createChannel } from "../../base/async/channel.ts";
import { newId } from "../../base/ids.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import type { PluginClient, PluginFault } from "../../contracts/plugin/client.ts";

/** An object that the plugin registered. The object stays in the plugin's process. */
export interface PluginObject {
  /** Calls one method of the object. The promise never rejects. */
  call(method: string, args: readonly JsonValue[], options: ObjectCallOptions): Promise<Result<unknown, PluginFault>>;
  /** Streams the items that one method yields. The last value is the result or the fault. */
  stream(method: string, args: readonly JsonValue[], signal: AbortSignal): AsyncIterable<StreamedItem>;
}

export type StreamedItem = { readonly item: unknown } | { readonly result: unknown } | { readonly fault: PluginFault };

export interface ObjectCallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Keyword arguments of a Python method. */
  readonly kwargs?: JsonObject;
}

export function pluginObject(client: PluginClient, id: string): PluginObject {
  return {
    call: (method, args, { kwargs = {}, ...limits }) =>
      client.request("object.call", { id, method, args: [...args], kwargs }, limits),
    async *stream(method, args, signal) {
      const channel = createChannel<StreamedItem>({ capacity: Infinity });
      const link = AbortSignal.any([signal, channel.readerLeft]);
      const params = { id, method, args: [...args], stream: newId("stream") };
      const onItem = (item: unknown) => void channel.push({ item });
      const answered = client.request("object.stream", params, { signal: link, onItem }).then((answer) => {
        channel.push(answer.ok ? { result: answer.value } : { fault: answer.error });
        return channel.end();
      });
      yield* channel;
      await answered;
    },
  };
}

/** Converts a value of the host to JSON for the plugin. Functions and undefined fields are dropped. */
export function asJson(value: object): JsonObject {
  // The cast is safe: the JSON of an object parses to an object.
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** The text of an answer. A fault or a value of another type counts as empty text. */
export function textOrNone(answer: Result<unknown, PluginFault>): string {
  return answer.ok && typeof answer.value === "string" ? answer.value : "";
}

/** Unwraps an answer: a plugin returns `{ ok, value }`, `{ ok, error }`, or the bare value. */
export function unwrapped(value: unknown): Result<unknown, unknown> {
  const given = value as { readonly ok?: unknown; readonly value?: unknown; readonly error?: unknown } | null;
  if (given?.ok === true) return ok(given.value);
  return given?.ok === false ? { ok: false, error: given.error } : ok(value);
}
