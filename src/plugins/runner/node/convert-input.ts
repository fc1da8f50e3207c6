import { readFileSync, writeFileSync } from "node:fs";

import { parsedObject } from "../../../base/json.ts";
import { toJavaScript } from "../../sources/to-javascript.ts";

/** Converts TypeScript files: an object of path and source on standard input, of path and code on standard output. */
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
