// covers: src/providers
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { assumedRole, startAwsServer } from "../support/aws-server.ts";
import { ask, type ModelsRig, modelsRig } from "../support/models-rig.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

const settings = "model: bedrock/openai.gpt-oss-120b-1:0\nbedrock: {region: eu-west-1}\n";
const later = new Date(Date.now() + 3_600_000).toISOString();
const json = (accessKeyId: string) => ({
  AccessKeyId: accessKeyId,
  SecretAccessKey: "secret",
  Token: "session",
  Expiration: later,
});

async function writeConfig(rig: ModelsRig, text: string, file = "config"): Promise<string> {
  const folder = join(dirname(rig.home), ".aws");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, file), text, { mode: 0o600 });
  return folder;
}

const bedrock = () => startModelServer({ protocol: "openai-chat", turns: () => ({ text: "ok" }) });
type Bedrock = Awaited<ReturnType<typeof bedrock>>;

/** Whose keys the last request was signed with. */
function signer(server: Bedrock): string | undefined {
  return /Credential=([^/]+)\//u.exec(server.requests.at(-1)?.headers.authorization ?? "")?.[1];
}

test("a chain of AWS roles starts at the profile with keys, and each role is assumed once", async () => {
  await using server = await bedrock();
  await using aws = await startAwsServer(({ body }) => ({
    body: assumedRole(new URLSearchParams(body).get("RoleArn")?.endsWith("/far") ? "AKIDFAR" : "AKIDNEAR", later),
  }));
  await using rig = await modelsRig(settings, {
    BEDROCK_BASE_URL: server.url,
    AWS_ENDPOINT_URL_STS: aws.url,
    AWS_PROFILE: "far",
  });
  await writeConfig(
    rig,
    [
      "[profile far]\nrole_arn = arn:aws:iam::1:role/far\nsource_profile = near\nexternal_id = x1\nregion = eu-north-1",
      "[profile near]\nrole_arn = arn:aws:iam::1:role/near\nsource_profile = default",
    ].join("\n"),
  );
  await writeConfig(rig, "[default]\naws_access_key_id = AKIDBASE\naws_secret_access_key = base\n", "credentials");
  assert.equal((await ask(rig.models)).text, "ok");
  assert.equal((await ask(rig.models)).text, "ok");
  assert.equal(signer(server), "AKIDFAR");
  assert.equal(server.requests.at(-1)?.headers["x-amz-security-token"], "session");
  const requests = aws.requests.map(({ headers, body }) => [
    /Credential=([^/]+)\/\d+\/([^/]+)\/sts/u
      .exec(headers.authorization ?? "")
      ?.slice(1)
      .join(" "),
    new URLSearchParams(body).get("ExternalId"),
  ]);
  assert.deepEqual(requests, [
    ["AKIDBASE eu-north-1", null],
    ["AKIDNEAR eu-north-1", "x1"],
  ]);
});

test("circular AWS roles and roles that need an MFA code end with a message", async () => {
  for (const [text, message] of [
    ["[profile a]\nrole_arn = r\nsource_profile = b\n[profile b]\nrole_arn = r\nsource_profile = a", /a → b → a/u],
    ["[profile a]\nrole_arn = r\nsource_profile = b\nmfa_serial = arn:mfa", /code of arn:mfa.*export-credentials/u],
    ["[profile a]\nrole_arn = r", /no source_profile and no supported credential_source/u],
    ["[profile a]\ncredential_process = echo no keys", /returned no AWS keys/u],
    ["[profile a]\ncredential_process = echo away >&2; exit 3", /credential_process failed: away/u],
    ["[profile a]\nsso_session = work", /sso_region.*are required/u],
  ] as const) {
    await using rig = await modelsRig(settings, { BEDROCK_BASE_URL: "http://127.0.0.1:9/", AWS_PROFILE: "a" });
    await writeConfig(rig, text);
    const { end } = await ask(rig.models);
    assert.match(end?.type === "error" ? end.error.message : "", message);
  }
});

test("a program in an AWS profile supplies keys; it runs once, and again if they are refused", async () => {
  let refuse = false;
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns() {
      const isRefused = refuse;
      refuse = false;
      return isRefused ? { error: { status: 403, message: "ExpiredTokenException: expired" } } : { text: "ok" };
    },
  });
  await using rig = await modelsRig(settings, { BEDROCK_BASE_URL: server.url });
  const folder = join(dirname(rig.home), ".aws");
  const log = join(folder, "asked");
  const keys = JSON.stringify({ Version: 1, ...json("AKIDPROG") });
  await writeConfig(rig, `[default]\ncredential_process = echo x >> "${log}"; echo '${keys}'\n`);
  await ask(rig.models);
  await ask(rig.models);
  assert.equal(signer(server), "AKIDPROG");
  assert.equal(await readFile(log, "utf8"), "x\n");
  refuse = true;
  const reply = await ask(rig.models);
  assert.equal(reply.text, "ok");
  assert.deepEqual(reply.decisions, ["retry: requesting new keys (AWS profile default)"]);
  assert.equal(await readFile(log, "utf8"), "x\nx\n");
});

test("the token of `aws sso login` is exchanged for keys; an expired one is renewed and saved", async () => {
  await using server = await bedrock();
  await using aws = await startAwsServer(({ url, body, headers }) => {
    if (url.pathname === "/token")
      return { body: { accessToken: `new of ${JSON.parse(body).refreshToken}`, expiresIn: 3600 } };
    return {
      body: {
        roleCredentials: {
          accessKeyId: headers["x-amz-sso_bearer_token"] === "new of again" ? "AKIDSSO" : "AKIDOLD",
          secretAccessKey: "s",
          sessionToken: "t",
          expiration: Date.parse(later),
        },
      },
    };
  });
  const env = { AWS_ENDPOINT_URL: aws.url, BEDROCK_BASE_URL: server.url, AWS_PROFILE: "team" };
  await using rig = await modelsRig(settings, env);
  const folder = await writeConfig(
    rig,
    "[profile team]\nsso_session = work\nsso_account_id = 12\nsso_role_name = Reader\n[sso-session work]\nsso_region = eu-west-1\nsso_start_url = https://x.awsapps.com/start\n",
  );
  const errorText = async () => {
    const { end } = await ask(await rig.again());
    return end?.type === "error" ? end.error.message : "";
  };
  assert.match(await errorText(), /Sign in: aws sso login --profile team/u);

  const file = join(folder, "sso", "cache", `${createHash("sha1").update("work").digest("hex")}.json`);
  await mkdir(dirname(file), { recursive: true });
  const old = { accessToken: "old", expiresAt: "2020-01-01T00:00:00Z", region: "eu-west-1" };
  await writeFile(file, JSON.stringify(old));
  assert.match(await errorText(), /Sign in: aws sso login --profile team/u);
  await writeFile(file, JSON.stringify({ ...old, refreshToken: "again", clientId: "c", clientSecret: "s" }));
  assert.equal((await ask(rig.models)).text, "ok");
  assert.equal(signer(server), "AKIDSSO");
  const got = aws.requests.at(-1)?.url;
  assert.equal(`${got?.pathname}${got?.search}`, "/federation/credentials?role_name=Reader&account_id=12");
  const kept = JSON.parse(await readFile(file, "utf8"));
  assert.deepEqual([kept.accessToken, kept.refreshToken, kept.region], ["new of again", "again", "eu-west-1"]);
  assert.ok(Date.parse(kept.expiresAt) > Date.now());
});

test("AWS keys come from a web identity, a container or an instance, in this order", async () => {
  await using server = await bedrock();
  await using aws = await startAwsServer(({ method, url, headers, body }) => {
    if (url.pathname === "/container")
      return { body: json(headers.authorization === "pass" ? "AKIDBOX" : "AKIDNOBODY") };
    if (method === "PUT") return { body: "metadata-token" };
    if (headers["x-aws-ec2-metadata-token"] === "metadata-token")
      return { body: url.pathname.endsWith("/my-role") ? json("AKIDEC2") : "my-role\n" };
    const form = new URLSearchParams(body);
    return { body: assumedRole(form.get("WebIdentityToken") === "jwt" ? "AKIDWEB" : "AKIDNOBODY", later) };
  });
  const instance = { AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url, BEDROCK_BASE_URL: server.url };
  const container = {
    ...instance,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: "pass",
  };
  await using files = await modelsRig(settings);
  const tokenFile = join(files.home, "token");
  await writeFile(tokenFile, "jwt\n");
  const web = {
    ...container,
    AWS_ENDPOINT_URL_STS: aws.url,
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_ARN: "arn:aws:iam::1:role/pod",
  };
  for (const [env, by] of [
    [instance, "AKIDEC2"],
    [container, "AKIDBOX"],
    [web, "AKIDWEB"],
  ] as const) {
    await using rig = await modelsRig(settings, env);
    assert.equal((await ask(rig.models)).text, "ok");
    assert.equal(signer(server), by);
  }
  await using off = await modelsRig(settings, { ...instance, AWS_EC2_METADATA_DISABLED: "true" });
  const { end } = await ask(off.models);
  assert.match(end?.type === "error" ? end.error.message : "", /There is no key for bedrock/u);
});

test("no request is sent to an untrusted host that offers AWS keys", async () => {
  for (const env of [
    { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://evil.example/keys" },
    { AWS_EC2_METADATA_SERVICE_ENDPOINT: "http://evil.example" },
  ]) {
    await using rig = await modelsRig(settings, { ...env, BEDROCK_BASE_URL: "http://127.0.0.1:9/" });
    const { end } = await ask(rig.models);
    assert.match(end?.type === "error" ? end.error.message : "", /not a safe address|not the metadata service/u);
  }
});
