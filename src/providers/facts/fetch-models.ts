import type { Clock } from "../../base/clock.ts";
import type { Http, HttpRequest } from "../../base/http/http-client.ts";
import { readBody } from "../../base/http/read-body.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { Credential } from "../credentials/credential-pool.ts";
import { modelListUrl } from "../endpoints/make-route.ts";
import { originOf, type Route } from "../endpoints/route.ts";
import { classifyError, classifyFailure } from "../wire/classify-error.ts";
import type { ListedModel } from "./facts-file.ts";
import { readModelList, readWindows } from "./read-model-list.ts";

/** Fetches the model list of an endpoint. Sends the key only to the provider's own hosts. */
export async function fetchModels(
  route: Route,
  credential: Credential | undefined,
  { http, clock }: { readonly http: Http; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Result<readonly ListedModel[], ModelError>> {
  const keyAt = credential?.baseUrl ?? route.baseUrl;
  const isElsewhere = originOf(keyAt) !== originOf(route.baseUrl);
  const url = URL.parse(route.modelsUrl === undefined ? "" : isElsewhere ? modelListUrl(keyAt) : route.modelsUrl);
  if (!url) return err({ kind: "not_found", message: `${route.providerId} has no model list` });
  const isOwn = url.origin === originOf(keyAt) || (!isElsewhere && route.keys.home.includes(url.origin));
  const key = isOwn ? credential?.key : undefined;

  async function get(address: URL): Promise<Result<unknown, ModelError>> {
    const timeouts = { connectMs: 5_000, headMs: 15_000, stallMs: 15_000, totalMs: 30_000 };
    const plain = { method: "GET", url: address, headers: headersFor(route, credential, key) } as const;
    const request = credential?.signs && key !== undefined ? await signed(plain, key) : plain;
    const sent = await http.send(request, timeouts, signal);
    if (!sent.ok) return err(classifyFailure(sent.error, key));
    using answer = sent.value;
    const body = await readBody(answer);
    if (!body.ok) return err(classifyFailure(body.error, key));
    const text = body.value.toString();
    const { status, headers } = answer;
    if (status < 200 || status > 299)
      return err(classifyError({ status, headers, body: text }, { now: clock.now(), host: address.host, key }));
    try {
      return ok(JSON.parse(text));
    } catch {
      return err({ kind: "malformed", message: `${address.host} sent no JSON at ${address.pathname}` });
    }
  }

  async function signed(request: HttpRequest, keys: string): Promise<HttpRequest> {
    const [{ signAws }, { unpackAwsKeys }] = await Promise.all([
      import("../wire/sign-aws.ts"),
      import("../credentials/aws/aws-keys.ts"),
    ]);
    const service = request.url.hostname.startsWith("bedrock-mantle.") ? "bedrock-mantle" : "bedrock";
    const scope = { region: "us-east-1", ...route.quirks.aws, service, now: clock.now() };
    return { ...request, headers: { ...request.headers, ...signAws(request, unpackAwsKeys(keys), scope) } };
  }

  const response = await get(url);
  if (!response.ok) return response;
  const models = readModelList(response.value);
  const { windowsPath } = route;
  const windowsResponse = windowsPath === undefined ? undefined : await get(new URL(windowsPath, url.origin));
  return ok(windowsResponse?.ok ? withWindows(models, readWindows(windowsResponse.value)) : models);
}

function withWindows(models: readonly ListedModel[], windows: ReadonlyMap<string, number>): readonly ListedModel[] {
  return models.map((model) => {
    const contextTokens = windows.get(model.id) ?? windows.get("");
    return contextTokens === undefined ? model : { ...model, contextTokens };
  });
}

function headersFor(
  { protocol, quirks, headers, keys: { kinds } }: Route,
  credential: Credential | undefined,
  key: string | undefined,
): Record<string, string> {
  const defaultStyle =
    protocol === "anthropic-messages" ? "x-api-key" : protocol === "gemini" ? "x-goog-api-key" : "bearer";
  const kind = kinds?.find(({ prefix }) => key?.startsWith(prefix));
  const auth = credential?.signs ? "aws" : (kind?.auth ?? quirks.auth ?? defaultStyle);
  const version = protocol === "anthropic-messages" ? { "anthropic-version": "2023-06-01" } : {};
  const all = { ...headers, ...kind?.headers, ...credential?.headers };
  const own = Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]));
  if (key === undefined || auth === "none" || auth === "aws") return { accept: "application/json", ...version, ...own };
  const named = auth === "query" ? "x-goog-api-key" : auth;
  const secret = named === "bearer" ? { authorization: `Bearer ${key}` } : { [named]: key };
  return { accept: "application/json", ...version, ...secret, ...own };
}
