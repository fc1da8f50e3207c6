import { checkJson, isObject, type JsonValue } from "../../base/json.ts";
import { reasonOf } from "../../base/result.ts";

/** The response of a `hermes check …` command to one line of JSON. `ok` is false for an invalid line. */
export interface LineAnswer {
  readonly ok: boolean;
  readonly line: string;
}

/** Never throws. */
export type LineCheck = (line: string) => LineAnswer;

/**
 * Creates a line check from the function `judge`. All checks share the parsing of the line, its `id` and the error
 * handling. `expects` names the fields of a line. If `judge` returns a text, it is the error of this line, and
 * `whenInvalid` is added to the response.
 */
export function lineCheck(
  expects: string,
  judge: (given: Readonly<Record<string, unknown>>) => object | string,
  whenInvalid: object = {},
): LineCheck {
  const refused = (id: { readonly id?: JsonValue }, error: string): LineAnswer => ({
    ok: false,
    line: JSON.stringify({ ...id, error, ...whenInvalid }),
  });
  return (line) => {
    let given: unknown;
    try {
      // Some editors write a byte order mark.
      given = JSON.parse(line.replace(/^\ufeff/u, ""));
    } catch (thrown) {
      return refused({}, `not JSON: ${reasonOf(thrown)}`);
    }
    if (!isObject(given)) return refused({}, `a line is an object with ${expects}`);
    const id = idOf(given["id"]);
    const answer = judge(given);
    return typeof answer === "string" ? refused(id, answer) : { ok: true, line: JSON.stringify({ ...id, ...answer }) };
  };
}

function idOf(id: unknown): { readonly id?: JsonValue } {
  const admitted = checkJson(id, { maxChars: 10_000, maxDepth: 20 });
  return admitted.ok ? { id: admitted.value } : {};
}
