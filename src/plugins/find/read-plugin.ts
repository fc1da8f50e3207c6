import { open, realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { isInside } from "../../base/files/path.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type {
  FoundPlugin,
  PluginKind,
  PluginLanguage,
  PluginManifest,
  PluginSource,
  ProvidedNames,
} from "../../contracts/plugin/manifest.ts";
import { manifestFiles, parseManifest, type WrittenManifest } from "./read-manifest.ts";

/** The plugin in a folder; undefined if the folder has no manifest. The error describes the problem. */
export async function readPlugin(
  path: string,
  source: PluginSource,
  keyOf: (manifest: WrittenManifest) => string,
  files: readonly string[] = manifestFiles,
): Promise<Result<FoundPlugin | undefined, string>> {
  try {
    const folder = await realpath(path);
    for (const name of files) {
      const text = await readText(join(folder, name), maxManifestBytes);
      if (text === undefined) continue;
      const manifest = await parseManifest(text, basename(path));
      if (!manifest.ok) return err(`${join(path, name)} ${manifest.error}`);
      return await foundIn(folder, source, keyOf(manifest.value), manifest.value);
    }
    return ok(undefined);
  } catch (thrown) {
    return err(describeFault(thrown, path).message);
  }
}

/** Completes a manifest with facts from the plugin's code. The folder must be a real path without links. */
export async function foundIn(
  folder: string,
  source: PluginSource,
  key: string,
  written: WrittenManifest,
): Promise<Result<FoundPlugin, string>> {
  const entry = await findEntry(folder, written.entry);
  if (!entry.ok) return entry;
  const language = languageOf(entry.value);
  if (language === undefined) return err(`${entry.value} is not a TypeScript, JavaScript or Python file`);
  const manifest = completed(written, (await readText(entry.value, maxCodeBytes, "head")) ?? "");
  return ok({ key, source, folder, manifest, language, entry: entry.value });
}

/**
 * Adds facts that the code reveals without running: the kind, if the manifest has none, and the names that it
 * registers.
 */
export function completed(written: WrittenManifest, code: string): PluginManifest {
  const provides = { ...providedIn(code), ...written.provides };
  return {
    ...written,
    kind: written.kind ?? kindOf(code.slice(0, sniffedChars)),
    ...(Object.keys(provides).length > 0 && { provides }),
  };
}

/** Finds the names in calls such as `register_tool("x"`, `register_tool(name="x"`, `defineTool({ name: "x"`. */
function providedIn(code: string): ProvidedNames {
  const calls = [...code.matchAll(registerCall), ...code.matchAll(defineCall)];
  const names = Object.groupBy(
    calls.map(([, kind = "", name = ""]) => ({ kind: `${kind.toLowerCase().replaceAll("_", " ")}s`, name })),
    ({ kind }) => kind,
  );
  return Object.fromEntries(
    Object.entries(names).map(([kind, list = []]) => [kind, [...new Set(list.map(({ name }) => name))].slice(0, 50)]),
  );
}

const registerCall =
  /\bregister_(tool|hook|middleware|command|cli_command|provider|platform|skill|secret_source)\(\s*(?:\w+\s*=\s*)?["']([\w .:-]{1,80})["']/gu;
const defineCall = /\bdefine(Tool|Hook|Command)\(\s*(?:\{[^{}]{0,500}?\bname:\s*)?["']([\w .:-]{1,80})["']/gu;

/** Guesses the kind of a plugin whose manifest has none, from the beginning of its code. */
function kindOf(code: string): PluginKind {
  if (code.includes("MemoryProvider")) return "exclusive";
  return code.includes("register_provider") && code.includes("ProviderProfile") ? "model-provider" : "standalone";
}

const sniffedChars = 8_192;
export const maxCodeBytes = 65_536;
const maxManifestBytes = 262_144;

/** The file names to try if the manifest does not name the code, most specific first. */
const entryNames: readonly string[] = [
  "__init__.py",
  "handler.py",
  ...["index", "plugin", "handler", "src/index"].flatMap((name) =>
    ["ts", "mts", "js", "mjs", "cjs"].map((extension) => `${name}.${extension}`),
  ),
];

async function findEntry(folder: string, named: string | undefined): Promise<Result<string, string>> {
  for (const name of named === undefined ? entryNames : [named]) {
    const path = resolve(folder, name);
    if (!isInside(folder, path)) return err(`${folder}: the entry ${name} is outside of the plugin's folder`);
    const result = await stat(path).catch((thrown: unknown) => {
      if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
      throw thrown;
    });
    if (!result?.isFile()) continue;
    if (!isInside(folder, await realpath(path))) return err(`${path} is a link out of the plugin's folder`);
    return ok(path);
  }
  return err(
    named === undefined
      ? `${folder} has no code: write __init__.py, handler.py or index.ts, or name the file as entry in plugin.yaml`
      : `${folder} has no file ${named}, which its manifest names as entry`,
  );
}

function languageOf(path: string): PluginLanguage | undefined {
  if (path.endsWith(".py")) return "python";
  return /\.[cm]?[jt]s$/u.test(path) ? "typescript" : undefined;
}

/**
 * The text of a regular file, or its beginning; undefined if the file is missing. Never blocks on a pipe or a device.
 */
export async function readText(path: string, maxBytes: number, part?: "head"): Promise<string | undefined> {
  const facts = await stat(path).catch((thrown: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  });
  if (!facts?.isFile()) return undefined;
  if (facts.size > maxBytes && part !== "head") throw new Error(`the file is larger than ${maxBytes} bytes`);
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(facts.size, maxBytes)));
  return buffer.toString("utf8", 0, bytesRead);
}
