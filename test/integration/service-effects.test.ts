// covers: src/tools/service-effects.ts, src/runtime/calls, src/runtime/session, src/web/search, src/media/generate
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import { mediaServices, png } from "../support/media-services.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { startSearchServices } from "../support/search-services.ts";
import { tempHome } from "../support/temp-home.ts";

/** The results of these calls in a session where nobody answers questions. */
async function results(
  calls: readonly { readonly name: string; readonly args: JsonObject }[],
  { image_gen = {}, ...settings }: Readonly<Record<string, object>>,
  secrets = "",
) {
  await using home = await tempHome();
  const cwd = join(home.path, "project");
  await mkdir(cwd);
  await mkdir(join(home.path, ".hermes"), { mode: 0o700 });
  await writeFile(join(home.path, ".hermes", ".env"), secrets, { mode: 0o600 });
  const script = join(home.path, "paint");
  await writeFile(join(home.path, "cat.png"), png);
  await writeFile(script, `#!/bin/sh\ncp ${join(home.path, "cat.png")} "$1"\n`);
  await chmod(script, 0o755);
  const providers = { paint: { command: `${script} {output_path}` } };
  const file = JSON.stringify({ ...settings, image_gen: { providers, ...image_gen } });
  await writeFile(join(home.path, ".hermes", "config.yaml"), file);
  const model = scriptedModel([{ calls }, { text: "done" }]);
  await using runtime = await runtimeRig({ folder: home.path, cwd, model });
  await using session = await runtime.openSession({ source: "test" });
  await session.prompt([{ type: "text", text: "go" }]).done;
  const texts = session.history().flatMap((message) => (message.role === "tool" ? [JSON.stringify(message)] : []));
  return { texts, hasImage: existsSync(join(cwd, "cat.png")) };
}

const paintCat = { name: "image_generate", args: { prompt: "a cat", output_path: "cat.png" } };

test("the approval question about an image names the service's server, and an allowed private server is used", async () => {
  using server = await mediaServices();
  const address = `${server.url}/openai`;
  const settings = { image_gen: { provider: "openai", base_urls: { openai: address } } };
  const refused = await results([paintCat], settings, "OPENAI_API_KEY=good\n");
  assert.match(refused.texts[0] ?? "", new RegExp(`image_generate connects to ${address}`, "u"));
  assert.equal(server.requests.length, 0);
  const rule = { approvals: { allow: [`@connect ${address}`] } };
  const allowed = await results([paintCat], { ...settings, ...rule }, "OPENAI_API_KEY=good\n");
  assert.match(allowed.texts[0] ?? "", /success\\*":true/u);
  assert.equal(allowed.hasImage, true);
});

test("the approval question about a video names the service that has a key", async () => {
  const { texts } = await results(
    [{ name: "video_generate", args: { prompt: "a cat" } }],
    { toolsets: ["video_gen"] },
    "FAL_KEY=k\n",
  );
  assert.match(texts[0] ?? "", /video_generate connects to https:\/\/queue\.fal\.run/u);
});

test("a program on this machine does not count as a connection", async () => {
  const { texts, hasImage } = await results([paintCat], { image_gen: { provider: "paint" } });
  assert.match(texts[0] ?? "", /success\\*":true/u);
  assert.equal(hasImage, true);
});

test("rules for connections apply to the search engine, which may be in a private network", async () => {
  await using server = await startSearchServices();
  const secrets = `TAVILY_API_KEY=good-key\nTAVILY_BASE_URL=${server.url}\n`;
  const search = [{ name: "web_search", args: { query: "owls" } }];
  const answered = await results(search, {}, secrets);
  assert.match(answered.texts[0] ?? "", /example\.org\/owls/u);
  const denied = await results(search, { approvals: { deny: [`@connect ${server.url}`] } }, secrets);
  assert.match(denied.texts[0] ?? "", /your deny rule .*@connect/u);
});
