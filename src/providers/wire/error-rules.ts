import type { ModelErrorKind } from "../../contracts/model.ts";

/** One row: which refusals it means and what they are. The first that fits counts. */
export interface ErrorRule {
  readonly kind: ModelErrorKind;
  readonly statuses?: (status: number) => boolean;
  /** Tried on message, type and code in small letters. */
  readonly words?: RegExp;
  /** When the other side gave no reason. */
  readonly says?: string;
  readonly advice?: string;
  readonly plan?: boolean;
}

const is =
  (...all: number[]) =>
  (status: number): boolean =>
    all.includes(status);
const client = (status: number): boolean => status >= 400 && status < 500;
const badRequest = is(400, 413, 422);

export const errorRules: readonly ErrorRule[] = [
  // ── Google calls every limit a quota and speaks of billing ──
  { kind: "rate_limited", plan: true, statuses: is(429), words: /resource_exhausted[\s\S]*perday/u },
  { kind: "rate_limited", statuses: is(429), words: /resource_exhausted/u },
  // ── money and plans, before plain limits: waiting does not help ──
  {
    kind: "billing",
    words:
      /insufficient[_ ](?:quota|credit|balance|funds)|credit balance is too low|exceeded your current quota|billing_(?:hard_)?limit|payment required|more credits|out of credits|account.{0,20}(?:arrears|overdue)|arrearage|in good standing|any credits|free tier.{0,60}exhausted|余额不足/u,
    advice: "Add credit at the provider, or use another key or provider",
  },
  { kind: "billing", statuses: is(402), advice: "Add credit at the provider, or use another key or provider" },
  {
    kind: "rate_limited",
    plan: true,
    statuses: is(403, 429),
    words:
      /usage[_ ]limit|usage_not_included|(?:daily|weekly|monthly|5-hour|plan|subscription|coding plan).{0,30}(?:limit|quota)|(?:limit|quota).{0,30}(?:per[- ]day|per[- ]week|per[- ]month|daily|weekly|monthly)|(?:requests|tokens|models)[- ]per[- ]day/u,
  },
  // ── what is too much ──
  {
    kind: "context_overflow",
    statuses: (status) => client(status) && status !== 429,
    words:
      /context[_ ]length[_ ]exceeded|context_length|(?:maximum|max|model'?s?|available|exceeds? the).{0,40}context (?:length|window|size)|context (?:length|window|size|limit).{0,40}exceed|exceed.{0,40}context|prompt is too long|prompt too long|input is too long|input length.{0,40}exceed|too many (?:input )?tokens|input token count.{0,40}exceed|exceeds the maximum number of tokens|maximum (?:prompt|input) length|reduce the length of|(?:larger|greater|longer) than.{0,30}context|n_ctx|exceed_context_size|context.{0,20}overflow|context length of only|tokens.{0,60}must be <=|input[_ ]tokens.{0,40}exceed|string too long\. expected a string with maximum length|longer than the maximum model length|range of input length should be|model token limit|prompt exceeds max length|prompt token count.{0,40}exceed|max_prompt_tokens_exceeded|`inputs` must have less than/u,
  },
  // Some servers say it with 500 or inside a stream.
  {
    kind: "context_overflow",
    statuses: (status) => status >= 500,
    words: /context[_ ]length[_ ]exceeded|exceeds? the (?:available |maximum )?context|n_ctx|prompt is too long/u,
  },
  {
    kind: "context_overflow",
    words: /context_length_exceeded|exceeds the context window|prompt is too long|maximum context length/u,
  },
  {
    kind: "image_too_large",
    statuses: badRequest,
    words:
      /image.{0,80}(?:too large|exceed|maximum|larger than|dimensions|size limit|megapixel)|(?:too large|exceed|maximum).{0,60}image/u,
  },
  { kind: "payload_too_large", statuses: is(413), says: "the request is too large" },
  {
    kind: "payload_too_large",
    statuses: client,
    words:
      /request(?: body| entity)?(?: is)? too large|request_too_large|payload (?:size )?(?:too large|exceeds)|entity too large/u,
  },
  // ── limits of the minute ──
  { kind: "overloaded", statuses: is(529), says: "the provider has too much to do" },
  {
    kind: "overloaded",
    words: /overloaded|engine_overloaded|over capacity|no capacity|capacity exceeded|model is busy/u,
  },
  { kind: "rate_limited", statuses: is(429), says: "too many requests" },
  { kind: "rate_limited", words: /rate[_ ]limit|too many requests|resource_exhausted|throttl/u },
  // ── content ──
  {
    kind: "content_policy",
    words:
      /content[_ ](?:policy|filter|management)|responsible ?ai|content_policy_violation|safety (?:system|policy)|flagged|moderation|prohibited_content|data_inspection_failed|usage polic(?:y|ies)|cyber_policy/u,
  },
  // ── keys ──
  {
    kind: "auth",
    statuses: (status) => client(status) || status === 500,
    words:
      /invalid[_ ]api[_ ]key|incorrect api key|api[_ ]key[_ ]invalid|api key not valid|invalid x-api-key|authentication_error|invalid_authentication|no auth credentials|unauthorized|api key expired|token (?:is )?(?:expired|invalid)|invalid token|user not found|missing.{0,20}(?:api key|credentials)|organization has been disabled/u,
    advice: "Check the key with `hermes auth list`, add one with `hermes auth add`",
  },
  {
    kind: "auth",
    statuses: is(401),
    says: "the key is not accepted",
    advice: "Check the key with `hermes auth list`, add one with `hermes auth add`",
  },
  // ── what the provider does not have ──
  {
    kind: "not_found",
    words:
      /model[_ ]not[_ ](?:found|exist)|model.{0,80}(?:does not exist|not found|not exist|is not supported|not available|unknown|not a valid)|not a valid model|unknown model|invalid model|no endpoints found|unsupported_model|no such model|deploymentnotfound/u,
    advice: "See `hermes model list`",
  },
  {
    kind: "auth",
    statuses: is(403),
    says: "the key may not do this",
    advice: "Check what the key may use, and the region",
  },
  {
    kind: "not_found",
    statuses: is(404, 405, 410),
    says: "nothing is there",
    advice: "Check the base URL and the model",
  },
  // ── what can be repaired ──
  {
    kind: "reasoning_rejected",
    statuses: (status) => client(status) || status === 500,
    words:
      /signature.{0,40}thinking|thinking.{0,60}(?:signature|block|modified)|invalid.{0,20}signature|expected `thinking`|thought_?signature|encrypted[_ ]content|invalid_encrypted|reasoning_(?:content|details)|(?:item|reasoning).{0,60}(?:without its required|not found)|reasoning.{0,30}(?:item|field).{0,30}(?:invalid|unknown|not permitted)|property 'reasoning'/u,
  },
  {
    kind: "schema_rejected",
    statuses: (status) => client(status) || status === 500,
    words:
      /invalid[_ ]function[_ ]parameters|invalid schema|input_schema|json ?schema|function_?declarations|tools[.[]\d+|tools?\..{0,40}(?:parameters|schema)|grammar|failed to parse.{0,20}pattern|unsupported.{0,30}(?:schema|keyword|pattern|format)|schema.{0,40}(?:invalid|not supported|unsupported|too complex|too many states)/u,
  },
  // ── of the client's errors, those that pass by themselves ──
  { kind: "server", statuses: is(408, 409, 425, 499), says: "the provider gave up on the request" },
  { kind: "invalid_request", statuses: client, says: "the request was refused" },
  { kind: "overloaded", statuses: is(503), says: "the provider cannot answer now" },
  { kind: "server", statuses: (status) => status >= 500, says: "the provider failed" },
  { kind: "server", words: /server_error|internal|api_error|timeout|unavailable|bad gateway/u },
  { kind: "invalid_request", words: /invalid_request/u },
];
