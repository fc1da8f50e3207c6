import { z } from "zod";

import type { SettingRules } from "./setting.ts";

/** A list of names of tools, toolsets or plugins. */
export function names(initial: readonly string[] = []): z.ZodDefault<z.ZodArray<z.ZodString>> {
  return z.array(name).default([...initial]);
}

/** A name must not contain spaces or commas: `web,file` was probably meant as a list. */
export const name = z
  .string()
  .regex(/^[^\s,]{1,200}$/u)
  .meta({ rules: { expected: "a name without spaces or commas" } satisfies SettingRules });
