import { readFileSync } from "node:fs";

import { valueOr } from "../../../base/result.ts";
import type { Lookup } from "../../endpoint.ts";
import type { AwsKeys } from "../../wire/sign-aws.ts";
import { type AwsProfiles, readAwsProfiles, type ProfileSection } from "./aws-profiles.ts";

/** `keys` are static keys; `lentBy` is the source of temporary keys. */
export type AwsKeyLocation = {
  /** The source of the keys in words for the user. */
  readonly label: string;
} & ({ readonly keys: AwsKeys } | { readonly lentBy: "profile" | "web identity" | "container" | "instance" });

/**
 * Searches for AWS keys in the same order as the AWS tools: variables (unless a profile is selected), the profile, a
 * web identity token, the container, the instance. Sends no request.
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

/** Packs keys into one string for a credential; its last characters identify the key. */
export function packAwsKeys({ accessKeyId, secretAccessKey, sessionToken = "" }: AwsKeys): string {
  return [secretAccessKey, sessionToken, accessKeyId].join(" ");
}

export function unpackAwsKeys(text: string): AwsKeys {
  const [secretAccessKey = "", sessionToken = "", accessKeyId = ""] = text.split(" ");
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

/** Returns the static keys of a section. */
export function staticKeysIn(values: ProfileSection): AwsKeys | undefined {
  const accessKeyId = values.get("aws_access_key_id") ?? "";
  const secretAccessKey = values.get("aws_secret_access_key") ?? "";
  const sessionToken = values.get("aws_session_token") ?? "";
  // The keys are sent in headers, which allow only these characters.
  const isPlain = [accessKeyId, secretAccessKey, sessionToken].every((part) => /^[\u0021-\u007e]*$/u.test(part));
  if (accessKeyId === "" || secretAccessKey === "" || !isPlain) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

const variables = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
const containerVariables = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"];
const lenders = ["sso_session", "sso_start_url", "credential_process"];

/** Returns whether this machine is an EC2 instance. On other machines, anyone could answer at the metadata address. */
function isInstance(): boolean {
  return valueOr(() => readFileSync("/sys/devices/virtual/dmi/id/sys_vendor", "utf8").startsWith("Amazon EC2"), false);
}
