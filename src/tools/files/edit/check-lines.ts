import { lineCheck } from "../../../contracts/host/line-check.ts";
import { replaceText } from "./replace-text.ts";

/**
 * Handles one line of `hermes check edits`: `{id, original, old, new, replace_all}` in, `{id, outcome, result}` out.
 * `result` is present only if the edit was applied.
 */
export const checkEditLine = lineCheck("id, original, old, new and replace_all", (given) => {
  const { original, old, new: replacement, replace_all: replaceAll = false } = given;
  if (typeof original !== "string" || typeof old !== "string" || typeof replacement !== "string")
    return "original, old and new are texts";
  if (replaceAll !== null && typeof replaceAll !== "boolean") return "replace_all is true or false";
  const { outcome, ...edited } = replaceText(original, { old, new: replacement, replaceAll: replaceAll === true });
  return "result" in edited ? { outcome, result: edited.result } : { outcome };
});
