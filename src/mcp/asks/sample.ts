import { linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import type { McpRefusal } from "../../contracts/mcp/connection.ts";
import type { McpServerEntry, SamplingSettings } from "../../contracts/mcp/server-entry.ts";
import type { AssistantMessage } from "../../contracts/model/message.ts";
import type { ModelClient, ModelRequest } from "../../contracts/model/model.ts";
import type { BookedUsage } from "../../contracts/session/session.ts";
import { invalidRequest } from "./invalid-request.ts";
import { readSamplingRequest, samplingResult, type SamplingRequest, shownRequest } from "./sampling-request.ts";

/** The session that a server's request belongs to. None of its functions rejects. */
export interface SamplingSession {
  /** Without a name, returns the default model for requests of MCP servers. */
  model(name: string | undefined): Promise<Result<ModelClient>>;
  /** Returns why the budget does not allow a request now. */
  refusal(): Promise<string | undefined>;
  /** Asks the user, unless the user allowed it before. Returns the reason for a refusal, for the server. */
  consent(preview: string, signal: AbortSignal): Promise<string | undefined>;
  book(usage: BookedUsage): Promise<void>;
}

/** Answers the `sampling/createMessage` requests of one server, within the limits of its settings. Never rejects. */
export type Sampler = (
  params: JsonObject,
  /** Undefined if the request belongs to no session or to an unknown one. */
  session: SamplingSession | undefined,
  signal: AbortSignal,
) => Promise<Result<JsonObject, McpRefusal>>;

export function createSampler(
  { name, sampling }: Pick<McpServerEntry, "name" | "sampling">,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Sampler {
  /** The server gets no details about the user's models. */
  function failed(error: string): Result<never, McpRefusal> {
    log.warn("mcp.sampling_failed", { server: name, error });
    return err({ message: "the model could not answer", code: internalError });
  }

  /** The arrival times of the requests in the last minute. */
  let recent: readonly number[] = [];
  /** The number of consecutive answers that called tools of the server. */
  let toolRounds = 0;

  /** This limit is checked before the user is asked, so that a server cannot flood the user with questions. */
  function overLimit(): string | undefined {
    const now = clock.elapsed();
    recent = recent.filter((arrivedAt) => now - arrivedAt < minuteMs);
    if (recent.length >= sampling.maxPerMinute)
      return `more than ${sampling.maxPerMinute} sampling requests in a minute; wait a minute`;
    recent = [...recent, now];
    return undefined;
  }

  return async (params, session, signal) => {
    if (!sampling.isEnabled) return err({ message: "sampling is turned off for this server" });
    const read = readSamplingRequest(params, sampling.maxTokens);
    if (!read.ok) return err(invalidRequest(read.error));
    if (!session)
      return err({ message: "sampling is possible only while one session waits for a tool of this server" });
    const limit = overLimit();
    if (limit !== undefined) return err({ message: limit });
    if (read.value.request.tools.length > 0 && toolRounds >= sampling.maxToolRounds) {
      toolRounds = 0;
      return err({ message: `more than ${sampling.maxToolRounds} consecutive answers that call tools` });
    }
    const client = await chooseModel(sampling, read.value.hints, session);
    if (!client.ok) return failed(client.error.message);
    const { provider, model, vision } = client.value.facts();
    if (!vision && hasImage(read.value)) return err(invalidRequest(`the model ${model} cannot see images`));
    const refusal =
      (await session.refusal()) ??
      (await session.consent(cut(shownRequest(read.value, `${provider}/${model}`), maxPreviewChars), signal));
    if (refusal !== undefined) return err({ message: refusal });
    using link = linkAbort(signal);
    using _timer = clock.after(sampling.timeoutMs, () => link.abort(new Error("the model took too long")));
    const answer = await askModel(client.value, read.value.request, link.signal);
    if (!answer.ok) return failed(link.signal.aborted ? String(link.signal.reason) : answer.error);
    await session.book({ ...answer.value.usage, task: `mcp:${name}` });
    toolRounds = answer.value.message.calls.length > 0 ? toolRounds + 1 : 0;
    return ok(samplingResult(answer.value.message, answer.value.usage.model, read.value));
  };
}

const minuteMs = 60_000;
const maxPreviewChars = 8_000;
const internalError = -32603;

/**
 * Selects the model of the settings; otherwise an allowed model from the server's hints; otherwise the default, if it
 * is allowed.
 */
async function chooseModel(
  { model, allowedModels }: SamplingSettings,
  hints: readonly string[],
  session: SamplingSession,
): Promise<Result<ModelClient>> {
  const hinted = hints.flatMap((hint) => allowedModels.filter((name) => hint !== "" && name.includes(hint)));
  const name = model ?? hinted[0];
  const client = await session.model(name);
  if (name !== undefined || allowedModels.length === 0 || !client.ok) return client;
  const { provider, model: defaultModel } = client.value.facts();
  const isAllowed = allowedModels.some(
    (allowed) => allowed === defaultModel || allowed === `${provider}/${defaultModel}`,
  );
  return isAllowed ? client : session.model(allowedModels[0]);
}

function hasImage({ request }: SamplingRequest): boolean {
  return request.messages.some(({ content }) => content.some(({ type }) => type === "image"));
}

type Answered = { readonly message: AssistantMessage; readonly usage: Omit<BookedUsage, "task"> };

async function askModel(
  client: ModelClient,
  request: Omit<ModelRequest, "model">,
  signal: AbortSignal,
): Promise<Result<Answered, string>> {
  for await (const event of client.stream(request, signal)) {
    if (event.type === "error") return err(event.error.message);
    if (event.type !== "finish") continue;
    const { message, usage, by } = event;
    return ok({ message, usage: { provider: by.provider, model: by.model, usage } });
  }
  return err("the model ended without an answer");
}
