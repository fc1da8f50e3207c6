import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

import type { Variables } from "./run-program.ts";

/** The first of the names that is a program on PATH, or a path to a program. */
export function findProgram(names: readonly string[], env: Variables): string | undefined {
  const folders = (env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter).filter(isAbsolute);
  const paths = names.flatMap((name) => (name.includes("/") ? [name] : folders.map((folder) => join(folder, name))));
  return paths.find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
