import { mkdirSync, readdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { sourceCache } from "../../base/process/source-cache.ts";
import { ok, type Result } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { PluginLanguage } from "../../contracts/plugin/manifest.ts";
import { fingerprint, type Stamp } from "../../plugins/fingerprint.ts";
import { grantedPaths, makeMissing } from "../../plugins/process/granted-paths.ts";
import type { PluginStart } from "../../plugins/process/plugin-process.ts";
import { pythonArguments, pythonRunnerFolder } from "../../plugins/runner/python-runner.ts";
import { rememberedPython } from "../../plugins/runner/remembered-python.ts";
import { nodeRunnerFile } from "../../plugins/sources/runner-files.ts";
import type { PluginProgram } from "../../safety/plugin-sandbox.ts";
import { type ProcessPlace, proxyInSandbox, runFiles } from "../environment/start-confined.ts";
import { codeCache, stagingFolder } from "./plugin-settings.ts";

export interface PluginProgramDeps {
  /** The folder that `$WORKSPACE` in a permission means. */
  readonly workspace: string | undefined;
  readonly clock: Clock;
}

/** The program of a plugin's process and the files that it sees. */
export async function pluginProgram(
  config: LoadedConfig,
  start: PluginStart,
  { folder, hasMounts, ...deps }: PluginProgramDeps & ProcessPlace,
): Promise<Result<PluginProgram, string>> {
  const interpreter = await interpreterOf(start, config, deps.clock);
  if (!interpreter.ok) return interpreter;
  const { program, args, env, readable, writable } = interpreter.value;
  const { plugin, permissions, load } = start;
  const person = userFolder(config.env);
  const places = { home: person, workspace: deps.workspace };
  const staging = stagingFolder(config, plugin);
  const temp = join(folder, runFiles.temp);
  for (const path of [load.dataDir, staging, temp]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const write = await grantedPaths(permissions.write, places);
  makeMissing(write);
  return ok({
    program,
    args,
    cwd: plugin.folder,
    env: {
      ...env,
      ...variables(config, plainVariables),
      ...variables(config, permissions.env),
      ...load.secrets,
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: person,
      HERMES_HOME: load.home,
      TMPDIR: hasMounts ? "/tmp" : temp,
    },
    readable: [
      program,
      ...readable,
      plugin.folder,
      ...(permissions.exec ? ["/etc/alternatives"] : []),
      ...(hasMounts ? [] : [...readable, plugin.folder].flatMap(packageFiles)),
    ],
    writable: [load.dataDir, ...writable, ...(hasMounts ? [] : [temp])],
    granted: { read: await grantedPaths(permissions.read, places), write },
    placed: [
      { path: join(config.home.path, homeFiles.skills), from: staging, how: "write" },
      { path: "/tmp", from: temp, how: "write" },
      { path: proxyInSandbox, from: join(folder, runFiles.proxy), how: "read" },
    ],
    exec: permissions.exec,
    maxMemoryBytes: config.values.plugins.max_memory_mb * 2 ** 20 + reservedBytes[plugin.language],
    ...(permissions.net.length > 0 && { proxySocket: join(folder, runFiles.proxy) }),
  });
}

interface Interpreter {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

async function interpreterOf(
  { plugin }: PluginStart,
  config: LoadedConfig,
  clock: Clock,
): Promise<Result<Interpreter, string>> {
  const { env, home } = config;
  if (plugin.language === "typescript") {
    const runner = nodeRunnerFile();
    const program = realpathSync(process.execPath);
    return ok({ program, args: [runner], env: sourceCache(runner), readable: codeOf(runner), writable: [] });
  }
  const file = join(home.path, homeFiles.pluginData, ".python.json");
  const interpreter = await rememberedPython(env, { file, clock, signal: new AbortController().signal });
  if (!interpreter.ok) return interpreter;
  const { path, folders } = interpreter.value;
  const stamps = fingerprint(plugin, path);
  if (!stamps.ok) return stamps;
  const cache = compiledFolder(codeCache(config, plugin), stamps.value);
  const readable = [pythonRunnerFolder(), ...folders];
  return ok({ program: path, args: pythonArguments(cache), env: {}, readable, writable: [cache] });
}

/**
 * The folder for the compiled code of one version of a plugin. The plugin may write to it, and Python runs the files in
 * it, so each version has its own folder: no version controls what the next one runs.
 */
function compiledFolder(parent: string, stamps: readonly Stamp[]): string {
  const name = sha256(JSON.stringify(stamps)).slice(0, 32);
  const folder = join(parent, name);
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  const older = isNew ? readdirSync(parent).filter((each) => each !== name) : [];
  for (const each of older) void rm(join(parent, each), { recursive: true, force: true }).catch(() => undefined);
  return folder;
}

/**
 * Files that the program of a plugin process imports: for a bundle the chunks next to it, for sources all sources and
 * packages.
 */
function codeOf(runner: string): readonly string[] {
  const folder = dirname(runner);
  return runner.endsWith(".ts") ? [dirname(folder), join(folder, "..", "..", "node_modules")] : [folder];
}

/** Files that Node reads in the folders above a module, if they exist. */
function packageFiles(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [join(parent, "package.json"), ...packageFiles(parent)];
}

/** Extra address space that an interpreter reserves and hardly uses. The used memory is limited separately. */
const reservedBytes: Readonly<Record<PluginLanguage, number>> = { python: 0, typescript: 768 * 2 ** 20 };

const plainVariables: readonly string[] = ["LANG", "LC_ALL", "LC_CTYPE", "TZ"];

function variables({ env, secrets }: LoadedConfig, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = secrets.get(name) ?? env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
