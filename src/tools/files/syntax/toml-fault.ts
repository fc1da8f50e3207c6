import { reasonOf } from "../../../base/result.ts";
import type { TextFault } from "./text-fault.ts";

/** Where and why a text is not TOML. Undefined when it is. */
export async function tomlFault(text: string): Promise<TextFault | undefined> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    parse(text, { integersAsBigInt: "asNeeded" });
    return undefined;
  } catch (thrown) {
    const [message = ""] = reasonOf(thrown).split("\n");
    const why = message.replace(/^Invalid TOML document: /u, "");
    return { at: thrown instanceof TomlError ? offsetOf(text, thrown.line, thrown.column) : 0, why };
  }
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let nth = 1; nth < line; nth++) start = text.indexOf("\n", start) + 1;
  return Math.min(text.length, start + column - 1);
}
