import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFiles, isProfileName, profilePath, rootHome, userFolder } from "../../config/home.ts";
import {
  isAliasOf,
  readProfileFacts,
  removeAlias,
  renameProfile,
  writeAlias,
  writeProfileFacts,
} from "../../config/profile-facts.ts";
import { checkProfile, listProfiles } from "../../config/profiles.ts";
import { readYaml } from "../../config/yaml/read-yaml.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import { findInstallation, programRoot } from "../../installation/find-installation.ts";
import { type ConfigPlace, readOperation, writeOperation } from "../operation.ts";
import { configOutcome } from "./config-fault.ts";

const name = optional(string("The profile; default: the active one"));

export const profileDetails = {
  show: readOperation({
    summary: "Show a profile: its home, description, model, skills, size and alias",
    input: object({ name }),
    needs: ["configPlace"],
    async run({ name: requested }, { configPlace }) {
      const profile = await profileOf(configPlace, requested);
      if (!profile.ok) return profile;
      const { path, name: named } = profile.value;
      const facts = await readProfileFacts(path);
      const config = await readYaml(join(path, homeFiles.config));
      const model = config.ok ? config.value?.tree["model"] : undefined;
      const alias = aliasFile(configPlace, named);
      return ok({
        name: named,
        path,
        description: facts.description ?? "",
        ...(facts.source !== undefined && { source: facts.source }),
        ...(facts.version !== undefined && { version: facts.version }),
        model: modelName(model),
        skills: await skillNames(path),
        hasSecrets: existsSync(join(path, homeFiles.env)) || existsSync(join(path, homeFiles.credentials)),
        sessionsBytes: (await stat(join(path, homeFiles.sessions)).catch(() => undefined))?.size ?? 0,
        alias: (await isAliasOf(alias, named)) ? alias : null,
      });
    },
  }),

  describe: writeOperation({
    summary: "Set the description of a profile, or derive it from SOUL.md and skills",
    input: object({
      name,
      text: optional(string("The description; if omitted, it is derived without calling a model")),
      overwrite: optional(flag("Also replace an existing description")),
      all: optional(flag("All profiles")),
    }),
    needs: ["configPlace"],
    async run({ name: requested, text, overwrite = false, all = false }, { configPlace }) {
      const { root } = profileRoot(configPlace);
      const listed = configOutcome(await listProfiles(root));
      if (!listed.ok) return listed;
      const one = all ? undefined : await profileOf(configPlace, requested);
      if (one?.ok === false) return one;
      const chosen = one ? [one.value] : listed.value;
      const described: { name: string; description: string; changed: boolean }[] = [];
      for (const { name: profile, path } of chosen) {
        const facts = await readProfileFacts(path);
        const isKept = text === undefined && facts.description !== undefined && !overwrite;
        const description = isKept ? (facts.description ?? "") : (text ?? (await derivedDescription(path)));
        if (!isKept) {
          const written = configOutcome(await writeProfileFacts(path, { ...facts, description }));
          if (!written.ok) return written;
        }
        described.push({ name: profile, description, changed: !isKept });
      }
      return ok({ profiles: described });
    },
  }),

  rename: writeOperation({
    summary: "Rename a profile",
    input: object({ from: string("The profile"), to: string("Its new name") }),
    needs: ["configPlace"],
    async run({ from, to }, { configPlace }) {
      const { root, active } = profileRoot(configPlace);
      const renamed = configOutcome(await renameProfile(root, from, to, active));
      if (!renamed.ok) return renamed;
      const hadAlias = await removeAlias(aliasFile(configPlace, from), from);
      if (hadAlias) await writeAlias(aliasFile(configPlace, to), to, launcher());
      return ok({ from, to, path: profilePath(root, to), hasAlias: hadAlias });
    },
  }),

  alias: writeOperation({
    summary: "Create or remove a command that runs Hermes with a profile",
    input: object({
      name,
      alias: optional(string("The command; default: the name of the profile")),
      remove: optional(flag("Remove the command")),
    }),
    needs: ["configPlace"],
    async run({ name: requested, alias, remove = false }, { configPlace }) {
      const profile = await profileOf(configPlace, requested);
      if (!profile.ok) return profile;
      const command = alias ?? profile.value.name;
      if (!isProfileName(command) || command === "hermes")
        return err({ message: `${JSON.stringify(command)} cannot be a command.`, kind: "input" });
      const file = aliasFile(configPlace, command);
      if (remove) {
        const removed = await removeAlias(file, profile.value.name);
        return removed ? ok({ file, removed }) : err({ message: `${file} is not an alias of ${profile.value.name}.` });
      }
      const written = configOutcome(await writeAlias(file, profile.value.name, launcher()));
      return written.ok ? ok({ file, removed: false }) : written;
    },
  }),
};

export function profileRoot({ env, cwd, profile }: ConfigPlace): {
  readonly root: string;
  readonly active: string | undefined;
} {
  const { root, named } = rootHome(env, cwd);
  return { root, active: profile ?? named };
}

/** The requested profile, or the active one. */
export async function profileOf(
  place: ConfigPlace,
  requested: string | undefined,
): Promise<Result<{ readonly name: string; readonly path: string }, OperationFault>> {
  const { root, active } = profileRoot(place);
  const listed = configOutcome(await listProfiles(root));
  if (!listed.ok) return listed;
  const name = requested ?? active ?? listed.value.find(({ current }) => current)?.name ?? "default";
  const exists = configOutcome(await checkProfile(root, name));
  return exists.ok ? ok({ name, path: profilePath(root, name) }) : exists;
}

/** The file in the folder of the user's own commands. */
export function aliasFile({ env }: ConfigPlace, command: string): string {
  return join(userFolder(env), ".local", "bin", command);
}

function launcher(): string {
  return join(findInstallation(programRoot()).root, "hermes");
}

async function skillNames(home: string): Promise<readonly string[]> {
  const paths = await readdir(join(home, homeFiles.skills), { recursive: true }).catch(() => []);
  const files = paths.filter((path) => path.endsWith("SKILL.md") && !path.startsWith("."));
  return files.map((path) => path.split(/[\\/]/u).at(-2) ?? path).toSorted();
}

/** The first sentence of SOUL.md, else the number of skills. */
async function derivedDescription(home: string): Promise<string> {
  const soul = await readFile(join(home, homeFiles.soul), "utf8").catch(() => "");
  const line = soul.split("\n").find((each) => each.trim() !== "" && !/^(?:#|<!--|---)/u.test(each.trim())) ?? "";
  const sentence = /^.{1,160}?(?:[.!?](?=\s|$)|$)/u.exec(line.trim())?.[0] ?? line.trim().slice(0, 160);
  if (sentence !== "") return sentence;
  const skills = await skillNames(home);
  return skills.length === 0
    ? "A profile with default settings."
    : `A profile with the skills ${skills.slice(0, 5).join(", ")}.`;
}

/** The model of the settings: a name, or an object with a provider. Empty: none is set. */
function modelName(model: unknown): string {
  if (!isObject(model)) return typeof model === "string" ? model : "";
  const { provider, default: name } = model;
  return [provider, name].filter((part) => typeof part === "string" && part !== "").join("/");
}
