import { type NameEffect, type KnownNames } from "../reading/known.ts";
import { unknownValue } from "../reading/value.ts";

/** Each name alone, with `Sync`, and as others spell it. */
export function both(module: string, names: Readonly<Record<string, NameEffect>>): KnownNames {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, effect]) => [
      [`${module}.${name}`, effect],
      [`${module}.${name}Sync`, effect],
    ]),
  );
}

export const removes: NameEffect = {
  acts: true,
  read: ({ args: [path, options], effects, words }) => {
    const flag = options?.fields?.get("recursive");
    effects.find("inline_code", words);
    effects.path("delete", path, flag !== undefined && flag.ref !== "false");
    return unknownValue;
  },
};
