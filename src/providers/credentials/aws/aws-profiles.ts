import { readFileSync } from "node:fs";
import { join } from "node:path";

import { valueOr } from "../../../base/result.ts";
import type { Lookup } from "../../endpoint.ts";

export type ProfileSection = ReadonlyMap<string, string>;

/** The configuration files in `~/.aws`, read in the same way as the AWS tools do. */
export interface AwsProfiles {
  /** The selected profile. `isNamed`: an environment variable selects it. */
  readonly name: string;
  readonly isNamed: boolean;
  /** The settings of a profile from both files. The credentials file takes precedence. */
  profile(name: string): ProfileSection;
  /** The settings in the section `[sso-session NAME]`. */
  ssoSession(name: string): ProfileSection;
  /** The folder in which `aws sso login` stores its tokens. */
  readonly ssoFolder: string;
}

export function readAwsProfiles(env: Lookup, userFolder: string): AwsProfiles {
  const text = (name: string) => env(name)?.trim() ?? "";
  const folder = join(userFolder, ".aws");
  const credentials = sectionsOf(text("AWS_SHARED_CREDENTIALS_FILE") || join(folder, "credentials"));
  const config = sectionsOf(text("AWS_CONFIG_FILE") || join(folder, "config"));
  const named = text("AWS_PROFILE") || text("AWS_DEFAULT_PROFILE");
  return {
    name: named || "default",
    isNamed: named !== "",
    profile(name) {
      const inConfig = config.get(`profile ${name}`) ?? (name === "default" ? config.get(name) : undefined);
      return new Map([...(inConfig ?? []), ...(credentials.get(name) ?? [])]);
    },
    ssoSession: (name) => config.get(`sso-session ${name}`) ?? new Map(),
    ssoFolder: join(folder, "sso", "cache"),
  };
}

/** Parses the lines `name = value` below each `[section]`. A file that cannot be read counts as empty. */
function sectionsOf(path: string): ReadonlyMap<string, ProfileSection> {
  const matches = new Map<string, Map<string, string>>();
  const lines = valueOr(() => readFileSync(path, "utf8"), "").split(/\r?\n/u);
  let section: Map<string, string> | undefined;
  for (const line of lines) {
    const heading = /^\s*\[\s*(?<name>[^\]]*?)\s*\]/u.exec(line)?.groups?.["name"]?.replaceAll(/\s+/gu, " ");
    if (heading !== undefined) {
      section = matches.get(heading) ?? new Map();
      matches.set(heading, section);
      continue;
    }
    const [, name, value] = /^(?<name>[\w-]+)\s*=\s*(?<value>.*?)\s*$/u.exec(line) ?? [];
    if (name !== undefined) section?.set(name.toLowerCase(), value ?? "");
  }
  return matches;
}
