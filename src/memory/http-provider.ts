import type { Clock } from "../base/clock.ts";
import type { Http } from "../base/http/http-client.ts";
import { totalTimeout } from "../base/http/http-timeouts.ts";
import { readBody } from "../base/http/read-body.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log/log.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cut } from "../base/text/text.ts";
import type { MemoryProvider } from "../contracts/knowledge/memory.ts";

export interface HttpProviderOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly timeoutMs: number;
  readonly http: Http;
  readonly clock: Clock;
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
 * The key is sent as `Authorization: Bearer` to this host only: a redirect is an error.
 */
export function createHttpMemoryProvider({
  url,
  key,
  timeoutMs,
  http,
  clock,
  log,
}: HttpProviderOptions): MemoryProvider {
  const base = url.endsWith("/") ? url : `${url}/`;
  const leaving = new AbortController();
  let noting: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let awayUntil = -Infinity;

  async function ask(path: string, body: JsonObject | undefined, signal: AbortSignal): Promise<Result<string>> {
    const request = {
      method: body ? "POST" : "GET",
      url: new URL(path, base),
      headers: {
        accept: "application/json",
        ...(body && { "content-type": "application/json" }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      canRepeat: !body,
      redirects: "returned",
      maxBytes,
    } as const;
    const sent = await http.send(request, totalTimeout(timeoutMs), signal);
    if (!sent.ok) return err({ message: `${base} cannot be reached: ${sent.error.message}` });
    using response = sent.value;
    if (response.status < 200 || response.status > 299)
      return err({ message: `${base} answered with status ${response.status}` });
    const read = await readBody(response);
    if (!read.ok) return err({ message: `${base} cannot be read: ${read.error.message}` });
    const text = textIn(read.value.toString());
    return text === undefined ? err({ message: `${base} did not answer with JSON` }) : ok(text);
  }

  /** Skips a slow or failing service for a while, so that it does not delay every turn. */
  async function answered(path: string, body: JsonObject | undefined, signal: AbortSignal): Promise<string> {
    if (clock.elapsed() < awayUntil) return "";
    const startedAt = clock.elapsed();
    const result = await ask(path, body, signal);
    if (result.ok) return cut(result.value, maxChars);
    if (signal.aborted) return "";
    if (clock.elapsed() - startedAt > quickMs) awayUntil = clock.elapsed() + awayMs;
    log.warn("memory.provider", { error: result.error.message });
    return "";
  }

  /**
   * Sends one note at a time and limits the queue, so that an unreachable service does not fill the memory of Hermes.
   */
  function note(path: string, body: JsonObject): void {
    if (waiting >= maxWaiting) return;
    waiting++;
    noting = noting
      .then(() => answered(path, body, leaving.signal))
      .finally(() => {
        waiting--;
      });
  }

  return {
    name: "http",
    promptBlock: (signal) => answered("block", undefined, signal),
    recall: (query, signal) => answered("recall", { query: cut(query, maxChars) }, signal),
    noteTurn: ({ session, asked: request, answered: output }) =>
      note("turns", { session, asked: cut(request, maxChars), answered: cut(output, maxChars) }),
    noteChange: ({ target, changes }) => note("changes", { target, changes: changes.map((change) => ({ ...change })) }),
    status: (signal) => ask("status", undefined, signal),
    async flush(signal) {
      const leave = () => leaving.abort();
      signal.addEventListener("abort", leave, { once: true });
      await noting;
      signal.removeEventListener("abort", leave);
    },
  };
}

const maxChars = 8_000;
const maxWaiting = 100;
const maxBytes = 256_000;
const awayMs = 30_000;
const quickMs = 500;

/** Returns undefined if the body is not JSON. */
function textIn(body: string): string | undefined {
  if (body.trim() === "") return "";
  try {
    const value: unknown = JSON.parse(body);
    const text = isObject(value) ? value["text"] : undefined;
    return typeof text === "string" ? text.trim() : "";
  } catch {
    return undefined;
  }
}
