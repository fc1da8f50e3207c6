// covers: src/kernel/session, src/runtime/models, src/tools/files
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { modelsRig } from "../support/models-rig.ts";
import { settingsRuntime } from "../support/settings-runtime.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";
import type { ScriptedTurn } from "../support/wire-servers/turn.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==";
const image = { type: "image", mimeType: "image/png", data: png } as const;

/** A main model that cannot see, and a server for `auxiliary.vision`. */
async function scene(main: readonly ScriptedTurn[], eye: readonly ScriptedTurn[], slot: object = {}) {
  const stack = new AsyncDisposableStack();
  const mainServer = stack.use(await startModelServer({ protocol: "openai-chat", turns: main }));
  const eyeServer = stack.use(await startModelServer({ protocol: "openai-chat", turns: eye }));
  const { runtime, cwd } = stack.use(
    await settingsRuntime({
      model: { provider: "custom", default: "blind", base_url: mainServer.url, supports_vision: "no" },
      auxiliary: {
        title_generation: { enabled: false },
        transient_retries: 0,
        vision: { base_url: eyeServer.url, model: "eye", ...slot },
      },
    }),
  );
  const sent = (server: typeof mainServer) => server.requests.map(({ json }) => JSON.stringify(json["messages"]));
  return {
    runtime,
    cwd,
    main: () => sent(mainServer),
    eye: () => sent(eyeServer),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("an image in a prompt is described once to a model that cannot see, even after a resume", async () => {
  await using at = await scene([{ text: "a" }, { text: "b" }, { text: "c" }], [{ text: "A red square. Text: STOP" }]);
  const first = await at.runtime.openSession({ source: "library" });
  const prompt = async (session: typeof first, ...content: Parameters<typeof first.prompt>[0]) => {
    const { reason, why } = await session.prompt(content).done;
    assert.equal(reason, "answered", why);
  };
  await prompt(first, { type: "text", text: "what is this?" }, image);
  await prompt(first, { type: "text", text: "and now?" });
  await first[Symbol.asyncDispose]();
  await using resumed = await at.runtime.openSession({ source: "library", resume: first.id });
  await prompt(resumed, { type: "text", text: "once more" });

  assert.equal(at.eye().length, 1, "one description for three requests");
  assert.match(at.eye()[0] ?? "", /Describe this image.*image_url.*base64,iVBOR/u);
  const requests = at.main();
  assert.equal(requests.length, 3);
  for (const request of requests) {
    assert.doesNotMatch(request, /image_url|iVBOR/u);
    assert.match(request, /what is this\?.*An image that you cannot see.*A red square\. Text: STOP/u);
  }
  const prefix = (request: string | undefined) => request?.slice(0, request.indexOf("STOP")) ?? "";
  assert.equal(prefix(requests[2]), prefix(requests[0]));
  assert.ok(
    resumed.history().some((message) => message.content.some((part) => part.type === "image")),
    "the store keeps the image for a model that can see",
  );
  const entries = await at.runtime.sessions.path(first.id);
  const booked = entries.flatMap((entry) => (entry.type === "usage" ? [`${entry.task} ${entry.model}`] : []));
  assert.deepEqual(booked, ["vision eye", "chat blind", "chat blind", "chat blind"]);
});

test("read_file describes an image to a model that cannot see", async () => {
  await using at = await scene(
    [{ calls: [{ name: "read_file", args: { path: "plan.png" } }] }, { text: "done" }],
    [{ text: "A floor plan with two doors." }],
  );
  await writeFile(join(at.cwd, "plan.png"), Buffer.from(png, "base64"));
  await using session = await at.runtime.openSession({ source: "library" });
  assert.equal((await session.prompt([{ type: "text", text: "read plan.png" }]).done).reason, "answered");
  assert.match(at.main()[1] ?? "", /plan\.png is a PNG image, 1 x 1 pixels.*A floor plan with two doors/u);
  assert.doesNotMatch(at.main()[1] ?? "", /image_url/u);
});

test("if a picture cannot be described, the model gets the reason; if no vision model is configured, read_file reports that", async () => {
  const boom = { error: { status: 500, message: "boom" } };
  const answers = ["a", "b", "c", "d"].map((text) => ({ text }));
  await using at = await scene(answers, [boom, { text: "A dot." }, { text: "A red square." }]);
  const dot = { type: "image", mimeType: "image/gif", data: "R0lGODlhAQABAAAAACwAAAAAAQABAAA=" } as const;
  const session = await at.runtime.openSession({ source: "library" });
  for (const shown of [image, image, dot])
    assert.equal((await session.prompt([{ type: "text", text: "look" }, shown]).done).reason, "answered");
  assert.match(at.main()[1] ?? "", /cannot see\. It could not be described: .*boom/u);
  assert.equal(at.eye().length, 2, "a failure is not repeated in the same session");
  assert.doesNotMatch(at.main().join(), /image_url/u);
  await session[Symbol.asyncDispose]();
  await using resumed = await at.runtime.openSession({ source: "library", resume: session.id });
  await resumed.prompt([{ type: "text", text: "and now?" }]).done;
  assert.match(at.main()[3] ?? "", /A red square\..*A red square\..*A dot\./u);
  assert.equal(at.eye().length, 3, "a resumed session tries again, once for each image");

  const reads = [{ calls: [{ name: "read_file", args: { path: "plan.png" } }] }, { text: "done" }];
  await using none = await scene(reads, [], { base_url: "", model: "", provider: "auto" });
  await writeFile(join(none.cwd, "plan.png"), Buffer.from(png, "base64"));
  await using other = await none.runtime.openSession({ source: "library" });
  await other.prompt([{ type: "text", text: "read plan.png" }]).done;
  assert.match(none.main()[1] ?? "", /this model cannot see images/u);
});

test("auto selects a vision model of the same provider, and images are sent to no other provider", async () => {
  const env = { OPENAI_API_KEY: "sk-a", DEEPSEEK_API_KEY: "sk-b" };
  const blind = (provider: string) =>
    ({ provider, model: "m", contextTokens: 8_000, contextSource: "table", vision: false }) as const;
  await using auto = await modelsRig("{}\n", env);
  assert.equal(auto.models.describesImages?.(blind("openai-api")), true);
  assert.equal(auto.models.describesImages?.(blind("deepseek")), false);
  await using main = await modelsRig("auxiliary: {vision: {provider: main}}\n", env);
  assert.equal(main.models.describesImages?.(blind("openai-api")), false);
  await using chosen = await modelsRig("auxiliary: {vision: {provider: openai-api, model: gpt-5.5}}\n", env);
  assert.equal(chosen.models.describesImages?.(blind("deepseek")), true);
});
