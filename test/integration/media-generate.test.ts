// covers: src/media/generate, src/contracts/web
import assert from "node:assert/strict";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import OpenAI from "openai";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { ok } from "../../src/base/result.ts";
import type { ImageWish } from "../../src/contracts/media/generate.ts";
import type { Backend } from "../../src/contracts/plugin/backend.ts";
import { runGenerator } from "../../src/media/generate/command-generator.ts";
import {
  createGenerator,
  type GeneratorDeps,
  type GeneratorSettings,
} from "../../src/media/generate/create-generator.ts";
import { createWeb } from "../../src/safety/url.ts";
import { eventually } from "../support/eventually.ts";
import { mediaServices, mp4, png } from "../support/media-services.ts";
import { tempHome } from "../support/temp-home.ts";

const { signal } = new AbortController();
const silent = () => {};
/** Pauses between polls of a job take no time. */
const clock: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms <= 10_000 ? 1 : ms, run) };
const wish: ImageWish = { prompt: "a red cat", aspectRatio: "landscape", references: [], upscale: false };
const reference = { base64: png.toString("base64"), mimeType: "image/png" };

const variables: Readonly<Record<string, string>> = {
  fal: "FAL_KEY",
  openai: "OPENAI_API_KEY",
  "openai-codex": "CODEX_ACCESS_TOKEN",
  openrouter: "OPENROUTER_API_KEY",
  gemini: "GEMINI_API_KEY",
  xai: "XAI_API_KEY",
  krea: "KREA_API_KEY",
  deepinfra: "DEEPINFRA_API_KEY",
};

function generatorAt(
  url: string,
  more: Partial<GeneratorSettings> = {},
  deps: Partial<GeneratorDeps> = {},
  key = "good",
) {
  const names = Object.keys(variables);
  const baseUrls = Object.fromEntries(
    names.map((name) => [name, `${url}/${name === "openai-codex" ? "codex" : name}`]),
  );
  const settings = { provider: "", model: "", quality: "medium", baseUrls, commands: {}, ...more };
  const web = createWeb({
    rules: async () => ({ allowPrivate: false }),
    http: createHttp({ clock: systemClock }),
    clock: systemClock,
  });
  return createGenerator({
    settings: { image: settings, video: settings },
    web: async () => web,
    secret: (name) => (variables[settings.provider] === name ? key : undefined),
    account: async () => undefined,
    usesGateway: () => false,
    backends: async () => [],
    runCommand: (command, given, _, abort) =>
      runGenerator(
        command,
        given,
        { tempFolder: process.env["TMPDIR"] ?? "/tmp", env: process.env, clock: systemClock },
        abort,
      ),
    clock,
    ...deps,
  });
}

test("every image service returns an image, accepts its kind of reference image and reports why it refuses", async () => {
  using server = await mediaServices();
  for (const provider of Object.keys(variables)) {
    const generator = generatorAt(server.url, { provider });
    const created = await generator.image(wish, signal, silent);
    assert.ok(created.ok, created.ok ? "" : created.error.message);
    assert.deepEqual(Buffer.from(created.value.media[0]?.bytes ?? []), png, provider);
    assert.equal(created.value.media[0]?.mimeType, "image/png");
    const facts = await generator.facts("image", signal);
    assert.ok(facts.ok);
    const changed = await generator.image({ ...wish, references: [reference] }, signal, silent);
    if (facts.value.maxReferences === 0)
      assert.match(changed.ok ? "" : changed.error.message, /takes no reference images/u);
    else assert.ok(changed.ok, changed.ok ? "" : changed.error.message);
    const refused = await generator.image({ ...wish, prompt: "refuse this" }, signal, silent);
    assert.ok(!refused.ok, provider);
    assert.match(
      refused.error.message,
      /could not be processed|refuses this prompt|may have refused|Against the rules|Not this/u,
    );
    const wrong = await generatorAt(server.url, { provider }, {}, "bad").image(wish, signal, silent);
    assert.match(wrong.ok ? "" : wrong.error.message, /answered 401: Invalid key\./u, provider);
  }
  const edits = server.requests.find(({ path }) => path === "/openai/images/edits");
  assert.match(edits?.body ?? "", /name="image\[\]"; filename="image-1\.png"/u);
  const sizes = server.requests.map(({ json }) => json["image_size"] ?? json["aspect_ratio"] ?? json["size"]);
  assert.ok(sizes.includes("landscape_16_9") && sizes.includes("16:9") && sizes.includes("1536x1024"));
});

test("the scripted server works with OpenAI's own client", async () => {
  using server = await mediaServices();
  const client = new OpenAI({ apiKey: "good", baseURL: `${server.url}/openai`, maxRetries: 0 });
  const created = await client.images.generate({ model: "gpt-image-1", prompt: "a cat" });
  assert.equal(created.data?.[0]?.b64_json, png.toString("base64"));
  await assert.rejects(client.images.generate({ model: "gpt-image-1", prompt: "refuse" }), /400 Not this/u);
});

test("a video is generated by a job that is polled, and its progress is shown", async () => {
  using server = await mediaServices();
  for (const provider of ["fal", "xai", "deepinfra"]) {
    const notes: string[] = [];
    const generator = generatorAt(server.url, { provider });
    const created = await generator.video({ ...wish, seconds: 5 }, signal, (note) => notes.push(note));
    assert.ok(created.ok, created.ok ? "" : created.error.message);
    assert.deepEqual(Buffer.from(created.value.media[0]?.bytes ?? []), mp4);
    if (provider !== "deepinfra") assert.match(notes.join(), /The video: \d+ s/u);
  }
});

test("cancelling a call cancels its job at fal", async () => {
  using server = await mediaServices();
  const stop = new AbortController();
  const slow: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms, run) };
  const generator = generatorAt(server.url, { provider: "fal" }, { clock: slow });
  const created = await generator.image(wish, stop.signal, () => stop.abort());
  assert.match(created.ok ? "" : created.error.message, /was stopped/u);
  assert.equal(server.requests.at(-1)?.method, "PUT");
});

test("if a model cannot upscale, the result says so and still has the image", async () => {
  using server = await mediaServices();
  const large = generatorAt(server.url, { provider: "fal", model: "fal-ai/flux-2-pro" });
  const upscaled = await large.image({ ...wish, upscale: true }, signal, silent);
  assert.ok(upscaled.ok && upscaled.value.isUpscaled);
  assert.ok(server.requests.some(({ path }) => path === "/fal/fal-ai/clarity-upscaler"));
  const plain = await generatorAt(server.url, { provider: "xai" }).image({ ...wish, upscale: true }, signal, silent);
  assert.deepEqual(plain.ok && plain.value.notes, ["xai (grok-imagine-image) does not upscale."]);
});

test("without a key the message names the variables, and for an unknown name it suggests the nearest one", async () => {
  const none = await generatorAt("http://127.0.0.1:9").image(wish, signal, silent);
  assert.match(none.ok ? "" : none.error.message, /hermes config set FAL_KEY … \(or OPENAI_API_KEY/u);
  const typo = await generatorAt("http://127.0.0.1:9", { provider: "opnai" }).image(wish, signal, silent);
  assert.match(typo.ok ? "" : typo.error.message, /there is no "opnai"\. .*openai/u);
  const keyless = await generatorAt("http://127.0.0.1:9", { provider: "krea" }, { secret: () => undefined }).facts(
    "image",
    signal,
  );
  assert.equal(keyless.ok ? "" : keyless.error.message, "Krea has no key: hermes config set KREA_API_KEY …");
});

test("a server in the settings cannot redirect us to another private address", async () => {
  using other = await mediaServices();
  const backend = { data: [{ url: `${other.url}/files/image.png` }] };
  using server = await mediaServices();
  const generator = generatorAt(
    server.url,
    { provider: "deepinfra" },
    {
      web: async () => {
        const own = createWeb({
          rules: async () => ({ allowPrivate: false }),
          http: createHttp({ clock: systemClock }),
          clock: systemClock,
        });
        return {
          async fetch(request, abort) {
            const answer = await own.fetch(request, abort);
            return answer.ok && request.url.endsWith("/images/generations")
              ? ok({ ...answer.value, body: Buffer.from(JSON.stringify(backend)) })
              : answer;
          },
        };
      },
    },
  );
  const created = await generator.image(wish, signal, silent);
  assert.ok(!created.ok);
  assert.equal(other.requests.length, 0);
});

test("a generator program in the settings gets the prompt unchanged, and up to four run in parallel", async () => {
  await using home = await tempHome();
  const script = join(home.path, "paint");
  await writeFile(join(home.path, "cat.png"), png);
  const log = join(home.path, "log");
  await writeFile(
    script,
    `#!/bin/sh\nprintf '%s|%s|' "$1" "$3" >> ${log}\ncat "$4" >> ${log}\ncp ${join(home.path, "cat.png")} "$2"\n`,
  );
  await chmod(script, 0o755);
  const command = `${script} {prompt} {output_path} {width}x{height} {prompt_path}`;
  const commands = { paint: { command, model: "", format: "png", timeoutSeconds: 20 } };
  const generator = generatorAt("http://127.0.0.1:9", { commands });
  const prompt = 'it\'s "$(touch /tmp/never)" `x` ; rm -rf /';
  const created = await generator.image({ ...wish, prompt, aspectRatio: "square" }, signal, silent);
  assert.ok(created.ok, created.ok ? "" : created.error.message);
  assert.equal(created.value.provider, "paint");
  assert.equal(await readFile(log, "utf8"), `${prompt}|1024x1024|${prompt}`);
  const broken = generatorAt("http://127.0.0.1:9", {
    commands: { broken: { command: "echo no paint >&2; exit 3", model: "", format: "png", timeoutSeconds: 20 } },
  });
  const failed = await broken.image(wish, signal, silent);
  assert.equal(failed.ok ? "" : failed.error.message, "The program failed (exit code 3): no paint");
});

test("at most four requests run in parallel", async () => {
  let [running, maxRunning] = [0, 0];
  const gate = Promise.withResolvers<void>();
  const backend: Backend = {
    name: "image:mine",
    kind: "image",
    id: "mine",
    title: "Mine",
    isAvailable: async () => true,
    async run() {
      maxRunning = Math.max(maxRunning, ++running);
      await gate.promise;
      running--;
      return ok({ images: [{ base64: png.toString("base64"), mime_type: "image/png" }], model: "m" });
    },
  };
  const generator = generatorAt("http://127.0.0.1:9", {}, { backends: async () => [backend] });
  const all = Array.from({ length: 9 }, () => generator.image(wish, signal, silent));
  await eventually(() => running === 4);
  gate.resolve();
  const created = await Promise.all(all);
  assert.ok(created.every((each) => each.ok && each.value.model === "m"));
  assert.equal(maxRunning, 4);
});

test("fal works through the gateway, with its token and its address", async () => {
  using server = await mediaServices();
  const account: GeneratorDeps["account"] = async () => ({
    token: "good",
    headers: { authorization: "Bearer good" },
    server: { baseUrl: `${server.url}/fal`, isNamedBySettings: true },
  });
  const generator = generatorAt("http://127.0.0.1:9", { provider: "fal" }, { account, usesGateway: () => true }, "own");
  const created = await generator.image(wish, signal, silent);
  assert.ok(created.ok, created.ok ? "" : created.error.message);
  assert.ok(server.requests.every(({ headers }) => headers.authorization !== "Key own"));
  assert.equal(server.requests[0]?.headers.authorization, "Bearer good");
});
