import { type JsonObject, parsedJson } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

/** Reads a settings file in TOML. Dates become texts. Never rejects; an error names the line. */
export async function readToml(text: string): Promise<Result<JsonObject, string>> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    // A TOML table contains only JSON keys and values, except dates, which are converted to text.
    return ok(parsedJson(JSON.stringify(parse(text))) as JsonObject);
  } catch (thrown) {
    const reason = (reasonOf(thrown).split("\n")[0] ?? "").replace(/^Invalid TOML document: /u, "");
    return err(thrown instanceof TomlError ? `line ${thrown.line}: ${reason}` : reason);
  }
}
