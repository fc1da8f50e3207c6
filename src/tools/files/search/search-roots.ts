import { basename, dirname } from "node:path";

import { ok, type Result } from "../../../base/result.ts";
import type { Environment } from "../../../contracts/environment/environment.ts";
import { fail, type ToolFailure } from "../../../contracts/tool/tool-result.ts";
import { fileFailure, realPathOf } from "../file-at.ts";
import { specialFile } from "../file-to-read.ts";
import { lookAlikes } from "../look-alikes.ts";
import type { Root } from "./search.ts";

/** The paths that a path argument may name: itself, or several separated by spaces or commas. */
export function namedPaths(path: string): { readonly whole: string; readonly parts: readonly string[] } {
  const whole = path.trim() === "" ? "." : path;
  const parts = whole.split(/[\s,]+/u).filter((part) => part !== "");
  return { whole, parts: parts.length > 1 ? parts : [] };
}

/** Several paths in one string are several only when there is no such path and each of them exists. */
export async function searchRoots(
  path: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<Result<readonly Root[], ToolFailure>> {
  const { whole, parts } = namedPaths(path);
  const one = await rootAt(whole, environment, signal);
  if (!one.ok) return one;
  if (one.value.root) return ok([one.value.root]);
  const roots: Root[] = [];
  let missing = one.value.missing;
  for (const part of parts) {
    const match = await rootAt(part, environment, signal);
    if (!match.ok) return match;
    if (match.value.root) roots.push(match.value.root);
    else if (roots.length > 0) missing = match.value.missing;
  }
  if (parts.length > 0 && roots.length === parts.length) return ok(roots);
  const { same, similar } = await lookAlikes(missing ?? whole, environment.files, signal);
  const others = [...(same === undefined ? [] : [same]), ...similar];
  const hint = others.length > 0 ? `There is: ${others.join(", ")}` : "Check the path, or search its folder.";
  return fail(`${missing ?? whole} does not exist. ${hint}`, "failed", { data: { similar_files: others } });
}

async function rootAt(
  path: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<Result<{ readonly root?: Root; readonly missing?: string }, ToolFailure>> {
  const real = await realPathOf(path, environment, signal);
  if (!real.ok) return real;
  const special = specialFile(real.value);
  if (special !== undefined) return fail(special, "blocked");
  const stat = await environment.files.stat(real.value, signal);
  if (!stat.ok) return stat.error.kind === "missing" ? ok({ missing: real.value }) : fileFailure(stat.error);
  const request = path.replace(/^(?:\.\/+)+|(?<=[^/])\/+$/gu, "");
  if (stat.value.kind === "folder") {
    const folder = request === "." || request === "" ? "" : request.endsWith("/") ? request : `${request}/`;
    return ok({ root: { folder: real.value, asked: folder } });
  }
  if (stat.value.kind === "file")
    return ok({ root: { folder: dirname(real.value), file: basename(real.value), asked: request } });
  return fail(`${real.value} is a device, pipe or socket, not a file. It is not searched.`);
}
