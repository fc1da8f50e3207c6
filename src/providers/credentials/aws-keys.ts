import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Lookup } from "../endpoints/make-route.ts";
import type { AwsKeys } from "../wire/sign-aws.ts";

export interface FoundAwsKeys {
  readonly keys: AwsKeys;
  /** For people: where they come from. */
  readonly label: string;
}

/**
 * Keys of AWS as its own programs find them: of the variables, else of the profile (`AWS_PROFILE`) in the files below
 * `~/.aws`. Keys that another program or a service would have to be asked for are not found.
 */
export function findAwsKeys(env: Lookup, userFolder: string): FoundAwsKeys | undefined {
  const text = (name: string) => env(name)?.trim() ?? "";
  const profile = text("AWS_PROFILE") || text("AWS_DEFAULT_PROFILE");
  const inVariables = keysOf(new Map(variables.map((name) => [name.toLowerCase(), text(name)])));
  if (inVariables && profile === "") return { keys: inVariables, label: "AWS_ACCESS_KEY_ID" };
  const name = profile || "default";
  const files = [
    { path: text("AWS_SHARED_CREDENTIALS_FILE") || join(userFolder, ".aws", "credentials"), section: name },
    {
      path: text("AWS_CONFIG_FILE") || join(userFolder, ".aws", "config"),
      section: name === "default" ? name : `profile ${name}`,
    },
  ];
  for (const { path, section } of files) {
    const keys = keysOf(sectionOf(path, section));
    if (keys) return { keys, label: `AWS profile ${name}` };
  }
  return inVariables && { keys: inVariables, label: "AWS_ACCESS_KEY_ID" };
}

/** As one text, as a credential holds it: the end tells whose it is. */
export function packAwsKeys({ accessKeyId, secretAccessKey, sessionToken = "" }: AwsKeys): string {
  return [secretAccessKey, sessionToken, accessKeyId].join(" ");
}

export function unpackAwsKeys(text: string): AwsKeys {
  const [secretAccessKey = "", sessionToken = "", accessKeyId = ""] = text.split(" ");
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

const variables = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

function keysOf(values: ReadonlyMap<string, string>): AwsKeys | undefined {
  const accessKeyId = values.get("aws_access_key_id") ?? "";
  const secretAccessKey = values.get("aws_secret_access_key") ?? "";
  const sessionToken = values.get("aws_session_token") ?? "";
  // They go into headers, where nothing else may stand.
  const isPlain = [accessKeyId, secretAccessKey, sessionToken].every((part) => /^[\u0021-\u007e]*$/u.test(part));
  if (accessKeyId === "" || secretAccessKey === "" || !isPlain) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

/** The lines `name = value` below `[section]`; a file that cannot be read has none. */
function sectionOf(path: string, section: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let lines: readonly string[] = [];
  try {
    lines = readFileSync(path, "utf8").split(/\r?\n/u);
  } catch {
    return found;
  }
  let at = "";
  for (const line of lines) {
    const heading = /^\s*\[\s*(?<name>[^\]]*?)\s*\]/u.exec(line)?.groups?.["name"];
    if (heading !== undefined) at = heading;
    const [, name, value] = /^(?<name>[\w-]+)\s*=\s*(?<value>.*?)\s*$/u.exec(line) ?? [];
    if (heading === undefined && at === section && name !== undefined) found.set(name.toLowerCase(), value ?? "");
  }
  return found;
}
