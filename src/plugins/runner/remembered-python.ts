import { readFileSync } from "node:fs";
import { join } from "node:path";

import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import { isProgram } from "../../base/process/find-program.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { ok, type Result, valueOr } from "../../base/result.ts";
import { pythonOf, takeStamp } from "../fingerprint.ts";
import { findPython, type PythonDeps, type PythonInterpreter } from "./python-runner.ts";

/**
 * The Python for plugins. Querying it takes up to 100 ms, so the answer is cached in `file` until the program on
 * PATH, or the variables or the file that select a version, change.
 */
export async function rememberedPython(
  env: Variables,
  deps: PythonDeps & { readonly file: string },
): Promise<Result<PythonInterpreter, string>> {
  const chosen = join(env["HOME"] ?? "/", ".pyenv", "version");
  const variables = Object.entries(env).filter(([name]) => /^(?:PATH$|PYENV_|VIRTUAL_ENV$|CONDA_PREFIX$)/u.test(name));
  const key = JSON.stringify([takeStamp(pythonOf(env)), takeStamp(chosen), variables]);
  const kept = parsedObject(valueOr(() => readFileSync(deps.file, "utf8"), ""));
  const cached = kept["key"] === key ? interpreterOf(kept["interpreter"]) : undefined;
  if (cached && isProgram(cached.path)) return ok(cached);
  const answer = await findPython(env, deps);
  if (answer.ok) {
    const text = JSON.stringify({ key, interpreter: answer.value });
    // A failed write of the cache is ignored: the next start is only slower.
    await writeFileAtomic(deps.file, text, { mode: 0o600 }).catch(() => {});
  }
  return answer;
}

function interpreterOf(value: unknown): PythonInterpreter | undefined {
  if (!isObject(value)) return undefined;
  const { path, version, folders } = value;
  const isText = (each: unknown): each is string => typeof each === "string";
  if (!isText(path) || !isText(version) || !Array.isArray(folders) || !folders.every(isText)) return undefined;
  return { path, version, folders };
}
