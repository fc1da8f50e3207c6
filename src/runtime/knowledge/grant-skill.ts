import type { LoadedConfig } from "../../config/load.ts";
import type { FoundSkill } from "../../contracts/knowledge/skill.ts";
import { endpointRows } from "../../providers/endpoints/find-row.ts";
import { skillCredential } from "../environment/credential-files.ts";
import type { SkillGrants } from "./skill-surroundings.ts";

/** From now on commands see what the skill names, as far as it may; `notGiven` hears of the rest, and where to list it. */
export function grantSkill(
  { origin, head }: Pick<FoundSkill, "origin" | "head">,
  { variables, files }: SkillGrants,
  { values: { terminal }, secrets, home }: LoadedConfig,
  notGiven: (name: string, setting: string) => void,
): void {
  // A skill from elsewhere could name any key or file: the person lists it.
  const isTrusted = origin === "bundled" || origin === "user";
  for (const { name } of head.variables) {
    const value = secrets.get(name);
    if (value === undefined || variables.has(name) || terminal.env_passthrough.includes(name)) continue;
    if (isTrusted && !isProviderKey(name)) variables.set(name, value);
    else notGiven(name, "terminal.env_passthrough");
  }
  for (const { path } of head.credentialFiles) {
    const file = skillCredential(home.path, path);
    if (!file.ok || terminal.credential_files.includes(path)) continue;
    if (isTrusted) files.set(file.value.name, file.value);
    else notGiven(path, "terminal.credential_files");
  }
}

/** What pays for models never reaches commands by way of a skill. */
function isProviderKey(name: string): boolean {
  return endpointRows.some(({ keyVars }) => keyVars.includes(name));
}
