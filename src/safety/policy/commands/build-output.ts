import { posix } from "node:path";

import { isInside } from "../../../base/files/path.ts";
import { words } from "../../../base/text/words.ts";
import { resolvePathText } from "../../command/checks/path-rules.ts";
import type { CommandFinding } from "../../command/judge-command.ts";
import { readOptions } from "../../command/programs/options.ts";
import { programName } from "../../command/programs/program-name.ts";
import { hole, isKnown } from "../../command/shell/field.ts";

/** Gives the policy access to the project's files. */
export interface ProjectFiles {
  readonly workspace: string;
  /** Returns the real path, with all links resolved. */
  realPath(path: string): Promise<string>;
  /** Returns the content, one character per byte. Undefined if there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** Returns whether nothing exists at the path, not even a link. */
  isMissing(path: string): Promise<boolean>;
}

/**
 * Returns whether the project shows that nothing is lost: build output and caches that version control ignores, or a
 * settings file that can be created from its example. `written`: files that the script and earlier calls of the session
 * wrote; a folder that they filled is not build output.
 */
export async function isRecoverable(
  { rule, command }: CommandFinding,
  written: readonly string[],
  files: ProjectFiles,
): Promise<boolean> {
  if (command === undefined || command.via.length > 0) return false;
  const { operands } = readOptions(command.argv.slice(1));
  const paths = operands.map(({ text }) => resolvePathText(text, command.cwd));
  if (operands.some((word) => !isKnown(word) || word.isPattern) || paths.some((path) => path.includes(hole)))
    return false;
  const name = programName(command.argv[0]);
  if (rule === "project_config" && name === "cp") return isFirstCopy(paths, files);
  if (rule !== "delete_recursive" || name !== "rm" || paths.length === 0) return false;
  for (const path of paths) {
    const isFilled = written.some((other) => isInside(path, other) || isInside(other, path));
    if (isFilled || !(await isBuildOutput(path, files))) return false;
  }
  return true;
}

async function isFirstCopy([from = "", to = "", ...more]: readonly string[], files: ProjectFiles): Promise<boolean> {
  const isExample =
    more.length === 0 &&
    from.startsWith(`${to}.`) &&
    /^\.(?:example|sample|template|dist)$/u.test(from.slice(to.length));
  return isExample && isInside(files.workspace, to) && (await files.realPath(to)) === to && files.isMissing(to);
}

async function isBuildOutput(path: string, files: ProjectFiles): Promise<boolean> {
  const { workspace } = files;
  if (path === workspace || !isInside(workspace, path)) return false;
  if (posix.join(await files.realPath(posix.dirname(path)), posix.basename(path)) !== path) return false;
  const names = path.slice(workspace.length + 1).split("/");
  for (let depth = 1; depth <= names.length; depth++) {
    const below = names.slice(0, depth);
    if (!(await isGenerated(below, files)) || !(await isIgnored(below, files))) continue;
    return !(await isTracked(names.join("/"), files));
  }
  return false;
}

/** Such a folder is recognised by its name, or by a marker file of the program that created it. */
async function isGenerated(below: readonly string[], { workspace, read }: ProjectFiles): Promise<boolean> {
  if (outputNames.has(below.at(-1) ?? "")) return true;
  const folder = posix.join(workspace, ...below);
  return (await read(`${folder}/CACHEDIR.TAG`)) !== undefined || (await read(`${folder}/pyvenv.cfg`)) !== undefined;
}

const outputNames: ReadonlySet<string> = new Set(
  words(`
  node_modules bower_components .venv venv __pycache__ .mypy_cache .pytest_cache .ruff_cache .tox .nox .eggs .cache
  .gradle .next .nuxt .output .svelte-kit .turbo .parcel-cache .angular .dart_tool .pnpm-store DerivedData .nyc_output
  dist build out target coverage htmlcov _build .build cmake-build-debug cmake-build-release obj Pods .terraform
`),
);

/**
 * Returns whether a `.gitignore` in a parent folder contains the folder's name. Patterns and exceptions do not count,
 * so a person decides.
 */
async function isIgnored(below: readonly string[], { workspace, read }: ProjectFiles): Promise<boolean> {
  for (let depth = 0; depth < below.length; depth++) {
    const text = await read(posix.join(workspace, ...below.slice(0, depth), ".gitignore"));
    const lines = (text ?? "").split("\n").map((line) => line.trim());
    if (lines.some((line) => line.startsWith("!"))) return false;
    const rest = below.slice(depth).join("/");
    const anywhere = [below.at(-1) ?? "", `**/${below.at(-1)}`];
    if (lines.some((line) => [...anywhere, rest, `/${rest}`].includes(line.replace(/\/(?:\*\*?)?$/u, "")))) return true;
  }
  return false;
}

/** Returns whether the git index contains the file. The index contains full paths, except in version 4. */
async function isTracked(path: string, { workspace, read }: ProjectFiles): Promise<boolean> {
  const index = await read(`${workspace}/.git/index`);
  if (index === undefined) return (await read(`${workspace}/.git/HEAD`)) === undefined;
  const name = Buffer.from(path).toString("latin1");
  return index.charCodeAt(7) > 3 || index.includes(`${name}/`) || index.includes(`${name}\0`);
}
