import { rowsByName } from "../../../base/text/words.ts";
import { acts, type NameEffect, type KnownNames } from "../reading/name-effects.ts";

/** Adds `module.name` and `module.nameSync` for each name. */
export function withSync(module: string, names: Readonly<Record<string, NameEffect>>): KnownNames {
  return Object.fromEntries(
    rowsByName(names).map(([name, effect]) => [`${module}.${name} ${module}.${name}Sync`, effect]),
  );
}

export const deletesPath: NameEffect = acts(({ args: [path, options], effects, words }) => {
  const flag = options?.fields?.get("recursive");
  effects.find("inline_code", words);
  effects.path("delete", path, flag !== undefined && flag.ref !== "false");
});
