import { linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { createHttp, type Http } from "../../base/http/http-client.ts";
import { readBody } from "../../base/http/read-body.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { localRows } from "../../providers/endpoints/rows-local.ts";

/** A program on this machine with the API of a provider. */
export interface LocalServer {
  /** The id in the table of providers. */
  readonly provider: string;
  readonly title: string;
  readonly models: readonly string[];
}

export interface LocalServerDeps {
  readonly clock: Clock;
  /** Addresses that replace the default ones, by provider. */
  readonly addresses?: Readonly<Record<string, string>>;
}

/**
 * Queries the default addresses of Ollama, LM Studio, llama.cpp and vLLM in parallel, on this machine only. Takes at
 * most `timeoutMs` and never rejects; omits servers with other responses.
 */
export async function findLocalServers(deps: LocalServerDeps, signal: AbortSignal): Promise<readonly LocalServer[]> {
  using http = createHttp({ clock: deps.clock, maxBytes });
  const matches = await Promise.all(
    candidates(deps.addresses).map((candidate) => ask(candidate, http, deps.clock, signal)),
  );
  return matches.filter((server) => server !== undefined);
}

/** A sentence that offers the server; undefined if it has no model. */
export function describeServer({ provider, title, models }: LocalServer): string | undefined {
  const [first, ...others] = models;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${title} with ${first}${more} runs here: /model ${provider}/${first} uses it`;
}

const timeoutMs = 300;
const maxBytes = 1_000_000;

interface Candidate {
  readonly provider: string;
  readonly title: string;
  readonly baseUrl: string;
}

function candidates(addresses: LocalServerDeps["addresses"]): readonly Candidate[] {
  return localRows
    .filter(({ local }) => local)
    .flatMap(({ id, title, baseUrl }) => {
      const address = addresses ? addresses[id] : baseUrl;
      return address === undefined ? [] : [{ provider: id, title, baseUrl: address }];
    });
}

async function ask(
  { provider, title, baseUrl }: Candidate,
  http: Http,
  clock: Clock,
  signal: AbortSignal,
): Promise<LocalServer | undefined> {
  using link = linkAbort(signal);
  using _late = clock.after(timeoutMs, () => link.abort());
  const url = new URL(`${baseUrl.replace(/\/$/u, "")}/models`);
  const sent = await http.send({ method: "GET", url, headers: { accept: "application/json" } }, {}, link.signal);
  if (!sent.ok) return undefined;
  using answer = sent.value;
  if (answer.status !== 200) return undefined;
  const body = await readBody(answer);
  const models = body.ok ? modelNames(body.value.toString()) : undefined;
  return models && { provider, title, models };
}

/** Chat models first, then embedding models. Undefined if the text is not a list of models. */
function modelNames(text: string): readonly string[] | undefined {
  const parsed = parseJson(text, { maxChars: maxBytes, maxDepth: 20 });
  const list = parsed.ok && isObject(parsed.value) ? parsed.value["data"] : undefined;
  if (!Array.isArray(list)) return undefined;
  const names = list.flatMap((model: unknown) =>
    isObject(model) && typeof model["id"] === "string" ? [model["id"]] : [],
  );
  // Accepts only plain names, because they are shown and typed in a terminal.
  const plain = names.filter((name) => /^[\w.:@/+-]{1,200}$/u.test(name));
  return [...plain.filter((name) => !embeds.test(name)), ...plain.filter((name) => embeds.test(name))];
}

const embeds = /embed|bge-|rerank/iu;
