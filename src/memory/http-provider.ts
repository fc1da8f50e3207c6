import { isObject, type JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import { cut } from "../base/text.ts";
import type { MemoryProvider } from "../contracts/memory.ts";

export interface HttpProviderOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly timeoutMs: number;
  readonly log: Logger;
}

/**
 * A memory service over HTTP, five small requests with JSON both ways:
 *
 * - `GET status` → `{text}`
 * - `GET block` → `{text}` for the prompt
 * - `POST recall` `{query}` → `{text}`
 * - `POST turns` `{session, asked, answered}`
 * - `POST changes` `{target, changes}`
 *
 * A key goes along as `Authorization: Bearer`, and to this host alone: a redirect is an error.
 */
export function createHttpMemoryProvider({ url, key, timeoutMs, log }: HttpProviderOptions): MemoryProvider {
  const base = url.endsWith("/") ? url : `${url}/`;
  let noting: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function ask(
    path: string,
    body: JsonObject | undefined,
    signal: AbortSignal,
  ): Promise<Result<string, { readonly message: string }>> {
    try {
      const response = await fetch(new URL(path, base), {
        method: body ? "POST" : "GET",
        headers: {
          accept: "application/json",
          ...(body && { "content-type": "application/json" }),
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      if (!response.ok) {
        await response.body?.cancel();
        return err({ message: `${base} answered ${response.status}` });
      }
      return ok(textIn(await bounded(response)));
    } catch (thrown) {
      const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
      return err({ message: `${base} cannot be reached: ${reasonOf(cause)}` });
    }
  }

  async function answered(path: string, body: JsonObject | undefined, signal: AbortSignal): Promise<string> {
    const found = await ask(path, body, signal);
    if (!found.ok) log.warn("memory.provider", { error: found.error.message });
    return found.ok ? cut(found.value, mostChars) : "";
  }

  /** One after the other, and not without end: a service that is away must not fill the memory of this program. */
  function note(path: string, body: JsonObject): void {
    if (waiting >= mostWaiting) return;
    waiting++;
    noting = noting
      .then(() => answered(path, body, new AbortController().signal))
      .finally(() => {
        waiting--;
      });
  }

  return {
    name: "http",
    promptBlock: (signal) => answered("block", undefined, signal),
    recall: (query, signal) => answered("recall", { query: cut(query, mostChars) }, signal),
    noteTurn: ({ session, asked, answered: said }) =>
      note("turns", { session, asked: cut(asked, mostChars), answered: cut(said, mostChars) }),
    noteChange: ({ target, changes }) => note("changes", { target, changes: changes.map((change) => ({ ...change })) }),
    status: (signal) => ask("status", undefined, signal),
    async flush() {
      await noting;
    },
  };
}

const mostChars = 8_000;
const mostWaiting = 100;
const mostBytes = 256_000;

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(`the answer is longer than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function textIn(body: string): string {
  if (body.trim() === "") return "";
  const value: unknown = JSON.parse(body);
  const text = isObject(value) ? value["text"] : undefined;
  return typeof text === "string" ? text.trim() : "";
}
