import { isObject } from "../../base/json.ts";
import { isEnvironmentName, isSecretName } from "../../config/keys/secret-names.ts";
import type { ImportChoices, PlannedImport } from "./import-plan.ts";

/** Plans variables with keys, which are imported only on request. */
export function secretsPlan(values: unknown, from: string, { secrets }: ImportChoices): readonly PlannedImport[] {
  if (!isObject(values)) return [];
  return Object.entries(values).flatMap(([variable, value]): readonly PlannedImport[] => {
    const isKey = isEnvironmentName(variable) && isSecretName(variable);
    if (typeof value !== "string" || value === "" || !isKey) return [];
    const about = { name: `key ${variable}`, from };
    return secrets
      ? [{ ...about, kind: "secret", variable, value }]
      : [{ ...about, kind: "other", skip: "keys are imported only with --migrate-secrets" }];
  });
}

/** Plans the keys in the text of a `.env` file. */
export function envPlan(text: string, from: string, choices: ImportChoices): readonly PlannedImport[] {
  const pairs = [...text.matchAll(/^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$/gmu)].map(([, name = "", value = ""]) => [
    name,
    value.trim().replaceAll(/^(["'])(.*)\1$/gu, "$2"),
  ]);
  return secretsPlan(Object.fromEntries(pairs), from, choices);
}
