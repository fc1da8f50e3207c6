import { admit, isObject, type JsonValue } from "../../../base/json.ts";
import { reasonOf } from "../../../base/result.ts";
import type { LineAnswer } from "../../../contracts/line-check.ts";
import { replaceText } from "./replace-text.ts";

/**
 * One line of `hermes check edits`: `{id, original, old, new, replace_all}` in, `{id, outcome, result}` out, `result` only
 * when the edit was applied. A line that cannot be understood gives `{id?, error}`. Never throws.
 */
export function checkEditLine(line: string): LineAnswer {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch (thrown) {
    return refused({ error: `not JSON: ${reasonOf(thrown)}` });
  }
  if (!isObject(given)) return refused({ error: "a line is an object with id, original, old, new and replace_all" });
  const id = idOf(given["id"]);
  const { original, old, new: wanted, replace_all: replaceAll = false } = given;
  if (typeof original !== "string" || typeof old !== "string" || typeof wanted !== "string")
    return refused({ ...id, error: "original, old and new are texts" });
  if (replaceAll !== null && typeof replaceAll !== "boolean")
    return refused({ ...id, error: "replace_all is true or false" });
  const edited = replaceText(original, { old, new: wanted, replaceAll: replaceAll === true });
  const result = edited.outcome === "applied" ? { result: edited.result } : {};
  return { ok: true, line: JSON.stringify({ ...id, outcome: edited.outcome, ...result }) };
}

function refused(answer: { readonly id?: JsonValue; readonly error: string }): LineAnswer {
  return { ok: false, line: JSON.stringify(answer) };
}

function idOf(id: unknown): { readonly id?: JsonValue } {
  const admitted = admit(id, { maxChars: 10_000, maxDepth: 20 });
  return admitted.ok ? { id: admitted.value } : {};
}
