import type { Clock } from "../../../base/clock.ts";
import type { Http } from "../../../base/http/http-client.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { Lookup } from "../../endpoint.ts";
import type { AwsFault, TemporaryAwsKeys } from "./ask-aws.ts";
import { createAwsKeySources } from "./aws-key-sources.ts";
import { findAwsKeys, staticKeysIn, packAwsKeys } from "./aws-keys.ts";
import { readAwsProfiles } from "./aws-profiles.ts";

/** Provides temporary AWS keys from a role, a sign-in, a program or the machine. */
export interface AwsKeyProvider {
  /** Returns keys that do not expire soon, packed into one string. `wasRefused`: AWS rejected the previous keys. */
  keys(wasRefused: boolean, signal: AbortSignal): Promise<Result<string, AwsFault>>;
}

export function createAwsKeyProvider(deps: {
  readonly env: Lookup;
  readonly userFolder: string;
  readonly http: () => Http;
  readonly clock: Clock;
}): AwsKeyProvider {
  const { env, userFolder, clock } = deps;
  let kept: TemporaryAwsKeys | undefined;
  const text = (name: string) => env(name)?.trim() ?? "";

  async function borrow(signal: AbortSignal): Promise<Result<TemporaryAwsKeys, AwsFault>> {
    const profiles = readAwsProfiles(env, userFolder);
    const match = findAwsKeys(env, userFolder, profiles);
    if (!match) return err({ message: "the AWS keys no longer exist" });
    if ("keys" in match) return ok({ keys: match.keys });
    const region = text("AWS_REGION") || text("AWS_DEFAULT_REGION") || profiles.profile(profiles.name).get("region");
    const lenders = createAwsKeySources(deps, { region: region || "us-east-1", ssoFolder: profiles.ssoFolder });
    const ofMachine = {
      Environment: environmentKeys,
      EcsContainer: lenders.container,
      Ec2InstanceMetadata: lenders.instance,
    };

    async function environmentKeys(): Promise<Result<TemporaryAwsKeys, AwsFault>> {
      const names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
      const keys = staticKeysIn(new Map(names.map((name) => [name.toLowerCase(), text(name)])));
      return keys ? ok({ keys }) : err({ message: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set" });
    }

    /** `above` lists the profiles that need these keys to assume their roles. */
    async function ofProfile(name: string, above: readonly string[]): Promise<Result<TemporaryAwsKeys, AwsFault>> {
      const profile = profiles.profile(name);
      const word = (key: string) => profile.get(key) ?? "";
      const fail = (why: string) => err({ message: `AWS profile ${name}: ${why}` });
      const own = staticKeysIn(profile);
      const role = word("role_arn");
      const isAgain = above.includes(name);
      if (own && (role === "" || isAgain)) return ok({ keys: own });
      if (isAgain) return fail(`its roles form a cycle (${[...above, name].join(" → ")})`);
      if (role !== "") {
        const session = word("role_session_name");
        if (word("web_identity_token_file") !== "")
          return lenders.webIdentity({ role, session, tokenFile: word("web_identity_token_file") }, signal);
        if (word("mfa_serial") !== "")
          return fail(`its role requires an MFA code of ${word("mfa_serial")}. ${byHand(name)}`);
        const source = word("credential_source");
        const isMachine = (given: string): given is keyof typeof ofMachine => Object.hasOwn(ofMachine, given);
        if (word("source_profile") === "" && !isMachine(source))
          return fail("it has a role_arn, but no source_profile and no supported credential_source");
        const base = isMachine(source)
          ? await ofMachine[source](signal)
          : await ofProfile(word("source_profile"), [...above, name]);
        if (!base.ok) return base;
        const more = { externalId: word("external_id"), seconds: word("duration_seconds") };
        return lenders.role({ role, session, ...more }, base.value.keys, signal);
      }
      if (profile.has("sso_session") || profile.has("sso_start_url"))
        return lenders.signIn(name, profile, profiles.ssoSession(word("sso_session")), signal);
      if (profile.has("credential_process")) return lenders.program(name, word("credential_process"), signal);
      return fail("it has no keys");
    }

    switch (match.lentBy) {
      case "profile":
        return ofProfile(profiles.name, []);
      case "web identity": {
        const [role, session] = [text("AWS_ROLE_ARN"), text("AWS_ROLE_SESSION_NAME")];
        return lenders.webIdentity({ role, session, tokenFile: text("AWS_WEB_IDENTITY_TOKEN_FILE") }, signal);
      }
      case "container":
        return lenders.container(signal);
      case "instance":
        return lenders.instance(signal);
    }
  }

  return {
    async keys(wasRefused, signal) {
      if (kept && !wasRefused && (kept.expiresAt ?? Infinity) > clock.now() + earlyMs)
        return ok(packAwsKeys(kept.keys));
      const lent = await borrow(signal);
      if (!lent.ok) return lent;
      kept = lent.value;
      return ok(packAwsKeys(kept.keys));
    },
  };
}

/** Keys are renewed this long before they expire, so that they are still valid when a request starts. */
const earlyMs = 120_000;

function byHand(profile: string): string {
  return `Get the keys manually: aws configure export-credentials --profile ${profile} --format env`;
}
