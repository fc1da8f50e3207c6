import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import type { Pages, PostAnswer, PostSearch } from "../../contracts/web/pages.ts";
import { type OpenedService, openService, type ServiceDeps } from "../services/service-access.ts";
import { xai } from "../services/service-row.ts";
import { readXaiAnswer } from "../services/xai-answer.ts";

export interface PostSearchSettings {
  readonly model: string;
  readonly timeoutMs: number;
  readonly retries: number;
}

/** Searches posts on X: Grok searches and answers with the posts that it used. */
export function createPostSearch(
  deps: ServiceDeps & { readonly clock: Clock },
  settings: PostSearchSettings,
): Pages["searchPosts"] {
  return async (wish, signal) => {
    const fault = faultIn(wish, new Date(deps.clock.now()).toISOString().slice(0, 10));
    if (fault !== undefined) return err({ message: fault });
    const opened = await openService(xai, deps, signal);
    if (!opened.ok) return opened;
    const answered = await ask(opened.value, requestFor(wish, settings.model), settings, deps.clock, signal);
    return answered.ok ? ok(reportOf(answered.value, wish, opened.value.source, settings.model)) : answered;
  };
}

/** Why a search is refused before it costs anything. */
function faultIn(wish: PostSearch, today: string): string | undefined {
  const { allowedHandles = [], excludedHandles = [], fromDate, toDate } = wish;
  if (allowedHandles.length > 0 && excludedHandles.length > 0)
    return "allowed_x_handles and excluded_x_handles exclude each other: give one of them.";
  for (const [name, date] of [
    ["from_date", fromDate],
    ["to_date", toDate],
  ] as const)
    if (date !== undefined && !isDate(date)) return `${name}: "${date}" is not a date. Write YYYY-MM-DD.`;
  if (fromDate !== undefined && toDate !== undefined && fromDate > toDate)
    return `from_date (${fromDate}) is after to_date (${toDate}).`;
  if (fromDate !== undefined && fromDate > today)
    return `from_date (${fromDate}) is in the future: today is ${today} (UTC).`;
  return undefined;
}

function isDate(text: string): boolean {
  const parsed = /^\d{4}-\d\d-\d\d$/u.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return parsed !== undefined && !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}

function requestFor(wish: PostSearch, model: string): JsonObject {
  const handles = (list: readonly string[] | undefined) =>
    list === undefined || list.length === 0 ? undefined : list.map((handle) => handle.trim().replace(/^@/u, ""));
  const tool = withoutUndefined({
    type: "x_search",
    allowed_x_handles: handles(wish.allowedHandles),
    excluded_x_handles: handles(wish.excludedHandles),
    from_date: wish.fromDate,
    to_date: wish.toDate,
    enable_image_understanding: wish.understandsImages === true ? true : undefined,
    enable_video_understanding: wish.understandsVideos === true ? true : undefined,
  });
  return { model, input: [{ role: "user", content: wish.query }], tools: [tool], store: false };
}

/** Tries again after a failure that may pass. */
async function ask(
  service: OpenedService,
  json: JsonObject,
  { timeoutMs, retries }: PostSearchSettings,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<unknown, CallFault>> {
  for (let attempt = 1; ; attempt++) {
    const answered = await service.call({ path: "/responses", json, timeoutMs }, signal);
    if (answered.ok || attempt > retries || !mayPass(answered.error)) return answered;
    const waitMs = Math.min(maxWaitMs, answered.error.retryAfterMs ?? 1_500 * attempt);
    if (!(await trySleep(waitMs, signal, clock))) return answered;
  }
}

const maxWaitMs = 5_000;

function mayPass({ kind }: CallFault): boolean {
  return kind === "unavailable" || kind === "timeout" || kind === "limit";
}

function reportOf(body: unknown, wish: PostSearch, source: string, model: string): PostAnswer {
  const { text, citations, inline } = readXaiAnswer(body);
  const isFiltered =
    (wish.allowedHandles ?? []).length > 0 ||
    (wish.excludedHandles ?? []).length > 0 ||
    wish.fromDate !== undefined ||
    wish.toDate !== undefined;
  return {
    answer: text,
    citations,
    inlineCitations: inline,
    model,
    credentialSource: source === "xai-oauth" ? "xai-oauth" : "xai",
    ...(isFiltered &&
      citations.length === 0 && {
        degradedReason:
          "Filters were set and no post was cited, so the answer may rest on what the model knew before. Use wider filters.",
      }),
  };
}
