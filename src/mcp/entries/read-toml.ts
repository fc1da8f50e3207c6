import { type JsonObject, parsedJson } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

/** Reads a TOML settings file. Dates become strings. Never rejects; an error names the line. */
export async function readToml(text: string): Promise<Result<JsonObject, string>> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    // The cast is safe: a TOML table contains only JSON values, except dates, which are converted to strings.
    return ok(parsedJson(JSON.stringify(parse(text))) as JsonObject);
  } catch (thrown) {
    const reason = (reasonOf(thrown).split("\n")[0] ?? "").replace(/^Invalid TOML document: /u, "");
    return err(thrown instanceof TomlError ? `line ${thrown.line}: ${reason}` : reason);
  }
}
