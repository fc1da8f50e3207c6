import { basename, delimiter, isAbsolute, join } from "node:path";

import { isProgram } from "../../base/process/find-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import { type ShellDialect, dialects, type ShellName } from "../shell/dialect.ts";

export interface ShellProgram {
  readonly program: string;
  readonly dialect: ShellDialect;
}

/** Returns zsh when that is the user's shell, else bash, else sh. */
export function findShell(env: Readonly<Record<string, string | undefined>>): Result<ShellProgram, EnvironmentError> {
  const own = env["SHELL"] ?? "";
  const folders = [...(env["PATH"] ?? "").split(delimiter), "/bin", "/usr/bin", "/usr/local/bin"].filter(isAbsolute);
  const names: readonly ShellName[] = basename(own) === "zsh" ? ["zsh", "bash", "sh"] : ["bash", "sh"];
  for (const name of names) {
    const places = folders.map((folder) => join(folder, name));
    const program = [...(basename(own) === name ? [own] : []), ...places].find(isProgram);
    if (program !== undefined) return ok({ program, dialect: dialects[name] });
  }
  return err({
    kind: "misconfigured",
    message: `no shell was found (${names.join(", ")})`,
    hint: "Install bash or add it to PATH.",
  });
}
