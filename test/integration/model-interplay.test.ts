// covers: src/hosts, src/providers, src/runtime
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../support/fake-terminal.ts";
import { ask, modelsRig } from "../support/models-rig.ts";
import { tempHome } from "../support/temp-home.ts";
import { type ModelServerOptions, startModelServer } from "../support/wire-servers/model-server.ts";

const serve = (turns: ModelServerOptions["turns"]) =>
  startModelServer({ protocol: "openai-chat", turns, repeat: true });

const keys = { KEYS: "first-key-abcdef,second-key-abcdef" };
const settings = (url: string, more = "") =>
  `agent: {api_max_retries: 1}\nmodel: {provider: custom, default: m1, base_url: "${url}", key_env: KEYS}\n${more}`;
const fallback = (url: string, model: string) =>
  `fallback_providers: [{provider: custom, model: ${model}, base_url: "${url}", key_env: KEYS}]\n`;

const picture = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" } as const;

for (const [status, message] of [
  [404, "No endpoints found that support image input"],
  [500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"],
  [400, "This model does not support image inputs"],
] as const) {
  test(`a picture that a model cannot see becomes a note, even when the refusal is ${status}`, async () => {
    await using server = await serve(({ body }) =>
      body.includes("image_url") ? { error: { status, message } } : { text: "I cannot see it" },
    );
    await using rig = await modelsRig(settings(server.url), keys);
    const messages = [{ role: "user", content: [{ type: "text", text: "what is this?" }, picture] }] as const;
    const reply = await ask(rig.models, { messages });
    assert.deepEqual(
      [reply.text, reply.decisions],
      ["I cannot see it", ["repair: retrying with notes instead of the images"]],
    );
    await ask(rig.models, { messages });
    assert.equal(server.requests.length, 3, "it is known from then on");
  });
}

test("an upstream limit behind a router puts no key on cooldown, and the other model answers", async () => {
  const raw = "m1:free is temporarily rate-limited upstream. Please retry shortly, or add your own key";
  const error = { message: "Provider returned error", code: 429, metadata: { raw, provider_name: "Chutes" } };
  const refused = {
    raw: { status: 429, body: JSON.stringify({ error }) },
    fault: { contentType: "application/json" },
  };
  await using server = await serve(({ json }) => (json["model"] === "m1" ? refused : { text: "ok" }));
  await using rig = await modelsRig(settings(server.url, fallback(server.url, "m2")), keys);
  const reply = await ask(rig.models);
  assert.equal(reply.text, "ok");
  assert.deepEqual(
    server.requests.map(({ json, key }) => [json["model"], key]),
    ["m1", "m1", "m2"].map((model) => [model, "first-key-abcdef"]),
  );
});

test("a model is not its own fallback, except with another key", async () => {
  await using server = await serve([{ error: { status: 503, message: "down" } }]);
  const more = `fallback_providers:
  - {provider: custom, model: m1, base_url: "${server.url}", key_env: KEYS}
  - {provider: custom, model: m1, base_url: "${server.url}", key_env: MORE}
  - {provider: custom, model: m1, base_url: "${server.url}", key_env: MORE}
`;
  await using rig = await modelsRig(settings(server.url, more), { ...keys, MORE: "third-key-abcdef" });
  await ask(rig.models);
  assert.deepEqual(
    server.requests.map(({ key }) => key),
    ["first-key-abcdef", "first-key-abcdef", "third-key-abcdef", "third-key-abcdef"],
  );
});

async function homeWith(config: string) {
  const home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), config);
  return home;
}

test("model test uses exactly the named model; without a name its fallbacks may answer", async () => {
  await using server = await serve(({ json }) =>
    json["model"] === "m1" ? { error: { status: 404, message: "model m1 does not exist" } } : { text: "ok" },
  );
  await using home = await homeWith(settings(server.url, fallback(server.url, "m2")));
  const named = await hermes(["model", "test", "m1"], { home: home.path });
  assert.equal(named.code, 1, named.out);
  const whole = await hermes(["model", "test"], { home: home.path });
  assert.deepEqual([whole.code, /answered: custom\/m2/u.test(whole.out)], [0, true]);
});

test("a budget that allows no request also applies to model test", async () => {
  await using server = await serve([{ text: "ok" }]);
  await using home = await homeWith(settings(server.url, "budget: {max_usd_per_day: 0}\n"));
  const result = await hermes(["model", "test"], { home: home.path });
  assert.deepEqual([result.code, server.requests.length], [3, 0]);
  assert.match(result.err, /max_usd_per_day/u);
});

test("token caps are shown with the usage", async () => {
  await using home = await homeWith("budget: {max_tokens_per_day: 1000, max_usd_per_turn: 0.5}\n");
  const result = await hermes(["usage"], { home: home.path });
  assert.match(result.out, /Caps: \$0\.5 per turn, 1000 tokens per day/u);
});

test("an unusable fallback or auxiliary model is reported once, and other models answer", async () => {
  await using server = await serve([{ text: "main" }]);
  const more = `fallback_providers: [{provider: nosuch, model: x}, {model: y}]
auxiliary:
  transient_retries: 0
  compression: {provider: nowhere, model: z}
  vision: {base_url: "http://127.0.0.1:9/v1", model: z}
`;
  const reported: string[] = [];
  await using rig = await modelsRig(settings(server.url, more), keys, undefined, (sentence) => reported.push(sentence));
  const main = await rig.models.open();
  assert.ok(main.ok && (await rig.models.open()).ok);
  const auxiliary = rig.models.auxiliary({ main: main.value, book: async () => {} });
  for (const task of ["compression", "compression", "vision", "approval"]) {
    const answer = await auxiliary.complete(task, "go", { maxTokens: 100 }, new AbortController().signal);
    assert.deepEqual(answer, { ok: true, value: "main" });
  }
  const [unknown, incomplete, noProvider, silent, ...others] = reported;
  assert.match(unknown ?? "", /^fallback_providers: nosuch\/x is ignored\. There is no provider nosuch/u);
  assert.match(incomplete ?? "", /^fallback_providers: an entry without provider or model/u);
  assert.match(
    noProvider ?? "",
    /^auxiliary\.compression: There is no provider nowhere.* The main model is used instead\.$/u,
  );
  assert.match(silent ?? "", /^auxiliary\.vision: .* The main model is used instead\.$/u);
  assert.deepEqual(others, []);
});

test("max and ultra request the highest thinking effort", async () => {
  await using server = await serve([{ text: "ok" }]);
  await using home = await homeWith(
    settings(server.url, "agent: {reasoning_effort: ultra}\n").replace(/^agent.*\n/u, ""),
  );
  for (const args of [[], ["--reasoning", "Max"], ["--reasoning", "none"]])
    assert.equal((await hermes(["-z", "go", ...args], { home: home.path })).code, 0);
  assert.deepEqual(
    server.requests.map(({ json }) => json["reasoning_effort"]),
    ["xhigh", "xhigh", undefined],
  );
});

test("address, key and price of a provider also apply under its alias", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [{ text: "ok", usage: { input: 1_000_000, output: 0 } }],
    keys: ["proxy-key-abcdef"],
  });
  await using home = await homeWith(`model: openai/gpt-4o
providers: {openai: {base_url: "${server.url}", api_key: proxy-key-abcdef, extra_body: {top_q: 3}}}
model_overrides: {openai/gpt-4o: {price_input: 7, price_output: 1}}
`);
  const result = await hermes(["model", "test", "--json"], { home: home.path });
  const { ok, usage } = result.json as { ok: boolean; usage: { costUsd: number } };
  assert.deepEqual([ok, usage.costUsd, server.requests[0]?.json["top_q"]], [true, 7, 3], result.out);
});

test("a retry sends the user's prompt and rebuilds the additional context", async () => {
  await using server = await serve([{ text: "one" }]);
  await using home = await homeWith(settings(server.url));
  const result = await hermes([], { home: home.path, input: "first\n/model m2\nsecond\n/retry\n" });
  assert.match(result.out, /^Again: second$/mu);
  const requests = server.requests.map(({ json }) =>
    JSON.stringify(json["messages"]).match(/You now run on [^\s.]+/gu),
  );
  assert.deepEqual(requests, [null, ["You now run on custom/m2"], ["You now run on custom/m2"]]);
});

test("the cost of an interrupted answer to an auxiliary task is recorded too", async () => {
  const text = Array.from({ length: 100 }, () => "forty characters of an answer to it, yes ");
  await using server = await serve([{ text, fault: { disconnectAfter: 9_000, chunkBytes: 500 } }]);
  await using rig = await modelsRig(settings(server.url, "auxiliary: {transient_retries: 0}\n"), keys);
  const main = await rig.models.open();
  assert.ok(main.ok);
  const booked: (boolean | undefined)[] = [];
  const auxiliary = rig.models.auxiliary({
    main: main.value,
    book: async ({ usage }) => void booked.push(usage.estimated && usage.output > 100),
  });
  const answer = await auxiliary.complete("compression", "go", { maxTokens: 100 }, new AbortController().signal);
  assert.deepEqual([answer.ok, booked, server.requests.length], [false, [true, true], 2]);
});
