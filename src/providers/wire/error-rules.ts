import type { ModelErrorKind } from "../../contracts/model/model.ts";

/** One rule: the errors that it matches, and their kind. The first matching rule is used. */
export interface ErrorRule {
  readonly kind: ModelErrorKind;
  /** The HTTP status. Undefined: the error was inside a successful stream. */
  readonly statuses?: (status: number | undefined) => boolean;
  /** The pattern, which is matched against message, type and code in lower case. */
  readonly words?: RegExp;
  /** The message to use if the server gave no reason. */
  readonly says?: string;
  readonly advice?: string;
  readonly plan?: boolean;
}

const is =
  (...all: number[]) =>
  (status = 0): boolean =>
    all.includes(status);
const client = (status = 0): boolean => status >= 400 && status < 500;
const inStream = (status: number | undefined): boolean => status === undefined;
const either =
  (...all: readonly ((status: number | undefined) => boolean)[]) =>
  (status: number | undefined): boolean =>
    all.some((one) => one(status));
const badRequest = is(400, 413, 422);

export const errorRules: readonly ErrorRule[] = [
  // ── Google: every limit is called a quota and mentions billing ──
  { kind: "billing", words: /insufficient_\w{0,20}credits/u },
  {
    kind: "rate_limited",
    plan: true,
    statuses: is(429),
    words: /quota_exhausted|resource[_ -]?exhausted[\s\S]*perday/u,
  },
  { kind: "rate_limited", statuses: is(429), words: /resource[_ -]?exhausted/u },
  // ── money and plans: checked before rate limits, because waiting does not help ──
  {
    kind: "billing",
    words:
      /insufficient[_ ](?:\w+ or \w+ |\w+ )?(?:quota|credit|balance|funds)|(?:credit |account )?balance is too low|exceeded[_ ](?:your )?current[_ ]quota|billing_(?:hard_)?limit|billing_not_active|payment required|(?:more|available) credits|out of (?:credits|extra usage)|used up your (?:points|credits)|spending limit|account.{0,20}(?:arrears|overdue|not active)|arrearage|in good standing|any credits|free tier.{0,60}exhausted|not available on the free|余额不足/u,
    advice: "Add credit at the provider, or use another key or provider",
  },
  {
    kind: "rate_limited",
    statuses: is(402),
    words: /rate[_ ]limit|(?:limit|quota)[\s\S]{0,200}(?:try again|retry|reset)/u,
  },
  { kind: "billing", statuses: is(402), advice: "Add credit at the provider, or use another key or provider" },
  {
    kind: "rate_limited",
    plan: true,
    statuses: either(is(403, 429), inStream),
    words:
      /usage[_ ]limit|usage_not_included|(?:daily|weekly|monthly|5-hour|\bplan|subscription).{0,30}(?:limit|quota)|(?:limit|quota).{0,30}(?:per[- ]day|per[- ]week|per[- ]month|daily|weekly|monthly)|(?:requests|tokens|models)[- ]per[- ]day/u,
  },
  // ── a limit of the provider behind a router, which other keys share ──
  { kind: "overloaded", statuses: is(429), words: /rate[- ]limited upstream|^provider returned error/u },
  // ── rate limits whose wording also fits size limits ──
  {
    kind: "rate_limited",
    words: /throttl|too many tokens per (?!request)|rate increased too quickly|wait before trying/u,
  },
  // ── size limits ──
  {
    kind: "context_overflow",
    statuses: (status) => inStream(status) || (client(status) && status !== 429),
    words:
      /context[_ ]length|(?:maximum|max|model'?s?|available|exceeds? the).{0,40}context[_ ](?:window|size|limit)|context[_ ](?:window|size|limit).{0,40}exceed|exceed.{0,40}context|prompt (?:is )?too (?:long|large)|input is too long|input length.{0,40}exceed|conversation is too long|too many (?:input )?tokens|input token count.{0,40}exceed|exceeds the maximum number of tokens|maximum (?:prompt|input) length|reduce the (?:length of|input token)|(?:larger|greater|longer) than.{0,30}context|n_ctx|exceed_context_size|context.{0,20}overflow|tokens.{0,60}must be <=|input[_ ]tokens.{0,40}exceed|total tokens.{0,40}exceed|tokens.{0,30}exceeds? the model|token limit exceeded|exceed.{0,30}token limit|more than max tokens|(?<!(?:\.id|\.name|description|_key)'?: )string too long\. expected a string with maximum length|longer than the maximum model length|max_model_len|range of input length should be|model token limit|prompt exceeds max length|prompt token count.{0,40}exceed|max_prompt_tokens_exceeded|`inputs` must have less than|上下文.{0,10}(?:过长|超|限制)|超[出过].{0,6}(?:上下文|长度)|输入.{0,4}过长/u,
  },
  // Some servers use status 500 for this error, or call it a limit.
  {
    kind: "context_overflow",
    words:
      /context[_ ](?:length|size)[_ ]exceeded|exceeds? (?:the )?(?:available |maximum )?context|n_ctx|prompt is too long|maximum context length|long context requests over/u,
  },
  {
    kind: "image_too_large",
    statuses: badRequest,
    words:
      /image.{0,80}(?:too large|exceed|maximum|larger than|dimensions|size limit|megapixel)|(?:too large|exceed|maximum).{0,60}image/u,
  },
  // Routers use status 404 for this error, and llama.cpp uses 500.
  {
    kind: "invalid_request",
    statuses: (status = 0) => status >= 400,
    words:
      /no endpoints found that support image|image (?:input|url|content)s? (?:is|are) not supported|not support (?:image|vision|multimodal)/u,
  },
  { kind: "payload_too_large", statuses: is(413), says: "the request is too large" },
  {
    kind: "payload_too_large",
    statuses: either(client, inStream),
    words:
      /request(?: body| entity)?(?: is)? too large|request_too_large|request exceeds the maximum size|payload (?:size )?(?:too large|exceeds)|entity too large|too many total text bytes/u,
  },
  // ── rate limits ──
  { kind: "overloaded", statuses: is(529), says: "the provider is overloaded" },
  {
    kind: "overloaded",
    words:
      /overloaded|high demand|(?:over|at|no|out of) capacity|capacity (?:exceeded|limits)|no_kv_space|(?:model|server|api) is (?:busy|loading)|currently loading/u,
  },
  { kind: "rate_limited", statuses: is(429), says: "too many requests" },
  {
    kind: "rate_limited",
    words:
      /rate[_ ]limit|too[_ ]many[_ ]requests|resource[_ -]?exhausted|cooling down|slow[_ ]down|(?:request|concurrency) limit (?:reached|exceeded)|quota exceeded/u,
  },
  // ── content ──
  {
    kind: "content_policy",
    words:
      /content[_ ](?:policy|filter|management)|responsible ?ai|safety (?:system|policy)|flagged|moderation|prohibited_content|inappropriate content|invalid_prompt|safety reasons|data_inspection_failed|敏感内容|usage polic(?:y|ies)|cyber_policy/u,
  },
  // ── keys ──
  {
    kind: "auth",
    statuses: either(client, is(500), inStream),
    words:
      /invalid[_ ]api[_ ]key|incorrect api key|api[_ ]key[_ ]invalid|api key not valid|invalid x-api-key|authentication_error|invalid_authentication|no auth credentials|unauthorized|api key expired|token (?:is )?(?:expired|invalid)|invalid token|security token.{0,40}(?:expired|invalid)|user not found|missing.{0,20}(?:api key|credentials|scopes)|insufficient permission|not authorized to|could not (?:validate|authenticate)|authentication failed|(?:key|account|organization) has been (?:revoked|disabled|deactivated|deleted|suspended)/u,
    advice: "Check the key with `hermes auth list`, add one with `hermes auth add`",
  },
  {
    kind: "auth",
    statuses: is(401),
    says: "the key is not accepted",
    advice: "Check the key with `hermes auth list`, add one with `hermes auth add`",
  },
  // ── missing models and permissions ──
  {
    kind: "not_found",
    words:
      /model[_ ]not[_ ](?:found|exist)|model.{0,80}(?:does not exist|not found|not exist|is not supported|not available|unknown|not a valid)|not a valid model|unknown model|invalid model|model (?:identifier|id|name).{0,40}invalid|no endpoints found|unsupported_model|no such model|deploymentnotfound/u,
    advice: "See `hermes model list`",
  },
  {
    kind: "auth",
    statuses: is(403),
    says: "the key lacks permission",
    advice: "Check the permissions of the key and the region",
  },
  {
    kind: "not_found",
    statuses: is(404, 405, 410),
    says: "not found",
    advice: "Check the base URL and the model",
  },
  // ── errors that a repair of the request can fix ──
  {
    kind: "reasoning_rejected",
    statuses: either(client, is(500), inStream),
    words:
      /signature.{0,40}thinking|thinking.{0,60}(?:signature|block|modified)|invalid.{0,20}signature|expected `thinking`|thought[_ ]?signature|encrypted[_ ]content|invalid_encrypted|reasoning_(?:content|details)|(?:item|reasoning).{0,60}(?:without its required|not found)|reasoning.{0,30}(?:item|field).{0,30}(?:invalid|unknown|not permitted)|property 'reasoning'/u,
  },
  {
    kind: "schema_rejected",
    statuses: (status) => client(status) || status === 500,
    words:
      /invalid[_ ]function[_ ]parameters|invalid schema|input_schema|json ?schema|function_?declarations|tools[.[]\d+|tools?\..{0,40}(?:parameters|schema)|grammar|failed to parse.{0,20}pattern|unsupported.{0,30}(?:schema|keyword|pattern|format)|schema.{0,40}(?:invalid|not supported|unsupported|too complex|too many states)/u,
  },
  // ── a request that no retry can fix, whatever the status ──
  {
    kind: "invalid_request",
    words:
      /(?:unknown|unsupported|unrecognized|unexpected|missing_required)_(?:parameter|argument|field)|invalid_parameter|(?:unknown|unsupported|unrecognized) (?:request )?(?:parameter|argument|field)|unsupported_value/u,
  },
  // ── temporary client errors ──
  { kind: "server", statuses: is(408, 409, 425, 499), says: "the provider dropped the request" },
  { kind: "invalid_request", statuses: client, says: "the request was refused" },
  { kind: "overloaded", statuses: is(503), says: "the provider is unavailable" },
  { kind: "server", statuses: (status = 0) => status >= 500, says: "the provider failed" },
  { kind: "server", words: /server_error|internal|api_error|timeout|unavailable|bad gateway/u },
  { kind: "invalid_request", words: /invalid_request/u },
];
