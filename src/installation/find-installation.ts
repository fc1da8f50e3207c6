import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { valueOr } from "../base/result.ts";

/** The name of the package, which is also its folder below `node_modules`. */
export const packageName = "hermes-agent-ts";

/** The folder next to the launcher with the versions that updates added. */
export const versionsFolder = "versions";

/** How this program was installed, which decides who updates it. */
export type Installation =
  /** A git clone or a copy of the sources, which builds itself. */
  | { readonly kind: "clone"; readonly root: string }
  /** Installed with `npm install --global`. `root` has the launcher and `versions/`; `running` is the folder of this version. */
  | { readonly kind: "package"; readonly root: string; readonly running: string }
  /** Installed in the `node_modules` of a project, or by npx. */
  | { readonly kind: "dependency"; readonly root: string; readonly project: string };

/** The root folder of the running program: it contains `dist`, or `src` if it runs from source. */
export function programRoot(): string {
  const { filename, dirname: folder } = import.meta;
  if (filename.endsWith(".ts")) return join(folder, "..", "..");
  return join(folder, basename(folder) === "chunks" ? join("..", "..") : "..");
}

export function findInstallation(programFolder: string): Installation {
  const root = valueOr(() => realpathSync(programFolder), programFolder);
  if (existsSync(join(root, "src", "bin"))) return { kind: "clone", root };
  const first = firstVersion(root);
  if (first !== undefined) return { kind: "package", root: first, running: root };
  const modules = dirname(root);
  const project = dirname(modules);
  const isDependency = basename(modules) === "node_modules" && existsSync(join(project, "package.json"));
  return isDependency ? { kind: "dependency", root, project } : { kind: "package", root, running: root };
}

/** Finds `ROOT` in `ROOT/versions/NAME/node_modules/hermes-agent-ts`. */
function firstVersion(root: string): string | undefined {
  const versions = dirname(dirname(dirname(root)));
  const isVersion =
    basename(root) === packageName &&
    basename(dirname(root)) === "node_modules" &&
    basename(versions) === versionsFolder &&
    existsSync(join(dirname(versions), "dist", "hermes.js"));
  return isVersion ? dirname(versions) : undefined;
}
