// covers: src/providers
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { signAws } from "../../src/providers/wire/sign-aws.ts";
import { ask, modelsRig } from "../support/models-rig.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";
import type { RecordedRequest } from "../support/wire-servers/turn.ts";

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const inEnv = { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey };
const settings = "model: bedrock/openai.gpt-oss-120b-1:0\nbedrock: {region: eu-west-1}\n";

/** The signature that a request must have, computed from its bytes. */
function signatureFor(request: RecordedRequest, port: number, more: { readonly sessionToken?: string } = {}) {
  const time = String(request.headers["x-amz-date"]).replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u,
    "$1-$2-$3T$4:$5:$6Z",
  );
  const url = new URL(request.path, `http://127.0.0.1:${port}`);
  const headers = { "content-type": String(request.headers["content-type"]) };
  const scope = { region: "eu-west-1", service: "bedrock", now: Date.parse(time) };
  return signAws({ method: "POST", url, headers, body: request.body }, { ...keys, ...more }, scope)["authorization"];
}

test("AWS keys sign requests and are never sent", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "signed" }] });
  await using rig = await modelsRig(settings, { ...inEnv, BEDROCK_BASE_URL: server.url, AWS_SESSION_TOKEN: "session" });
  assert.equal((await ask(rig.models)).text, "signed");
  const [request] = server.requests;
  assert.ok(request);
  assert.equal(request.headers.authorization, signatureFor(request, server.port, { sessionToken: "session" }));
  assert.equal(request.headers["x-amz-security-token"], "session");
  assert.ok(!JSON.stringify([request.headers, request.body.toString()]).includes(keys.secretAccessKey));
});

test("a profile of the AWS credentials file is used, and a named profile wins over variables", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: () => ({ text: "ok" }) });
  const text = [
    "[default]",
    "aws_access_key_id = AKIDDEFAULT",
    "aws_secret_access_key = one",
    "; a comment",
    "[ work ]",
    `aws_access_key_id=${keys.accessKeyId}`,
    `aws_secret_access_key = ${keys.secretAccessKey}`,
    "",
  ].join("\r\n");
  for (const [env, by] of [
    [{}, "AKIDDEFAULT"],
    [{ AWS_PROFILE: "work" }, "AKIDEXAMPLE"],
    [{ AWS_PROFILE: "work", AWS_ACCESS_KEY_ID: "AKIDOTHER", AWS_SECRET_ACCESS_KEY: "x" }, "AKIDEXAMPLE"],
    [{ AWS_ACCESS_KEY_ID: "AKIDOTHER", AWS_SECRET_ACCESS_KEY: "x" }, "AKIDOTHER"],
  ] as const) {
    await using rig = await modelsRig(settings, { ...env, BEDROCK_BASE_URL: server.url });
    const folder = join(dirname(rig.home), ".aws");
    await mkdir(folder);
    await writeFile(join(folder, "credentials"), text, { mode: 0o600 });
    assert.equal((await ask(rig.models)).text, "ok");
    assert.match(server.requests.at(-1)?.headers.authorization ?? "", new RegExp(`Credential=${by}/`, "u"));
  }
});

test("a Bedrock API key comes first, and if it is refused the AWS signature is used", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: ({ key }) => (key === undefined ? { text: "by signature" } : { error: { status: 401, message: "no" } }),
  });
  await using rig = await modelsRig(settings, {
    ...inEnv,
    BEDROCK_BASE_URL: server.url,
    AWS_BEARER_TOKEN_BEDROCK: "api-key-0123456789",
  });
  const reply = await ask(rig.models);
  assert.equal(server.requests[0]?.key, "api-key-0123456789");
  assert.equal(reply.text, "by signature");
  assert.match(reply.decisions[0] ?? "", /trying AWS_ACCESS_KEY_ID/u);
});

test("without AWS keys, the error lists the supported kinds", async () => {
  await using rig = await modelsRig(settings, { BEDROCK_BASE_URL: "http://127.0.0.1:9/" });
  const { end } = await ask(rig.models);
  assert.match(end?.type === "error" ? end.error.message : "", /AWS_ACCESS_KEY_ID/u);
});

test("AWS keys are sent only to Bedrock's address", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: () => ({ text: "ok" }) });
  await using rig = await modelsRig(`${settings}providers: {bedrock: {base_url: "${server.url}"}}\n`, inEnv);
  await ask(rig.models);
  assert.equal(server.requests[0]?.headers.authorization, undefined);
});
