import { rowsByName } from "../../../base/text/words.ts";
import { acting, type NameEffect, type KnownNames } from "../reading/known.ts";

/** Each name alone, with `Sync`, and as others spell it. */
export function both(module: string, names: Readonly<Record<string, NameEffect>>): KnownNames {
  return Object.fromEntries(
    rowsByName(names).map(([name, effect]) => [`${module}.${name} ${module}.${name}Sync`, effect]),
  );
}

export const removes: NameEffect = acting(({ args: [path, options], effects, words }) => {
  const flag = options?.fields?.get("recursive");
  effects.find("inline_code", words);
  effects.path("delete", path, flag !== undefined && flag.ref !== "false");
});
