import { readFileSync, writeFileSync } from "node:fs";

import { parsedObject } from "../../../base/json.ts";
import { toJavaScript } from "../../sources/to-javascript.ts";

/**
 * Converts TypeScript files to JavaScript: reads a JSON object of path and source from standard input, and writes one
 * of path and code.
 */
export function convertInput(): void {
  const sources = Object.entries(parsedObject(readFileSync(0, "utf8")));
  const converted = sources.flatMap(([path, source]) => {
    try {
      return [[path, toJavaScript(String(source), path)]];
    } catch {
      return [];
    }
  });
  writeFileSync(1, JSON.stringify(Object.fromEntries(converted)));
}
