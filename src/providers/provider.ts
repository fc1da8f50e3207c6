import { once } from "../base/async/once.ts";
import type { Clock } from "../base/clock.ts";
import type { HttpResponse } from "../base/http/exchange.ts";
import type { Http, HttpRequest } from "../base/http/http-client.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { Message } from "../contracts/model/message.ts";
import type { ModelDelta, ModelError, ModelProvider, ModelRequest } from "../contracts/model/model.ts";
import type { RewriteBody } from "../contracts/plugin/plugin.ts";
import type { Endpoint } from "./endpoint.ts";
import type { AnswerDecoder, ProtocolAdapter } from "./protocols/adapter.ts";
import { loadAdapter } from "./protocols/load-adapter.ts";
import { createToolWriter, type WireTools } from "./protocols/wire-tools.ts";
import type { SchemaProvider } from "./schema/provider-rules.ts";
import { createBodyReader, isForeignBody } from "./wire/body-reader.ts";
import { classifyError, classifyFailure, withoutKey, type ErrorContext } from "./wire/classify-error.ts";

export interface ProviderDeps {
  readonly http: Http;
  readonly clock: Clock;
  /** Changes the body of each request. */
  readonly rewriteBody?: RewriteBody;
}

/**
 * A provider for one endpoint and one key: each `stream` is one request. Aborting closes the connection immediately.
 */
export function createProvider(endpoint: Endpoint, deps: ProviderDeps): ModelProvider {
  const { quirks = {}, key } = endpoint;
  const speaker = once(() => loadAdapter(endpoint.protocol));
  const writeTools = createToolWriter(quirks.schema ?? schemas[endpoint.protocol]);
  const writeBody = createBodyWriter();
  const written = new WeakMap<Message, unknown>();
  const memo = <M extends Message, T>(message: M, make: (message: M) => T): T => {
    // Safe cast: the role of a message determines the function that serialises it, so the cached type matches.
    const match = (written.get(message) as T | undefined) ?? make(message);
    written.set(message, match);
    return match;
  };

  async function ask(request: ModelRequest, signal: AbortSignal): Promise<Result<ProviderRequest, ModelError>> {
    const spoken = await speaker();
    const tools = await writeTools(request.tools);
    const url = addressOf(spoken, request, endpoint);
    if (url === undefined)
      return err({
        kind: "invalid_request",
        message: `the base URL of ${endpoint.providerId} is not a server address`,
      });
    const own = merged(spoken.body(request, { endpoint, tools, memo }), quirks.body);
    const rewritten = deps.rewriteBody ? await deps.rewriteBody(own, request, signal) : ok(own);
    if (!rewritten.ok) return err({ kind: "invalid_request", message: rewritten.error.message });
    const body = writeBody(rewritten.value);
    const headers = headersOf(spoken, request, endpoint);
    const unfit = unfitHeader(headers, endpoint);
    if (unfit) return err(unfit);
    const plain = { method: "POST", url, headers, body } as const;
    const sent = await deps.http.send(await signed(plain), endpoint.timeouts ?? {}, signal);
    if (!sent.ok) return err(classifyFailure(sent.error, key));
    const answer = sent.value;
    const { status } = answer;
    const scene = { now: deps.clock.now(), host: url.host, key };
    if (status >= 200 && status <= 299) return ok({ spoken, tools, answer, scene });
    using refused = answer;
    refused.shortenWait();
    return err(classifyError({ status, headers: answer.headers, body: await textOf(refused) }, scene));
  }

  async function signed(request: HttpRequest): Promise<HttpRequest> {
    if (quirks.auth !== "aws" || key === undefined) return request;
    const [{ signAws }, { unpackAwsKeys }] = await Promise.all([
      import("./wire/sign-aws.ts"),
      import("./credentials/aws/aws-keys.ts"),
    ]);
    const scope = { region: "us-east-1", service: "bedrock", ...quirks.aws, now: deps.clock.now() };
    return { ...request, headers: { ...request.headers, ...signAws(request, unpackAwsKeys(key), scope) } };
  }

  return {
    id: endpoint.providerId,
    async *stream(request, signal) {
      let answer: HttpResponse | undefined;
      try {
        const opened = await ask(request, signal);
        if (!opened.ok) return yield { type: "error", error: opened.error };
        const { spoken, tools, scene } = opened.value;
        answer = opened.value.answer;
        let events: ModelDelta[] = [];
        let broken: string | undefined;
        let hasContent = false;
        const decoder = spoken.decoder({ endpoint, tools, emit: (delta) => add(delta, events) });
        const reader = createBodyReader({
          json(value, event) {
            const { is } = decoder.state();
            if (is !== "ended" && is !== "failed" && decoder.json(value, event)) hasContent = true;
          },
          done: () => decoder.done(),
          broken: (why) => (broken = why),
        });
        for (let over: ModelError | "complete" | undefined; over !== "complete";) {
          const next = await answer.read();
          if (next.ok && next.value !== undefined) reader.push(next.value);
          else if (next.ok) reader.end();
          if (hasContent) answer.noteContent();
          hasContent = false;
          const ready = events;
          events = [];
          for (const event of ready) yield event;
          over = endOf(decoder, next, broken, scene);
          if (over !== undefined && over !== "complete") return yield { type: "error", error: over };
          if (decoder.state().is === "finishing") answer.shortenWait();
        }
        answer.drain();
        // The caller may stop reading after the finish event.
        answer[Symbol.dispose]();
        const { message, usage } = decoder.answer();
        for (const event of events) yield event;
        yield { type: "finish", message, usage };
      } catch (thrown) {
        const message = withoutKey(`${endpoint.providerId}: ${reasonOf(thrown)}`, key);
        yield { type: "error", error: { kind: "malformed", message } };
      } finally {
        answer?.[Symbol.dispose]();
      }
    },
  };
}

/** Merges the deltas that arrived in one packet. */
function add(delta: ModelDelta, events: ModelDelta[]): void {
  const last = events.at(-1);
  if (delta.type !== "call" && last?.type === delta.type)
    events[events.length - 1] = { ...delta, delta: last.delta + delta.delta };
  else events.push(delta);
}

/** A request that the server accepted. */
interface ProviderRequest {
  readonly spoken: ProtocolAdapter;
  readonly tools: WireTools;
  readonly answer: HttpResponse;
  readonly scene: ErrorContext;
}

/** Returns the final event of a complete or interrupted answer, or undefined if there is more to read. */
function endOf(
  decoder: AnswerDecoder,
  next: Awaited<ReturnType<HttpResponse["read"]>>,
  broken: string | undefined,
  context: ErrorContext,
): ModelError | "complete" | undefined {
  const state = decoder.state();
  if (state.is === "failed") return classifyError({ body: state.error }, context);
  if (state.is === "ended") return "complete";
  if (!next.ok && (state.is === "open" || next.error.kind === "aborted"))
    return classifyFailure(next.error, context.key);
  if (state.is === "open" && broken !== undefined) {
    const message = withoutKey(`${context.host} sent ${broken}`, context.key);
    // Another server answers at this address; it would answer a retry in the same way.
    return { kind: isForeignBody(broken) ? "not_found" : "malformed", message };
  }
  if (next.ok && next.value !== undefined) return undefined;
  return state.is === "finishing" ? "complete" : cutShort(decoder, context.host);
}

const schemas: Readonly<Record<Endpoint["protocol"], SchemaProvider>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  "anthropic-messages": "anthropic",
  gemini: "gemini",
};

function addressOf(speaker: ProtocolAdapter, request: ModelRequest, endpoint: Endpoint): URL | undefined {
  const { baseUrl, quirks = {}, key } = endpoint;
  const base = URL.parse(baseUrl);
  if (base?.protocol !== "http:" && base?.protocol !== "https:") return undefined;
  const path = quirks.path?.replaceAll("{model}", encodeURIComponent(request.model)) ?? speaker.path(request, endpoint);
  const [below = "", query = ""] = path.split("?", 2);
  base.pathname = `${base.pathname.replace(/\/+$/u, "")}${below}`;
  for (const [name, value] of new URLSearchParams(query)) base.searchParams.set(name, value);
  for (const [name, value] of Object.entries(quirks.query ?? {})) base.searchParams.set(name, value);
  if (quirks.auth === "query" && key !== undefined) base.searchParams.set("key", key);
  return base;
}

function headersOf(
  speaker: ProtocolAdapter,
  { conversation }: ModelRequest,
  endpoint: Endpoint,
): Record<string, string> {
  const { key, headers = {}, quirks = {} } = endpoint;
  const auth = quirks.auth ?? speaker.auth;
  const inHeader = key !== undefined && key !== "" && !["none", "query", "aws"].includes(auth);
  const route = quirks.conversationHeader;
  return {
    "content-type": "application/json",
    accept: "text/event-stream, application/json",
    ...speaker.headers,
    ...(inHeader ? (auth === "bearer" ? { authorization: `Bearer ${key}` } : { [auth]: key }) : {}),
    ...(route !== undefined && conversation !== undefined ? { [route]: conversation } : {}),
    ...lowered(headers),
  };
}

/** Rejects header values that cannot be sent, before the request is made: a retry would not help. */
function unfitHeader(headers: Readonly<Record<string, string>>, { key, providerId }: Endpoint): ModelError | undefined {
  const unfit = Object.entries(headers).find(([, value]) => !/^[\t\u0020-\u007E\u0080-\u00FF]*$/u.test(value));
  if (!unfit) return undefined;
  const [name, value] = unfit;
  if (key === undefined || !value.includes(key))
    return {
      kind: "invalid_request",
      message: `the header ${name} for ${providerId} contains characters that a header cannot carry`,
    };
  const what = "contains a character that no key has, such as a curly quote or a line break";
  return { kind: "auth", message: `The key for ${providerId} ${what}. Copy it again: hermes auth add ${providerId}` };
}

/** Names are in lower case, so that headers of the endpoint override the defaults. */
function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function merged(body: JsonObject, more: JsonObject | undefined): JsonObject {
  if (more === undefined) return body;
  return Object.fromEntries(Object.entries({ ...body, ...more }).filter(([, value]) => value !== null));
}

/** Returns the start of the text of an error response. */
async function textOf(answer: HttpResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (bytes < 2 ** 20) {
    const next = await answer.read();
    if (!next.ok || next.value === undefined) break;
    bytes += next.value.length;
    chunks.push(next.value);
  }
  return Buffer.concat(chunks).toString();
}

function cutShort(decoder: AnswerDecoder, host: string): ModelError {
  const { message } = decoder.answer();
  const empty = message.content.length === 0 && message.calls.length === 0 && message.reasoning === undefined;
  if (empty) return { kind: "malformed", message: `${host} sent an empty answer` };
  return { kind: "network", message: `the answer from ${host} ended early` };
}

/**
 * Writes the same bytes as `JSON.stringify`. Caches the elements of top-level lists (messages, tools) as long as
 * they are the same objects, so a long conversation costs only its new messages.
 */
export function createBodyWriter(): (body: JsonObject) => Buffer {
  const written = new WeakMap<object, Buffer>();

  function element(value: JsonValue): Buffer {
    if (typeof value !== "object" || value === null) return Buffer.from(JSON.stringify(value));
    const bytes = written.get(value) ?? Buffer.from(JSON.stringify(value));
    written.set(value, bytes);
    return bytes;
  }

  return (body) => {
    const parts: Buffer[] = [];
    let before = "{";
    for (const [name, value] of Object.entries(body)) {
      before += `${JSON.stringify(name)}:`;
      if (Array.isArray(value)) {
        parts.push(Buffer.from(`${before}[`));
        value.forEach((each, index) => parts.push(...(index > 0 ? [comma] : []), element(each)));
        before = "],";
      } else before += `${JSON.stringify(value)},`;
    }
    parts.push(Buffer.from(`${before.replace(/,$/u, "")}}`));
    return Buffer.concat(parts);
  };
}

const comma = Buffer.from(",");
