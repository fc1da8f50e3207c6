import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { Callable } from "./check-parts.ts";

/** Calls a method of a registered object. Keyword arguments and the abort signal are the last parameters. */
export function callObject(
  object: object,
  method: string,
  args: readonly JsonValue[],
  kwargs: JsonObject,
  signal: AbortSignal,
): unknown {
  const named = Object.keys(kwargs).length === 0 ? [] : [kwargs];
  return methodOf(object, method)(...args, ...named, signal);
}

/** Sends every item that the method yields. An environment yields its output; its return value is the exit code. */
export async function streamObject(
  object: object,
  method: string,
  args: readonly JsonValue[],
  signal: AbortSignal,
  send: (item: JsonValue) => void,
): Promise<unknown> {
  if (method === "run") return runScript(object, args, signal, send);
  const items = await methodOf(object, method)(...args, signal);
  if (!isIterable(items))
    throw new TypeError(`${method} must return an async iterable: async *${method}(…) { yield … }`);
  // The cast is safe: the connection serialises the plugin's value as JSON.
  for await (const item of items) send(item as JsonValue);
  return null;
}

async function runScript(
  object: object,
  [script, input]: readonly JsonValue[],
  signal: AbortSignal,
  send: (item: JsonValue) => void,
): Promise<unknown> {
  const write = (name: string) => (chunk: Uint8Array | string) =>
    send({ [name]: Buffer.from(chunk as Uint8Array).toString("base64") });
  const stdin = Buffer.from(typeof input === "string" ? input : "", "base64");
  return methodOf(object, "run")(script, {
    stdin,
    signal,
    writeOutput: write("output"),
    writeError: write("error"),
  });
}

/** Finds a method of the object, or of the `hooks` of a provider. */
function methodOf(object: object, name: string): Callable {
  const { hooks, [name]: own } = object as Readonly<Record<string, unknown>>;
  const owner = typeof own === "function" ? object : isObject(hooks) ? hooks : {};
  const method = (owner as Readonly<Record<string, unknown>>)[name];
  if (typeof method !== "function" || name === "constructor") throw new TypeError(`the object has no method ${name}`);
  // The cast is safe: the plugin's function checks its own arguments.
  return (method as Callable).bind(owner);
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}
