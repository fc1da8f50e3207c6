import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { ok, type Result } from "../../base/result.ts";
import type { CodeRequest, CodeRunLanguage, ScriptTool } from "../../contracts/code/code-run.ts";
import type { KernelScript } from "../../contracts/code/wire.ts";
import { consoleImports } from "./console-imports.ts";
import { pythonHelpers, pythonModule } from "./python-module.ts";
import { createTypeStripper } from "./strip-types.ts";
import { javascriptHelpers, javascriptModule, typescriptDeclarations } from "./typescript-module.ts";

/** The program files of a script or kernel. They need no other file of Hermes. */
export interface ChildProgramFiles {
  /** File contents by name, for a folder that only this script uses. */
  readonly files: Readonly<Record<string, string>>;
  /** The arguments for the interpreter. `folder` is where the script sees the files. */
  args(folder: string): readonly string[];
}

/** Prepares the programs that run in the processes of scripts. */
export interface ChildPrograms extends AsyncDisposable {
  /** The error is text for the author of the script, about types that cannot be removed. */
  script(request: Pick<CodeRequest, "language" | "code" | "tools">): Promise<Result<ChildProgramFiles, string>>;
  /** Reads scripts from standard input: see `KernelScript`. */
  kernel(language: CodeRunLanguage, tools: readonly ScriptTool[]): Promise<ChildProgramFiles>;
  /** Converts a script to the form in which a kernel executes it. The error is text for its author. */
  kernelScript(
    request: Pick<CodeRequest, "language" | "code" | "tools">,
  ): Promise<Result<Pick<KernelScript, "code" | "names">, string>>;
}

export function createChildPrograms({ clock }: { readonly clock: Clock }): ChildPrograms {
  const stripper = createTypeStripper({ clock });
  const parts = {
    python: once(() => readParts(pythonParts, readPythonPart)),
    typescript: once(() => readParts(nodeParts, readNodePart)),
  };
  const kernelParts = {
    python: once(() => readParts(["hermes_kernel.py"], readPythonPart)),
    typescript: once(() => readParts(["kernel.mjs", "kernel_thread.mjs"], readNodePart)),
  };

  async function readPythonPart(name: string): Promise<string> {
    return readFile(join(programFolder(), "python", name), "utf8");
  }

  async function readNodePart(name: string): Promise<string> {
    if (!isSource()) return readFile(join(programFolder(), "node", name), "utf8");
    const file = name.replace(/\.mjs$/u, ".ts");
    const stripped = await stripper.strip(await readFile(join(programFolder(), "node", file), "utf8"), file);
    if (!stripped.ok) throw new Error(stripped.error);
    return stripped.value.replaceAll(/"\.\/(\w+)\.ts"/gu, '"./$1.mjs"');
  }

  async function shared(language: CodeRunLanguage, tools: readonly ScriptTool[]): Promise<Record<string, string>> {
    const source = moduleSource(language, tools);
    if (language === "python") return { ...(await parts.python()), "hermes_tools.py": source };
    const types = typescriptDeclarations(tools);
    return { ...(await parts.typescript()), "hermes_tools.mjs": source, "hermes_tools.d.mts": types };
  }

  return {
    async script({ language, code, tools }) {
      const name = scriptFiles[language];
      const stripped = language === "typescript" ? await stripper.strip(code, name) : ok(code);
      if (!stripped.ok) return stripped;
      const files = { ...(await shared(language, tools)), [name]: stripped.value };
      const how = usesNamesOnly(code, language, tools) ? "names" : "script";
      return ok({ files, args: (folder) => [...startArguments(language, folder), how, join(folder, name)] });
    },
    async kernel(language, tools) {
      const files = { ...(await shared(language, tools)), ...(await kernelParts[language]()) };
      return { files, args: (folder) => [...startArguments(language, folder), "kernel"] };
    },
    async kernelScript({ language, code, tools }) {
      const names = usesNamesOnly(code, language, tools);
      if (language === "python") return ok({ code, names });
      const stripped = await stripper.strip(code, scriptFiles.typescript);
      return stripped.ok ? ok({ code: consoleImports(stripped.value), names }) : stripped;
    },
    [Symbol.asyncDispose]: () => stripper[Symbol.asyncDispose](),
  };
}

/** The module `hermes_tools`. It imports `hermes_rpc`, which is in the same folder. */
export function moduleSource(language: CodeRunLanguage, tools: readonly ScriptTool[]): string {
  return language === "python" ? pythonModule(tools) : javascriptModule(tools);
}

/** The names of a script in error messages. */
const scriptFiles: Readonly<Record<CodeRunLanguage, string>> = { python: "script.py", typescript: "script.ts" };

const pythonParts = ["start.py", "hermes_rpc.py", "hermes_helpers.py"];
const nodeParts = ["start.mjs", "hermes_rpc.mjs"];

async function readParts(
  names: readonly string[],
  read: (name: string) => Promise<string>,
): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
}

/** Python starts without its module `site`: see start.py. */
function startArguments(language: CodeRunLanguage, folder: string): readonly string[] {
  if (language === "python") return ["-S", "-B", "-X", "utf8", join(folder, "start.py")];
  return ["--disable-warning=ExperimentalWarning", join(folder, "start.mjs")];
}

/** The script uses tools without importing them, so it gets all of them as global names. */
function usesNamesOnly(code: string, language: CodeRunLanguage, tools: readonly ScriptTool[]): boolean {
  if (code.includes("hermes_tools")) return false;
  const helpers = language === "python" ? pythonHelpers : javascriptHelpers;
  const names = new Set([...tools.flatMap(({ name, alias }) => [name, alias ?? name]), ...helpers]);
  return code.match(/\w+/gu)?.some((word) => names.has(word)) ?? false;
}

function isSource(): boolean {
  return import.meta.filename.endsWith(".ts");
}

/** In the same folder as this file, or in a package next to the bundle. */
function programFolder(): string {
  const { dirname } = import.meta;
  if (isSource()) return join(dirname, "programs");
  return join(dirname, basename(dirname) === "chunks" ? ".." : ".", "code");
}
