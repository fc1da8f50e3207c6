import { readFileSync } from "node:fs";

import type { Lookup } from "../../endpoint.ts";
import type { AwsKeys } from "../../wire/sign-aws.ts";
import { type AwsProfiles, readAwsProfiles, type ProfileSection } from "./aws-profiles.ts";

/** `keys`: they are there. `lentBy`: somebody must be asked for keys that last for a while. */
export type AwsKeyLocation = {
  /** For people: where they come from. */
  readonly label: string;
} & ({ readonly keys: AwsKeys } | { readonly lentBy: "profile" | "web identity" | "container" | "instance" });

/**
 * Keys of AWS where its own programs look for them, in their order: variables, unless a profile is named, the profile,
 * a token of a web identity, the container, the machine. Nobody is asked yet.
 */
export function findAwsKeys(
  env: Lookup,
  userFolder: string,
  profiles: AwsProfiles = readAwsProfiles(env, userFolder),
): AwsKeyLocation | undefined {
  const text = (name: string) => env(name)?.trim() ?? "";
  const inVariables = staticKeysIn(new Map(variables.map((name) => [name.toLowerCase(), text(name)])));
  const ofVariables = inVariables && { keys: inVariables, label: "AWS_ACCESS_KEY_ID" };
  if (ofVariables && !profiles.isNamed) return ofVariables;
  const label = `AWS profile ${profiles.name}`;
  const profile = profiles.profile(profiles.name);
  const keys = staticKeysIn(profile);
  if (profile.has("role_arn")) return { lentBy: "profile", label };
  if (keys) return { keys, label };
  if (lenders.some((name) => profile.has(name))) return { lentBy: "profile", label };
  if (ofVariables) return ofVariables;
  if (text("AWS_WEB_IDENTITY_TOKEN_FILE") !== "" && text("AWS_ROLE_ARN") !== "")
    return { lentBy: "web identity", label: "AWS_WEB_IDENTITY_TOKEN_FILE" };
  const container = containerVariables.find((name) => text(name) !== "");
  if (container !== undefined) return { lentBy: "container", label: container };
  const isOff = text("AWS_EC2_METADATA_DISABLED").toLowerCase() === "true";
  if (!isOff && (text("AWS_EC2_METADATA_SERVICE_ENDPOINT") !== "" || isInstance()))
    return { lentBy: "instance", label: "role of this EC2 instance" };
  return undefined;
}

/** As one text, as a credential holds it: the end tells whose it is. */
export function packAwsKeys({ accessKeyId, secretAccessKey, sessionToken = "" }: AwsKeys): string {
  return [secretAccessKey, sessionToken, accessKeyId].join(" ");
}

export function unpackAwsKeys(text: string): AwsKeys {
  const [secretAccessKey = "", sessionToken = "", accessKeyId = ""] = text.split(" ");
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

/** The keys that stand in a section itself. */
export function staticKeysIn(values: ProfileSection): AwsKeys | undefined {
  const accessKeyId = values.get("aws_access_key_id") ?? "";
  const secretAccessKey = values.get("aws_secret_access_key") ?? "";
  const sessionToken = values.get("aws_session_token") ?? "";
  // They go into headers, where nothing else may stand.
  const isPlain = [accessKeyId, secretAccessKey, sessionToken].every((part) => /^[\u0021-\u007e]*$/u.test(part));
  if (accessKeyId === "" || secretAccessKey === "" || !isPlain) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

const variables = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
const containerVariables = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"];
const lenders = ["sso_session", "sso_start_url", "credential_process"];

/** A machine of EC2 says so; elsewhere nobody is asked at an address that may belong to anyone. */
function isInstance(): boolean {
  try {
    return readFileSync("/sys/devices/virtual/dmi/id/sys_vendor", "utf8").startsWith("Amazon EC2");
  } catch {
    return false;
  }
}
