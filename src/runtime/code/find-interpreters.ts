import { realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { ok, type Result } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { CodeRunLanguage } from "../../contracts/code/code-run.ts";
import { trustedSearchPath } from "../../environments/trusted-search-path.ts";
import { rememberedPython } from "../../plugins/runner/remembered-python.ts";

/** A program that runs scripts, and the folders that it reads. */
export interface ScriptInterpreter {
  readonly program: string;
  readonly folders: readonly string[];
}

export interface Interpreters {
  /** Available languages, Python first. */
  languages(): Promise<readonly CodeRunLanguage[]>;
  find(language: CodeRunLanguage): Promise<Result<ScriptInterpreter, string>>;
}

/** Python of the active environment (VIRTUAL_ENV, CONDA_PREFIX) or of PATH; TypeScript runs in the Node of Hermes. */
export function findInterpreters(
  { env, home, values }: LoadedConfig,
  { clock, workspace }: { readonly clock: Clock; readonly workspace: () => Promise<string | undefined> },
): Interpreters {
  const python = once(async (): Promise<Result<ScriptInterpreter, string>> => {
    const isProject = values.code_execution.mode === "project";
    const own = [env["VIRTUAL_ENV"], env["CONDA_PREFIX"]].flatMap((folder) =>
      folder === undefined || !isProject ? [] : [join(folder, "bin")],
    );
    const path = [...own, trustedSearchPath(env["PATH"], await workspace())].join(delimiter);
    const answer = await rememberedPython(
      { ...env, PATH: path },
      {
        file: join(home.path, homeFiles.scriptPython),
        clock,
        signal: new AbortController().signal,
        minor: 8,
        timeoutMs: 5_000,
        user: "Scripts in Python",
      },
    );
    return answer.ok ? ok({ program: answer.value.path, folders: answer.value.folders }) : answer;
  });
  return {
    languages: once(async () => [...((await python()).ok ? (["python"] as const) : []), "typescript" as const]),
    async find(language) {
      return language === "python" ? python() : ok({ program: realpathSync(process.execPath), folders: [] });
    },
  };
}
