import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { parsedObject } from "../../../base/json.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import {
  askAws,
  type AwsFault,
  type AwsSourceDeps,
  type TemporaryAwsKeys,
  readTemporaryKeys,
  serviceUrl,
} from "./ask-aws.ts";
import type { ProfileSection } from "./aws-profiles.ts";

interface SsoProfile {
  readonly name: string;
  readonly profile: ProfileSection;
  /** The settings of the profile's `sso_session`. */
  readonly session: ProfileSection;
  readonly ssoFolder: string;
}

/**
 * Gets keys for the account and role of a profile with the token of `aws sso login`, which is refreshed if possible.
 */
export async function ssoKeys(
  { name, profile, session, ssoFolder }: SsoProfile,
  deps: AwsSourceDeps,
  signal: AbortSignal,
): Promise<Result<TemporaryAwsKeys, AwsFault>> {
  const word = (key: string) => session.get(key) || profile.get(key) || "";
  const [region, account, role] = [word("sso_region"), word("sso_account_id"), word("sso_role_name")];
  const label = profile.get("sso_session") || word("sso_start_url");
  if ([region, account, role, label].includes(""))
    return err({
      message: `AWS profile ${name}: sso_region, sso_account_id, sso_role_name and sso_start_url are required`,
    });
  const { createHash } = process.getBuiltinModule("node:crypto");
  const file = join(ssoFolder, `${createHash("sha1").update(label).digest("hex")}.json`);
  const token = await tokenOf(file, region, name, deps, signal);
  if (!token.ok) return token;
  const url = serviceUrl(deps.env, "SSO", `https://portal.sso.${region}.amazonaws.com/`);
  if (!url.ok) return url;
  const keysUrl = new URL("/federation/credentials", url.value);
  keysUrl.searchParams.set("role_name", role);
  keysUrl.searchParams.set("account_id", account);
  const headers = { accept: "application/json", "x-amz-sso_bearer_token": token.value };
  const result = await askAws(deps.http(), { method: "GET", url: keysUrl, headers }, signal);
  if (!result.ok)
    return err({
      ...result.error,
      message: `AWS profile ${name}: ${result.error.message}.${result.error.passing ? "" : ` ${again(name)}`}`,
    });
  // A response of any other form contains no keys.
  return readTemporaryKeys(
    parsedObject(JSON.stringify(parsedObject(result.value)["roleCredentials"] ?? {})),
    keysUrl.host,
  );
}

async function tokenOf(
  file: string,
  region: string,
  name: string,
  deps: AwsSourceDeps,
  signal: AbortSignal,
): Promise<Result<string, AwsFault>> {
  const { clock, env, http } = deps;
  const kept = parsedObject(await readFile(file, "utf8").catch(() => ""));
  const text = (key: string) => (typeof kept[key] === "string" ? kept[key] : "");
  const token = text("accessToken");
  const lasts = Date.parse(text("expiresAt")) > clock.now() + 60_000;
  if (token !== "" && lasts) return ok(token);
  const mustSignIn = err({ message: `AWS profile ${name}: the sign-in has expired or was removed. ${again(name)}` });
  if (text("refreshToken") === "" || text("clientId") === "") return mustSignIn;
  const url = serviceUrl(env, "SSO_OIDC", `https://oidc.${region}.amazonaws.com/`);
  if (!url.ok) return url;
  const body = JSON.stringify({
    clientId: text("clientId"),
    clientSecret: text("clientSecret"),
    grantType: "refresh_token",
    refreshToken: text("refreshToken"),
  });
  const headers = { "content-type": "application/json", accept: "application/json" };
  const result = await askAws(http(), { method: "POST", url: new URL("/token", url.value), headers, body }, signal);
  if (!result.ok) return result.error.passing ? result : mustSignIn;
  const { accessToken, refreshToken = text("refreshToken"), expiresIn } = parsedObject(result.value);
  if (typeof accessToken !== "string") return mustSignIn;
  const expiresAt = new Date(clock.now() + (Number(expiresIn) || 3_600) * 1000).toISOString().replace(/\.\d+Z$/u, "Z");
  // The token is saved in the format of the AWS tools, so that they can use it. If saving fails, the token still works
  // now.
  await writeFileAtomic(file, JSON.stringify({ ...kept, accessToken, refreshToken, expiresAt }), { mode: 0o600 });
  return ok(accessToken);
}

function again(profile: string): string {
  return `Sign in: aws sso login --profile ${profile}`;
}
