// covers: src/providers
import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { findExternalAccount } from "../../src/providers/credentials/external-account.ts";
import { claudeToken } from "../../src/providers/credentials/external-tokens.ts";
import { assertFails } from "../support/failure.ts";
import { ask, modelsRig } from "../support/models-rig.ts";
import { startSignInServer } from "../support/sign-in-server.ts";
import { tempHome } from "../support/temp-home.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

test("the sign-in of Claude Code is used after all keys, and Hermes never renews it", async () => {
  await using server = await startModelServer({ protocol: "anthropic-messages", turns: () => ({ text: "ok" }) });
  await using rig = await modelsRig("model: anthropic/claude-opus-5\n", { ANTHROPIC_BASE_URL: server.url });
  const file = join(dirname(rig.home), ".claude", ".credentials.json");
  await mkdir(dirname(file));
  const write = (expiresAt: number) =>
    writeFile(file, JSON.stringify({ claudeAiOauth: { accessToken: "sk-ant-oat01-borrowed", expiresAt } }));
  await write(Date.now() + 3_600_000);
  assert.equal((await ask(rig.models)).text, "ok");
  assert.equal(server.requests.at(-1)?.headers.authorization, "Bearer sk-ant-oat01-borrowed");
  await write(Date.now() - 1);
  const { end } = await ask(rig.models);
  assert.match(end?.type === "error" ? end.error.message : "", /Run `claude` once to renew it/u);
});

test("a Claude Code file without a token does not count as a sign-in", async () => {
  await using home = await tempHome();
  const file = join(home.path, "credentials.json");
  for (const text of ["", "[]", '{"claudeAiOauth": 1}', '{"claudeAiOauth": {"accessToken": "a\\nb"}}']) {
    await writeFile(file, text);
    assertFails(await claudeToken(file, systemClock), /Claude Code is not signed in/u);
  }
  assert.equal(
    findExternalAccount("claude", () => undefined, home.path),
    undefined,
  );
});

test("a classic GitHub token is skipped, and a notice gives the reason", async () => {
  await using rig = await modelsRig("model: copilot/gpt-5.5\n", { GITHUB_TOKEN: "ghp_0123456789" });
  const { end } = await ask(rig.models);
  assert.match(end?.type === "error" ? end.error.message : "", /GITHUB_TOKEN is ignored: Copilot refuses classic/u);
});

test("Kimi Code keys are sent to Kimi's own address, unless the user configures another", async () => {
  await using rig = await modelsRig("model: kimi/kimi-k2.6\n", { KIMI_API_KEY: "sk-kimi-1234,sk-5678" });
  const route = rig.models.resolve();
  assert.ok(route.ok && route.value !== "offline");
  assert.deepEqual(
    rig.models.pool.list(route.value).map(({ key, baseUrl }) => [key, baseUrl]),
    [
      ["sk-kimi-1234", "https://api.kimi.com/coding/v1"],
      ["sk-5678", "https://api.moonshot.ai/v1"],
    ],
  );
  await using named = await modelsRig("model: kimi/kimi-k2.6\n", {
    KIMI_API_KEY: "sk-kimi-1234",
    KIMI_BASE_URL: "http://127.0.0.1:9/v1",
  });
  const other = named.models.resolve();
  assert.ok(other.ok && other.value !== "offline");
  assert.deepEqual(
    named.models.pool.list(other.value).map(({ baseUrl }) => baseUrl),
    ["http://127.0.0.1:9/v1"],
  );
});

test("the model list is requested from the host that the key belongs to", async () => {
  await using own = await startModelServer({ protocol: "openai-chat", turns: () => ({ text: "ok" }) });
  await using usual = await startModelServer({ protocol: "openai-chat", turns: () => ({ text: "ok" }) });
  await using rig = await modelsRig("model: groq/x\n", { GROQ_BASE_URL: usual.url });
  const entry = { id: "key_1", label: "own", key: "of-another-place", addedAt: 1, baseUrl: own.url };
  await writeFile(rig.credentials, JSON.stringify({ version: 1, keys: { groq: [entry] }, states: {} }), {
    mode: 0o600,
  });
  const models = await rig.again();
  const route = models.resolve();
  assert.ok(route.ok && route.value !== "offline");
  await models.refresh(route.value, AbortSignal.timeout(60_000));
  assert.deepEqual([own.otherRequests.length, usual.otherRequests.length], [1, 0]);
});

test(
  "Entra tokens of `az` are sent to Azure as bearer tokens, and `az` runs once",
  { skip: process.platform === "win32" },
  async () => {
    await using server = await startModelServer({ protocol: "openai-chat", turns: () => ({ text: "ok" }) });
    await using rig = await modelsRig("model: azure/gpt\n", { AZURE_FOUNDRY_BASE_URL: server.url });
    const user = dirname(rig.home);
    await mkdir(join(user, ".azure"));
    await writeFile(join(user, ".azure", "azureProfile.json"), "{}");
    const program = join(user, "az");
    await writeFile(program, `#!/bin/sh\necho x >> "${join(user, "asked")}"\necho eyJ.token\n`);
    await chmod(program, 0o755);
    const before = process.env["PATH"];
    process.env["PATH"] = `${user}:${before}`;
    try {
      assert.equal((await ask(rig.models)).text, "ok");
      assert.equal((await ask(rig.models)).text, "ok");
    } finally {
      process.env["PATH"] = before;
    }
    assert.equal(server.requests.at(-1)?.headers.authorization, "Bearer eyJ.token");
  },
);

test("a program registered in Entra ID gets its token with its secret, which is sent nowhere else", async () => {
  await using entra = await startSignInServer({ token: [{ body: { access_token: "eyJ.entra", expires_in: 3600 } }] });
  await using server = await startModelServer({ protocol: "openai-chat", turns: () => ({ text: "ok" }) });
  await using rig = await modelsRig("model: azure/gpt\n", {
    AZURE_FOUNDRY_BASE_URL: server.url,
    AZURE_AUTHORITY_HOST: entra.url,
    AZURE_TENANT_ID: "tenant",
    AZURE_CLIENT_ID: "client",
    AZURE_CLIENT_SECRET: "the-secret",
  });
  assert.equal((await ask(rig.models)).text, "ok");
  assert.equal((await ask(rig.models)).text, "ok");
  assert.equal(server.requests.at(-1)?.headers.authorization, "Bearer eyJ.entra");
  assert.deepEqual(
    entra.forms.map(({ path, form }) => [path, form.get("client_secret")]),
    [["/tenant/oauth2/v2.0/token", "the-secret"]],
  );
  assert.ok(!JSON.stringify(server.requests.map(({ headers }) => headers)).includes("the-secret"));
});

test("if a key is refused, the error explains where keys come from", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: () => ({ error: { status: 401, message: "no" } }),
  });
  await using rig = await modelsRig("model: zai/glm-5.2\n", {
    GLM_BASE_URL: server.url,
    GLM_API_KEY: "key-of-the-plan",
  });
  const { end } = await ask(rig.models);
  assert.match(end?.type === "error" ? end.error.message : "", /\(401\): no\..*Keys of the coding plan answer at/u);
});
