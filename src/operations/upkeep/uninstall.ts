import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { randomHex } from "../../base/digest.ts";
import { err, ok, reasonOf, valueOr } from "../../base/result.ts";
import { filesOfOriginal, rootHome, userFolder } from "../../config/home.ts";
import { isAliasOf } from "../../config/profile-facts.ts";
import { listProfiles } from "../../config/profiles.ts";
import { flag, object, optional } from "../../contracts/host/input-schema.ts";
import { findInstallation, type Installation, packageName, programRoot } from "../../installation/find-installation.ts";
import { type ConfigPlace, readOperation, writeOperation } from "../operation.ts";

export const operations = {
  plan: readOperation({
    summary: "Show what an uninstall would remove and what stays",
    input: object({ full: optional(flag("Also the home with all data")) }),
    needs: ["configPlace"],
    run: async ({ full = false }, { configPlace }) => ok(await planOf(configPlace, full)),
  }),

  run: writeOperation({
    summary: "Remove the program's own files on request: aliases, caches, versions, and with `full` the home",
    input: object({ full: optional(flag("Also the home with all data")) }),
    needs: ["configPlace"],
    async run({ full = false }, { configPlace }) {
      const plan = await planOf(configPlace, full);
      if (plan.refused !== undefined) return err({ message: plan.refused });
      try {
        for (const path of plan.removes) {
          // Renames a folder before it removes it, so that a kill in the middle does not leave half a home.
          const aside = `${path}.removed-${randomHex(4)}`;
          await rename(path, aside);
          await rm(aside, { recursive: true, force: true, maxRetries: 3 });
        }
      } catch (thrown) {
        return err({ message: reasonOf(thrown) });
      }
      return ok(plan);
    },
  }),
};

async function planOf(place: ConfigPlace, isFull: boolean) {
  const { root } = rootHome(place.env, place.cwd);
  const user = userFolder(place.env);
  const installation = findInstallation(programRoot());
  const profiles = await listProfiles(root);
  const names = new Set((profiles.ok ? profiles.value : []).map(({ name }) => name));
  const bin = join(user, ".local", "bin");
  const aliases: string[] = [];
  for (const file of valueOr(() => readdirSync(bin), []).map((name) => join(bin, name)))
    for (const name of names)
      if (lstatSync(file).isFile() && lstatSync(file).size < 1_000 && (await isAliasOf(file, name))) aliases.push(file);
  const own = [...aliases, ...launcherLinks(bin, installation), ...(await completionFiles(place, user))];
  const cache = join(user, ".local", "state", packageName);
  const versions = installation.kind === "package" ? join(installation.root, "versions") : "";
  const removes = [...own, cache, versions, ...(isFull ? [root] : [])].filter(
    (path) => path !== "" && existsSync(path),
  );
  const original = isFull ? await filesOfOriginal(root) : [];
  const refused =
    original.length > 0
      ? `Hermes in Python also uses ${root} (${original.join(", ")}); nothing was removed.`
      : undefined;
  const program = {
    clone: `Delete the clone: ${installation.root}`,
    package: `npm uninstall --global ${packageName}`,
    dependency: `npm uninstall ${packageName} (in ${installation.kind === "dependency" ? installation.project : ""})`,
  }[installation.kind];
  return { removes, stays: isFull ? [] : [root], program, ...(refused !== undefined && { refused }) };
}

/** A link to the launcher of a clone, which would point to nothing without it. npm removes the link of a package. */
function launcherLinks(bin: string, { kind, root }: Pick<Installation, "kind" | "root">): readonly string[] {
  if (kind !== "clone") return [];
  const link = join(bin, "hermes");
  return valueOr(() => realpathSync(link) === realpathSync(join(root, "hermes")), false) ? [link] : [];
}

/** Scripts that `hermes setup` wrote outside the home. */
async function completionFiles({ env }: ConfigPlace, user: string): Promise<readonly string[]> {
  const paths = [
    join(env["XDG_DATA_HOME"] || join(user, ".local", "share"), "bash-completion", "completions", "hermes"),
    join(env["XDG_CONFIG_HOME"] || join(user, ".config"), "fish", "completions", "hermes.fish"),
  ];
  const written = await Promise.all(
    paths.map(async (path) => (await readFile(path, "utf8").catch(() => "")).startsWith("# Completion of hermes for ")),
  );
  return paths.filter((_, index) => written[index]);
}
