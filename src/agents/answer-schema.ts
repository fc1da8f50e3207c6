import type { JsonValue } from "../base/json.ts";
import { parseJson } from "../base/json.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import { fromJsonSchema } from "../contracts/tool/json-input.ts";
import type { JsonSchema } from "../contracts/tool/tool-definition.ts";

/**
 * Parses the answer as data that matches the schema, or returns the reason why it does not. A code fence around it is
 * removed.
 */
export async function answerOf(text: string, schema: JsonSchema): Promise<Result<JsonValue, string>> {
  const fenced = /^\s*```(?:json)?\s*\n(.*?)\n?```\s*$/su.exec(text);
  const parsed = parseJson((fenced?.[1] ?? text).trim(), limits);
  if (!parsed.ok) return parsed;
  try {
    const verdict = await fromJsonSchema(schema)["~standard"].validate(parsed.value);
    if (!verdict.issues) return parsed.ok ? ok(parsed.value) : parsed;
    return err(
      verdict.issues.map(({ message, path = [] }) => `${path.map(String).join(".")} ${message}`.trim()).join("; "),
    );
  } catch (thrown) {
    return err(`the schema cannot be used: ${reasonOf(thrown)}`);
  }
}

const limits = { maxChars: 1_000_000, maxDepth: 64 };
