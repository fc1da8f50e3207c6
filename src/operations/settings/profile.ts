import { err, ok } from "../../base/result.ts";
import { filesOfOriginal, profilePath, resolveHome, rootHome } from "../../config/home.ts";
import { problemText } from "../../config/problem.ts";
import { checkProfile, createProfile, deleteProfile, listProfiles, useProfile } from "../../config/profiles.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import { type ConfigPlace, readOperation, writeOperation } from "../operation.ts";
import { configOutcome } from "./config-fault.ts";

const name = string("The profile: lower-case letters, digits, - and _");

export const operations = {
  list: readOperation({
    summary: "List the profiles and mark the active one",
    needs: ["configPlace"],
    async run(_input, { configPlace }) {
      const { root, active } = rootOf(configPlace);
      const profiles = configOutcome(await listProfiles(root));
      if (!profiles.ok) return profiles;
      const inUse = active ?? profiles.value.find(({ current }) => current)?.name;
      return ok({
        profiles: profiles.value.map((profile) => ({
          name: profile.name,
          path: profile.path,
          active: profile.name === inUse,
        })),
      });
    },
  }),

  create: writeOperation({
    summary: "Create a profile, which is a separate home",
    input: object({ name, clone: optional(flag("Copy config.yaml and .env of the active profile")) }),
    needs: ["configPlace"],
    async run({ name: profile, clone = false }, { configPlace }) {
      const { env, cwd, profile: active } = configPlace;
      const source = clone ? configOutcome(await resolveHome(env, cwd, active)) : undefined;
      if (source?.ok === false) return source;
      const created = configOutcome(await createProfile(rootOf(configPlace).root, profile, source?.value));
      return created.ok ? ok({ name: profile, path: created.value.path }) : created;
    },
  }),

  use: writeOperation({
    summary: "Make a profile the default",
    input: object({ name }),
    needs: ["configPlace"],
    async run({ name: profile }, { configPlace }) {
      const used = configOutcome(await useProfile(rootOf(configPlace).root, profile));
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
      const { root, active } = rootOf(configPlace);
      const deleted = await deleteProfile(root, profile, active);
      return deleted.ok ? ok({ ...target.value, deleted: true }) : err({ message: problemText(deleted.error) });
    },
  }),
};

function rootOf({ env, cwd, profile }: ConfigPlace): { readonly root: string; readonly active: string | undefined } {
  const { root, named } = rootHome(env, cwd);
  return { root, active: profile ?? named };
}

async function deletable(profile: string, place: ConfigPlace) {
  const { root } = rootOf(place);
  const exists = configOutcome(await checkProfile(root, profile));
  if (!exists.ok) return exists;
  const path = profilePath(root, profile);
  const original = await filesOfOriginal(path);
  if (original.length === 0 || profile === "default") return ok({ name: profile, path });
  return err({
    message: `Hermes in Python also uses ${path} (${original.join(", ")}); its files stay untouched.`,
    hint: "Delete the profile with its own command.",
  });
}
