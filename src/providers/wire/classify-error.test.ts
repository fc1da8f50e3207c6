import assert from "node:assert/strict";
import { test } from "node:test";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import type { ModelErrorKind } from "../../contracts/model/model.ts";
import { classifyError, classifyFailure } from "./classify-error.ts";

const scene = { now: 1_700_000_000_000, host: "api.example", key: "sk-secret-123456" };

/** Error messages of real providers. */
const errors: readonly (readonly [ModelErrorKind, number | undefined, unknown])[] = [
  [
    "rate_limited",
    429,
    {
      error: {
        message:
          "Rate limit reached for gpt-5 in organization org-x on requests per min (RPM): Limit 3. Please try again in 20s.",
        type: "requests",
        code: "rate_limit_exceeded",
      },
    },
  ],
  [
    "billing",
    429,
    {
      error: {
        message: "You exceeded your current quota, please check your plan and billing details.",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    },
  ],
  [
    "billing",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API." },
    },
  ],
  ["billing", 402, { error: { message: "Insufficient Balance", type: "unknown_error" } }],
  ["billing", 402, { error: { code: 402, message: "This request requires more credits, or fewer max_tokens." } }],
  [
    "rate_limited",
    429,
    { error: { type: "usage_limit_reached", message: "The usage limit has been reached", resets_in_seconds: 3600 } },
  ],
  [
    "rate_limited",
    429,
    { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Resource exhausted. Please try again later." } },
  ],
  ["overloaded", 529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
  ["overloaded", undefined, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
  [
    "overloaded",
    503,
    { error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" } },
  ],
  ["overloaded", 503, ""],
  [
    "server",
    500,
    { error: { message: "The server had an error while processing your request", type: "server_error" } },
  ],
  ["invalid_request", 500, { error: { message: "Unknown parameter: 'store'.", code: "unknown_parameter" } }],
  ["invalid_request", 502, { error: { message: "no", type: "invalid_request_error", code: "unsupported_parameter" } }],
  ["invalid_request", undefined, { type: "error", code: "unknown_parameter", message: "store" }],
  ["server", 502, "<html><head><title>502 Bad Gateway</title></head></html>"],
  ["server", 504, "upstream request timeout"],
  [
    "auth",
    401,
    {
      error: {
        message: "Incorrect API key provided: sk-secret-123456.",
        type: "invalid_request_error",
        code: "invalid_api_key",
      },
    },
  ],
  ["auth", 401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }],
  [
    "auth",
    400,
    {
      error: {
        code: 400,
        message: "API key not valid. Please pass a valid API key.",
        status: "INVALID_ARGUMENT",
        details: [{ reason: "API_KEY_INVALID" }],
      },
    },
  ],
  ["auth", 403, { error: { message: "Your API key does not have permission" } }],
  ["auth", 401, { error: { message: "No auth credentials found", code: 401 } }],
  [
    "not_found",
    404,
    {
      error: {
        message: "The model `gpt-9` does not exist or you do not have access to it.",
        type: "invalid_request_error",
        code: "model_not_found",
      },
    },
  ],
  ["not_found", 404, { type: "error", error: { type: "not_found_error", message: "model: claude-9" } }],
  ["not_found", 400, { error: { message: "x/y is not a valid model ID", code: 400 } }],
  ["not_found", 404, { error: 'model "llama9" not found, try pulling it first' }],
  ["not_found", 404, { detail: "Not Found" }],
  [
    "context_overflow",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "context_overflow",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 201234 tokens > 200000 maximum" },
    },
  ],
  [
    "context_overflow",
    400,
    {
      error: {
        code: 400,
        message: "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
  ],
  [
    "context_overflow",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size (8192 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_ctx: 8192,
      },
    },
  ],
  [
    "context_overflow",
    400,
    {
      object: "error",
      message: "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens",
      type: "BadRequestError",
      code: 400,
    },
  ],
  [
    "context_overflow",
    400,
    {
      error: {
        message: "This endpoint's maximum context length is 163840 tokens. However, you requested about 200000 tokens",
        code: 400,
      },
    },
  ],
  [
    "context_overflow",
    undefined,
    { error: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." } },
  ],
  [
    "context_overflow",
    400,
    { error: { message: "This model's maximum prompt length is 131072 but the request contains 140000 tokens." } },
  ],
  ["context_overflow", 400, { message: "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000" }],
  [
    "image_too_large",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
      },
    },
  ],
  ["payload_too_large", 413, { error: { type: "request_too_large", message: "Request exceeds the maximum size" } }],
  [
    "content_policy",
    400,
    {
      error: {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        code: "content_filter",
      },
    },
  ],
  ["content_policy", 403, { error: { message: "Your input was flagged", code: 403, metadata: { reasons: ["x"] } } }],
  [
    "reasoning_rejected",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "messages.1.content.0: Invalid `signature` in `thinking` block",
      },
    },
  ],
  [
    "reasoning_rejected",
    400,
    { error: { message: "The encrypted content gAAA could not be verified.", code: "invalid_encrypted_content" } },
  ],
  [
    "reasoning_rejected",
    400,
    {
      error: {
        code: 400,
        message: "Function call is missing a thought_signature in functionCall parts.",
        status: "INVALID_ARGUMENT",
      },
    },
  ],
  [
    "schema_rejected",
    400,
    {
      error: {
        message: "Invalid schema for function 'x': In context=('properties', 'a'), array schema missing items.",
        code: "invalid_function_parameters",
      },
    },
  ],
  [
    "schema_rejected",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "tools.0.custom.input_schema: JSON schema is invalid" },
    },
  ],
  [
    "schema_rejected",
    400,
    {
      error: {
        code: 400,
        message:
          "Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters': Cannot find field.",
      },
    },
  ],
  ["schema_rejected", 400, { error: { message: "Failed to parse grammar" } }],
  ["invalid_request", 400, { error: { message: "Unsupported parameter: 'foo'" } }],
  [
    "invalid_request",
    422,
    { detail: [{ loc: ["body", "messages", 0, "role"], msg: "value is not a valid enumeration member" }] },
  ],
  ["server", undefined, { error: { message: "Provider returned error", code: 502 } }],
  [
    "overloaded",
    undefined,
    {
      error: { message: "Provider returned error", code: 429, metadata: { raw: '{"error":{"message":"slow down"}}' } },
    },
  ],
  [
    "rate_limited",
    429,
    {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.",
        details: [{ violations: [{ quotaId: "GenerateRequestsPerMinutePerProject" }] }],
      },
    },
  ],
  [
    "billing",
    403,
    { error: "Your newly created team doesn't have any credits or licenses yet. You can purchase those" },
  ],
  [
    "billing",
    400,
    { error: { code: "Arrearage", message: "Access denied, please make sure your account is in good standing." } },
  ],
  ["billing", undefined, { base_resp: { status_code: 1008, status_msg: "insufficient balance" } }],
  ["rate_limited", 429, { error: { message: "Rate limit exceeded: free-models-per-day", code: 429 } }],
  [
    "context_overflow",
    422,
    {
      error: {
        message:
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens",
      },
    },
  ],
  [
    "context_overflow",
    400,
    {
      error:
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    },
  ],
  ["context_overflow", 400, { message: "Input tokens exceed the configured limit of 200000" }],
  [
    "context_overflow",
    400,
    { message: "The decoder prompt (length 5011) is longer than the maximum model length of 4096." },
  ],
  ["context_overflow", 400, { error: { message: "<400> InternalError: Range of input length should be [1, 129024]" } }],
  [
    "context_overflow",
    400,
    { error: { message: "Your request exceeded model token limit: 262144 (requested: 300000)" } },
  ],
  ["context_overflow", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }],
  ["context_overflow", 400, { error: { message: "invalid params, context window exceeds limit (2013)" } }],
  ["context_overflow", 400, { error: { message: "prompt token count of 150000 exceeds the limit of 128000" } }],
  ["context_overflow", 422, { error: "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000" }],
  [
    "context_overflow",
    400,
    {
      message: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    },
  ],
  ["context_overflow", 400, { message: "too many tokens: the prompt cannot exceed 4081 - received 5000." }],
  [
    "context_overflow",
    400,
    { error: { message: "the request exceeds the available context size", n_prompt_tokens: 5000, n_ctx: 4096 } },
  ],
  ["server", 408, { error: { message: "Request timeout" } }],
  ["server", 409, { error: { message: "Conflict" } }],
  ["server", 425, ""],
  ["server", 499, { error: { status: "CANCELLED" } }],
  ["auth", 400, { error: { message: "This organization has been disabled." } }],
  [
    "reasoning_rejected",
    400,
    {
      error: {
        message: "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
      },
    },
  ],
  [
    "payload_too_large",
    413,
    {
      error: {
        message:
          "Request too large for model `x` in organization `y` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000",
        code: "rate_limit_exceeded",
      },
    },
  ],
  [
    "invalid_request",
    400,
    {
      error: {
        message: "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5",
      },
    },
  ],
  [
    "invalid_request",
    400,
    {
      error: {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      },
    },
  ],
  ["server", undefined, {}],
];

test("errors in the format of every provider are classified", () => {
  const matches = errors.map(([, status, body]) => {
    const error = classifyError({ ...(status === undefined ? {} : { status }), body }, scene);
    return [error.kind, status, body];
  });
  assert.deepEqual(matches, errors);
  const asText = errors.map(([, status, body]) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return classifyError({ ...(status === undefined ? {} : { status }), body: text }, scene).kind;
  });
  assert.deepEqual(
    asText,
    errors.map(([kind]) => kind),
  );
});

test("the context window is parsed from the error message", () => {
  const windows = errors
    .filter(([kind]) => kind === "context_overflow")
    .map(([, status = 400, body]) => classifyError({ status, body }, scene).contextTokens);
  assert.deepEqual(windows, [
    128_000,
    200_000,
    1_048_576,
    8192,
    32_768,
    163_840,
    undefined,
    131_072,
    200_000,
    8193,
    4096,
    200_000,
    4096,
    129_024,
    262_144,
    undefined,
    undefined,
    128_000,
    4096,
    32_768,
    4081,
    4096,
  ]);
});

/** The same words count for any status. Without a status, the error was inside a stream. */
const otherErrors: readonly (readonly [ModelErrorKind, number | undefined, string])[] = [
  ["billing", 404, "Model x is not available on the Free Tier. Upgrade or pick a free model."],
  ["billing", 404, "Model x requires available credits. Your account balance is too low to use it."],
  ["billing", 400, "You're out of extra usage. Add more and keep going."],
  ["billing", undefined, "Insufficient USD or Diem balance to complete request."],
  ["billing", 402, "You've used up your points!"],
  ["billing", 402, "Your usage limit has been reached. Please upgrade your plan."],
  ["billing", 429, "Your account is not active, please check your billing details."],
  ["rate_limited", 402, "Usage limit reached, try again in 5 minutes"],
  ["rate_limited", 402, "rate limit exceeded"],
  ["rate_limited", undefined, "resource-exhausted: total request limit reached (32/32)"],
  ["rate_limited", undefined, "ResourceExhausted: too many workers"],
  ["rate_limited", 400, "Request rate increased too quickly. Scale requests more smoothly."],
  ["rate_limited", 400, "Throttling error: Too many tokens, please wait before trying again."],
  ["rate_limited", undefined, "Too many tokens per day. Please try again tomorrow."],
  ["rate_limited", undefined, "You have hit your usage limit (plus plan)"],
  ["rate_limited", undefined, "Weekly/Monthly Limit Exhausted. Your limit will reset tomorrow."],
  ["rate_limited", undefined, "Request limit exceeded"],
  ["rate_limited", undefined, "Please slow down"],
  ["content_policy", undefined, "Invalid prompt: access to this content is limited for safety reasons."],
  ["overloaded", undefined, "This model is currently experiencing high demand."],
  ["overloaded", undefined, "service unavailable due to capacity limits"],
  ["overloaded", 503, "Model x is currently loading"],
  ["auth", undefined, "invalid api key"],
  ["auth", undefined, "Your api key has been revoked"],
  ["auth", 400, "The security token included in the request is expired"],
  ["context_overflow", undefined, "Too many tokens"],
  ["context_overflow", undefined, "model_context_window_exceeded"],
  ["context_overflow", 400, "tokens in request more than max tokens allowed"],
  ["context_overflow", 400, "Prompt too large for this model"],
  ["context_overflow", 400, "token limit exceeded"],
  ["context_overflow", 400, "Total tokens of image and text exceed max message tokens"],
  ["context_overflow", 400, "上下文过长，请减少输入"],
  ["context_overflow", 500, "context size exceeded"],
  [
    "context_overflow",
    400,
    "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576",
  ],
  [
    "invalid_request",
    400,
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40",
  ],
  ["payload_too_large", undefined, "Request exceeds the maximum size"],
  ["not_found", 400, "The provided model identifier is invalid."],
  ["content_policy", 400, "系统检测到输入或生成内容可能包含敏感内容"],
  ["reasoning_rejected", 400, "Unable to submit request because Thought signature is not valid."],
  ["invalid_request", 400, "The evidence is insufficient to reconcile the final balance."],
  ["invalid_request", 400, "max_tokens cannot exceed the configured model output limit of 16384"],
];

test("different wordings of an error are classified the same way", () => {
  for (const [kind, status, message] of otherErrors) {
    const statusPart = status === undefined ? {} : { status };
    assert.equal(classifyError({ ...statusPart, body: { error: { message } } }, scene).kind, kind, message);
  }
});

test("the context window is parsed after every common word for it", () => {
  for (const [message, window] of [
    ["The engine prompt length 90000 exceeds the max_model_len 32768.", 32_768],
    ["prompt of 90000 exceeds context: max_model_len=32768", 32_768],
    ["longer than the maximum model length (131072)", 131_072],
    ["the input token count is 32825 but model only supports up to 32768. Reduce the input token count.", 32_768],
    ["Model context window is 128k tokens, you requested 256k tokens", 128_000],
    ["Context window exceeded: requested 12000 tokens", undefined],
  ] as const)
    assert.equal(classifyError({ status: 400, body: { error: { message } } }, scene).contextTokens, window, message);
  const tier = { error: { message: "Extra usage is required for long context requests over 200k tokens" } };
  assert.equal(classifyError({ status: 429, body: tier }, scene).contextTokens, 200_000);
});

test("the error message is extracted from every form of body, even nested ones", () => {
  const inside = JSON.stringify({ error: { code: 429, message: "You are too fast. Please retry in 44.1s." } });
  const error = classifyError({ status: 429, body: { error: { message: inside, code: 429 } } }, scene);
  assert.equal(error.message, "api.example (429): You are too fast. Please retry in 44.1s");
  assert.equal(error.retryAfterMs, 44_100);
  for (const body of [
    { Message: "not this way" },
    { errorMessage: "not this way", errorCode: "X" },
    { errors: [{ message: "not this way", code: 7 }] },
    { error: "bad", error_description: "not this way" },
  ])
    assert.equal(classifyError({ status: 400, body }, scene).message, "api.example (400): not this way");
  const param = { error: { message: "Param Incorrect", param: "text is not set" } };
  assert.match(classifyError({ status: 400, body: param }, scene).message, /Param Incorrect \(text is not set\)/u);
});

test("limits in an error body are parsed even if the body arrives as text", () => {
  const body = JSON.stringify({ error: { type: "usage_limit_reached", message: "limit", resets_in_seconds: 60 } });
  assert.equal(classifyError({ status: 429, body }, scene).resetsAt, scene.now + 60_000);
});

test("long hostile messages are handled in linear time", async () => {
  for (const word of ["resource_exhausted ", "insufficient_", "quota limit ", "1,", "retry 1s"]) {
    await assertGrowsLinearly(
      200_000,
      (size) => {
        const words = word.repeat(size / word.length);
        classifyError({ status: 429, body: { error: { message: words, type: words, code: words } } }, scene);
      },
      word,
    );
  }
});

test("the message never contains the key, and long responses are shortened", () => {
  const body = { error: { message: `Incorrect key sk-secret-123456 ${"x".repeat(5000)}` } };
  const { message } = classifyError({ status: 401, body }, scene);
  assert.ok(!message.includes("sk-secret"));
  assert.ok(message.length < 900);
  const failure = { kind: "redirected", message: "to https://a/?key=sk-secret-123456" } as const;
  assert.equal(classifyFailure(failure, scene.key).message, "to https://a/?key=***");
});

test("the message of an upstream provider is passed on", () => {
  const raw = JSON.stringify({ error: { message: "slow down" } });
  const body = { error: { message: "Provider returned error", code: 429, metadata: { raw } } };
  assert.match(classifyError({ status: 429, body }, scene).message, /Provider returned error: slow down/u);
});

test("a limit of the plan is distinguished from a limit per minute", () => {
  const plan = {
    error: { type: "usage_limit_reached", message: "The usage limit has been reached", resets_in_seconds: 60 },
  };
  const error = classifyError({ status: 429, body: plan }, scene);
  assert.equal(error.plan, true);
  assert.equal(error.resetsAt, scene.now + 60_000);
  const minute = { error: { message: "Rate limit reached on tokens per min. Please try again in 1m2.5s." } };
  const short = classifyError({ status: 429, body: minute }, scene);
  assert.equal(short.plan, undefined);
  assert.equal(short.retryAfterMs, 62_500);
});

test("the details in Google's errors are parsed", () => {
  const resetOf = (reason: string, more: object = {}) => {
    const error = { code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota", details: [{ reason, ...more }] };
    return classifyError({ status: 429, body: { error } }, scene);
  };
  assert.equal(resetOf("QUOTA_EXHAUSTED").plan, true);
  assert.equal(resetOf("INSUFFICIENT_G1_CREDITS_BALANCE").kind, "billing");
  const { kind, plan, retryAfterMs } = resetOf("RATE_LIMIT_EXCEEDED", { metadata: { quotaResetDelay: "45s" } });
  assert.deepEqual([kind, plan, retryAfterMs], ["rate_limited", undefined, 45_000]);
});

test("the retry time of the provider takes precedence", () => {
  const retryOf = (status: number, again: string) =>
    classifyError({ status, headers: { "x-should-retry": again }, body: "" }, scene);
  assert.deepEqual([retryOf(400, "true").kind, retryOf(401, "true").kind], ["server", "auth"]);
  assert.deepEqual(
    [retryOf(500, "false").plan, retryOf(429, "false").plan, retryOf(400, "false").plan],
    [true, true, undefined],
  );
  assert.equal(retryOf(500, "true").plan, undefined);
});

test("the retry delay is also parsed from Google's error details", () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }];
  const body = { error: { code: 429, message: "Resource exhausted", status: "RESOURCE_EXHAUSTED", details } };
  assert.equal(classifyError({ status: 429, body }, scene).retryAfterMs, 34_000);
});

test("the time to parse a hostile body grows linearly with its length", async () => {
  const bodies: readonly ((size: number) => string)[] = [
    (size) => "a ".repeat(size),
    (size) => `{"error":{"message":"${"maximum context exceed ".repeat(size / 8)}"}}`,
    (size) => `{"error":{"message":"${"resource_exhausted image ".repeat(size / 8)}"}}`,
    (size) => "[".repeat(size),
    (size) => "0,".repeat(size),
  ];
  for (const body of bodies)
    await assertGrowsLinearly(500_000, (size) => classifyError({ status: 400, body: body(size) }, scene), body(1));
});

test("colour codes and bells are removed from an error, and `null` is not used as a message", () => {
  const message = (body: unknown) => classifyError({ status: 400, body }, scene).message;
  assert.equal(
    message({ error: { message: "\u001b[31mred\u001b[0m\u0007\nand more" } }),
    "api.example (400): red and more",
  );
  assert.equal(message("null"), "api.example (400): the request was refused");
});
