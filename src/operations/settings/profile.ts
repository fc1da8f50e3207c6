import { err, ok } from "../../base/result.ts";
import { filesOfOriginal, profilePath, resolveHome } from "../../config/home.ts";
import { problemText } from "../../config/problem.ts";
import { readProfileFacts, removeAlias, writeProfileFacts } from "../../config/profile-facts.ts";
import { checkProfile, createProfile, deleteProfile, listProfiles, useProfile } from "../../config/profiles.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import { type ConfigPlace, readOperation, writeOperation } from "../operation.ts";
import { configOutcome } from "./config-fault.ts";
import { aliasFile, profileDetails, profileRoot } from "./profile-details.ts";
import { profileDistributions } from "./profile-distributions.ts";

const name = string("The profile: lower-case letters, digits, - and _");

export const operations = {
  list: readOperation({
    summary: "List the profiles and mark the active one",
    needs: ["configPlace"],
    async run(_input, { configPlace }) {
      const { root, active } = profileRoot(configPlace);
      const profiles = configOutcome(await listProfiles(root));
      if (!profiles.ok) return profiles;
      const inUse = active ?? profiles.value.find(({ current }) => current)?.name;
      return ok({
        profiles: await Promise.all(
          profiles.value.map(async (profile) => ({
            name: profile.name,
            path: profile.path,
            active: profile.name === inUse,
            description: (await readProfileFacts(profile.path)).description ?? "",
          })),
        ),
      });
    },
  }),

  create: writeOperation({
    summary: "Create a profile, which is a separate home",
    input: object({
      name,
      clone: optional(flag("Copy settings, keys, SOUL.md and skills of the active profile")),
      cloneAll: optional(flag("Copy everything but history")),
      cloneFrom: optional(string("Copy from this profile instead of the active one")),
      withoutSkills: optional(flag("Do not copy skills")),
      description: optional(string("Description of the profile")),
    }),
    needs: ["configPlace"],
    async run({ name: profile, clone, cloneAll, cloneFrom, withoutSkills, description }, { configPlace }) {
      const { env, cwd, profile: active } = configPlace;
      const isCloned = clone || cloneAll || cloneFrom !== undefined;
      const source = isCloned ? configOutcome(await resolveHome(env, cwd, cloneFrom ?? active)) : undefined;
      if (source?.ok === false) return source;
      const scope = { isAll: cloneAll ?? false, withoutSkills: withoutSkills ?? false };
      const created = configOutcome(await createProfile(profileRoot(configPlace).root, profile, source?.value, scope));
      if (!created.ok) return created;
      if (description !== undefined) {
        const written = configOutcome(await writeProfileFacts(created.value.path, { description }));
        if (!written.ok) return written;
      }
      return ok({ name: profile, path: created.value.path });
    },
  }),

  use: writeOperation({
    summary: "Make a profile the default",
    input: object({ name }),
    needs: ["configPlace"],
    async run({ name: profile }, { configPlace }) {
      const used = configOutcome(await useProfile(profileRoot(configPlace).root, profile));
      return used.ok ? ok({ name: profile }) : used;
    },
  }),

  find: readOperation({
    summary: "Show the folder of a profile; fails if Hermes must not delete it",
    input: object({ name }),
    needs: ["configPlace"],
    run: async ({ name: profile }, { configPlace }) => deletable(profile, configPlace),
  }),

  delete: writeOperation({
    summary: "Delete a profile with everything in it",
    input: object({ name }),
    needs: ["configPlace"],
    async run({ name: profile }, { configPlace }) {
      const target = await deletable(profile, configPlace);
      if (!target.ok) return target;
      const { root, active } = profileRoot(configPlace);
      const deleted = await deleteProfile(root, profile, active);
      if (deleted.ok) await removeAlias(aliasFile(configPlace, profile), profile);
      return deleted.ok ? ok({ ...target.value, deleted: true }) : err({ message: problemText(deleted.error) });
    },
  }),
  ...profileDetails,
  ...profileDistributions,
};

async function deletable(profile: string, place: ConfigPlace) {
  const { root } = profileRoot(place);
  const exists = configOutcome(await checkProfile(root, profile));
  if (!exists.ok) return exists;
  const path = profilePath(root, profile);
  const original = await filesOfOriginal(path);
  if (original.length === 0 || profile === "default") return ok({ name: profile, path });
  return err({
    message: `Hermes in Python also uses ${path} (${original.join(", ")}); its files stay untouched.`,
    hint: "Delete the profile with the command of Hermes in Python.",
  });
}
