import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";

import { expandHome } from "../../base/files/path.ts";
import { findProgram } from "../../base/process/find-program.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { valueOr } from "../../base/result.ts";

/**
 * The folder in which `npm install -g` puts packages: `prefix` from the environment or from `~/.npmrc`, otherwise the
 * folder next to npm itself.
 */
export function globalNodeModules(env: Variables, person: string): string | undefined {
  const settings = valueOr(() => readFileSync(join(person, ".npmrc"), "utf8"), "");
  const named =
    env["NPM_CONFIG_PREFIX"] ??
    env["npm_config_prefix"] ??
    /^\s*prefix\s*=\s*["']?(.+?)["']?\s*$/mu.exec(settings)?.[1];
  if (named !== undefined && named !== "") {
    const prefix = expandHome(named.replace(/\$\{HOME\}/gu, person), person);
    return process.platform === "win32" ? join(prefix, "node_modules") : join(prefix, "lib", "node_modules");
  }
  const npm = findProgram(["npm"], env);
  const real = npm === undefined ? "" : valueOr(() => realpathSync(npm), "");
  const index = real.lastIndexOf(`${sep}node_modules${sep}npm${sep}`);
  return index < 0 ? undefined : join(real.slice(0, index), "node_modules");
}

/**
 * The `site-packages` folders of the virtual environment, of the `python3` on PATH, and of the user, for every
 * installed version. Python is not started. A later folder wins.
 */
export function sitePackages(env: Variables, person: string): readonly string[] {
  const program = findProgram(["python3", "python"], env);
  // A virtual environment links to the real Python; its packages are next to the link.
  const prefixes = program === undefined ? [] : [valueOr(() => realpathSync(program), program), program];
  const active = env["VIRTUAL_ENV"];
  const places = [
    ...prefixes.flatMap((path) => versionsIn(join(dirname(dirname(path)), "lib"))),
    ...(prefixes.length === 0 ? [] : versionsIn("/usr/local/lib")),
    ...versionsIn(join(person, ".local", "lib")),
    ...(active === undefined || active === "" ? [] : versionsIn(join(active, "lib"))),
  ];
  return [...new Set(places)];
}

/** `python3.12/site-packages` and, on Debian, `dist-packages`. */
function versionsIn(lib: string): readonly string[] {
  const names = valueOr(() => readdirSync(lib), []).filter((name) => /^python3(?:\.\d+)?$/u.test(name));
  return names.toSorted().flatMap((name) => ["dist-packages", "site-packages"].map((last) => join(lib, name, last)));
}
