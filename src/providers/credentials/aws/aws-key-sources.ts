import { readFile } from "node:fs/promises";

import { describeFault } from "../../../base/files/file-fault.ts";
import { parsedObject } from "../../../base/json.ts";
import { err, ok, type Result, reasonOf } from "../../../base/result.ts";
import { type AwsKeys, signAws } from "../../wire/sign-aws.ts";
import {
  askAws,
  type AwsFault,
  type AwsSourceDeps,
  type TemporaryAwsKeys,
  readTemporaryKeys,
  serviceUrl,
  xmlTagText,
} from "./ask-aws.ts";
import type { ProfileSection } from "./aws-profiles.ts";
import { ssoKeys } from "./sso-keys.ts";

type Lent = Promise<Result<TemporaryAwsKeys, AwsFault>>;

interface Role {
  readonly role: string;
  /** The name of the session in AWS logs. Empty: a default name. */
  readonly session: string;
}

export interface AwsKeySources {
  /** Assumes a role with other keys. */
  role(of: Role & { readonly externalId: string; readonly seconds: string }, by: AwsKeys, signal: AbortSignal): Lent;
  /** Assumes a role with a web identity token (Kubernetes, GitHub). */
  webIdentity(of: Role & { readonly tokenFile: string }, signal: AbortSignal): Lent;
  /** Uses the token of `aws sso login`. */
  signIn(name: string, profile: ProfileSection, session: ProfileSection, signal: AbortSignal): Lent;
  /** Runs the `credential_process` of the profile. */
  program(name: string, command: string, signal: AbortSignal): Lent;
  container(signal: AbortSignal): Lent;
  instance(signal: AbortSignal): Lent;
}

export function createAwsKeySources(
  deps: AwsSourceDeps,
  { region, ssoFolder }: { readonly region: string; readonly ssoFolder: string },
): AwsKeySources {
  const { env, http, clock } = deps;
  const text = (name: string) => env(name)?.trim() ?? "";

  /** Calls AWS STS, without empty fields. `by`: the keys that sign the request. */
  async function askSts(fields: Readonly<Record<string, string>>, by: AwsKeys | undefined, signal: AbortSignal): Lent {
    const url = serviceUrl(env, "STS", `https://sts.${region}.amazonaws.com/`);
    if (!url.ok) return url;
    const form = Object.entries({ Version: "2011-06-15", ...fields }).filter(([, value]) => value !== "");
    const plain = {
      method: "POST",
      url: url.value,
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      body: new URLSearchParams(form).toString(),
    } as const;
    const signed = by ? signAws(plain, by, { region, service: "sts", now: clock.now() }) : {};
    const result = await askAws(http(), { ...plain, headers: { ...plain.headers, ...signed } }, signal);
    if (!result.ok) return err({ ...result.error, message: `the role ${fields["RoleArn"]}: ${result.error.message}` });
    const names = ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"];
    return readTemporaryKeys(
      Object.fromEntries(names.map((name) => [name, xmlTagText(result.value, name)])),
      url.value.host,
    );
  }

  return {
    role: ({ role, session, externalId, seconds }, by, signal) =>
      askSts(
        {
          Action: "AssumeRole",
          RoleArn: role,
          RoleSessionName: session || sessionName,
          ExternalId: externalId,
          DurationSeconds: seconds,
        },
        by,
        signal,
      ),
    async webIdentity({ role, session, tokenFile }, signal) {
      const token = await readWord(tokenFile);
      if (!token.ok) return token;
      const fields = { RoleArn: role, RoleSessionName: session || sessionName, WebIdentityToken: token.value };
      return askSts({ Action: "AssumeRoleWithWebIdentity", ...fields }, undefined, signal);
    },
    signIn: (name, profile, session, signal) => ssoKeys({ name, profile, session, ssoFolder }, deps, signal),
    program: (name, command, signal) => runForKeys(name, command, signal),
    async container(signal) {
      const relative = text("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
      const url = URL.parse(
        relative === "" ? text("AWS_CONTAINER_CREDENTIALS_FULL_URI") : `http://169.254.170.2${relative}`,
      );
      if (!url || !(url.protocol === "https:" || containerHosts.has(url.hostname) || isLoopback(url)))
        return err({
          message:
            "AWS_CONTAINER_CREDENTIALS_FULL_URI is not a safe address to get keys from; Hermes sent nothing to it",
        });
      const tokenFile = text("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
      const token = tokenFile === "" ? ok(text("AWS_CONTAINER_AUTHORIZATION_TOKEN")) : await readWord(tokenFile);
      if (!token.ok) return token;
      const headers = { accept: "application/json", ...(token.value !== "" && { authorization: token.value }) };
      const result = await askAws(http(), { method: "GET", url, headers }, signal);
      return result.ok ? readTemporaryKeys(parsedObject(result.value), url.host) : result;
    },
    async instance(signal) {
      const base = text("AWS_EC2_METADATA_SERVICE_ENDPOINT") || "http://169.254.169.254";
      const baseUrl = URL.parse(base);
      if (!baseUrl || !(instanceHosts.has(baseUrl.hostname) || isLoopback(baseUrl)))
        return err({
          message: `AWS_EC2_METADATA_SERVICE_ENDPOINT: ${base} is not the metadata service of an instance`,
        });
      const ask = (method: "GET" | "PUT", path: string, headers: Readonly<Record<string, string>>) =>
        askAws(http(), { method, url: new URL(path, baseUrl), headers }, signal, 1_000);
      const token = await ask("PUT", "/latest/api/token", { "x-aws-ec2-metadata-token-ttl-seconds": "300" });
      if (!token.ok) return token;
      const headers = { "x-aws-ec2-metadata-token": token.value.trim() };
      const roles = "/latest/meta-data/iam/security-credentials/";
      const role = await ask("GET", roles, headers);
      if (!role.ok) return role;
      const name = role.value.split("\n")[0]?.trim() ?? "";
      if (name === "") return err({ message: "this EC2 instance has no role" });
      const result = await ask("GET", `${roles}${encodeURIComponent(name)}`, headers);
      return result.ok ? readTemporaryKeys(parsedObject(result.value), baseUrl.host) : result;
    },
  };
}

async function readWord(path: string): Promise<Result<string, AwsFault>> {
  try {
    return ok((await readFile(path, "utf8")).trim());
  } catch (thrown) {
    return err({ message: describeFault(thrown, path).message });
  }
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/u.test(hostname);
}

const sessionName = "hermes";
const containerHosts = new Set(["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]);
const instanceHosts = new Set(["169.254.169.254", "[fd00:ec2::254]"]);

/** Runs the `credential_process` of a profile, which prints keys as JSON. */
async function runForKeys(
  name: string,
  command: string,
  signal: AbortSignal,
): Promise<Result<TemporaryAwsKeys, AwsFault>> {
  const { exec } = process.getBuiltinModule("node:child_process");
  const fail = (why: string) => err({ message: `AWS profile ${name}: its credential_process ${why}` });
  return new Promise((resolve) => {
    try {
      const options = { signal, timeout: maxMs, maxBuffer: 1_000_000, windowsHide: true };
      const child = exec(command, options, (failure, stdout, stderr) => {
        const words = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
        if (signal.aborted) resolve(err({ message: "interrupted" }));
        else if (failure?.killed) resolve(fail(`did not answer within ${maxMs / 1000} seconds`));
        else if (failure) resolve(fail(`failed${words === "" ? "" : `: ${words}`}`));
        else resolve(readTemporaryKeys(parsedObject(stdout), `AWS profile ${name}: its credential_process`));
      });
      child.stdin?.end();
    } catch (thrown) {
      resolve(fail(`cannot be run: ${reasonOf(thrown)}`));
    }
  });
}

const maxMs = 60_000;
