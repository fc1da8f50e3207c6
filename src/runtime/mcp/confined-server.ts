import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Permissions } from "../../contracts/plugin/manifest.ts";
import { coversPath, parsePermissions } from "../../plugins/permissions.ts";
import { grantedPaths, makeMissing } from "../../plugins/process/granted-paths.ts";
import type { PluginProgram } from "../../safety/plugin-sandbox.ts";
import { type ConfinedLaunch, type ProcessPlace, runFiles } from "../environment/start-confined.ts";

export interface ServerCommand {
  readonly server: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
}

/** The launch of a stdio server with `permissions`. If they cannot be enforced, the server does not start. */
export function confinedServer(
  config: LoadedConfig,
  command: ServerCommand,
  declared: unknown,
  onRefusedHost: (permissions: Permissions, host: string) => void,
): Result<ConfinedLaunch, string> {
  const parsed = parsePermissions(declared);
  if (!parsed.ok) return err(`its permissions cannot be used: ${parsed.error}`);
  const permissions = parsed.value;
  return ok({
    program: (place) => programOf(config, command, permissions, place),
    net: permissions.net,
    hasPlainProxy: true,
    onRefusedHost: (host) => onRefusedHost(permissions, host),
    withoutSandbox: (_program, { message, hint = "" }) =>
      err(
        `its permissions need a sandbox, and this machine has none that can enforce them (${message}). ${hint}`.trim(),
      ),
    pipes: [],
  });
}

async function programOf(
  config: LoadedConfig,
  { program, args, env, workspace }: ServerCommand,
  { read, write, env: names, exec }: Permissions,
  { folder, hasMounts }: ProcessPlace,
): Promise<Result<PluginProgram, string>> {
  const home = userFolder(config.env);
  const places = { home, workspace };
  const temp = join(folder, runFiles.temp);
  mkdirSync(temp, { recursive: true, mode: 0o700 });
  const writable = await grantedPaths(write, places);
  makeMissing(writable);
  const ownTemp = hasMounts ? "/tmp" : temp;
  return ok({
    program,
    args,
    cwd: coversPath([...read, ...write], workspace, places) ? workspace : ownTemp,
    env: { ...variables(config, names), ...env, TMPDIR: ownTemp },
    readable: [...installedFiles(program, home), ...args.flatMap((arg) => installedFiles(arg, home))],
    writable: hasMounts ? [] : [temp],
    granted: { read: await grantedPaths(read, places), write: writable },
    placed: [{ path: "/tmp", from: temp, how: "write" }],
    exec,
    maxMemoryBytes: config.values.plugins.max_memory_mb * 2 ** 20 + reservedBytes,
  });
}

/** Extra address space that interpreters reserve and hardly use. */
const reservedBytes = 768 * 2 ** 20;

function variables({ env, secrets }: LoadedConfig, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = secrets.get(name) ?? env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A file in the command line, with the package or installation that contains it, but never a whole home folder. */
function installedFiles(path: string, home: string): readonly string[] {
  if (!isAbsolute(path) || !existsSync(path)) return [];
  const real = valueOr(() => realpathSync(path), path);
  if (!valueOr(() => statSync(real).isFile(), false)) return [];
  return [path, real, ...[path, real].flatMap((file) => rootOf(file) ?? [])].filter((each) => !isInside(each, home));
}

/** The outermost `node_modules`, the folder above `bin`, or the nearest folder with the file of a package. */
function rootOf(file: string): string | undefined {
  const modules = file.indexOf("/node_modules/");
  if (modules >= 0) return file.slice(0, modules + "/node_modules".length);
  if (basename(dirname(file)) === "bin") return dirname(dirname(file));
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (packageFiles.some((name) => existsSync(join(folder, name)))) return folder;
  return undefined;
}

const packageFiles: readonly string[] = ["package.json", "pyproject.toml"];
