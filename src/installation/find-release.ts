import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { parsedJson } from "../base/json.ts";
import { err, ok, type Result, valueOr } from "../base/result.ts";
import { packageName } from "./find-installation.ts";
import { type NpmOptions, runNpm } from "./run-npm.ts";

/** The newest published version. */
export async function newestRelease(options: NpmOptions): Promise<Result<string>> {
  const shown = await runNpm(["view", packageName, "version", "--json", "--prefer-online"], options);
  if (!shown.ok) return shown;
  const version = valueOr(() => parsedJson(shown.value), undefined);
  return typeof version === "string" ? ok(version) : err({ message: "the registry answered without a version" });
}

/** Downloads a published version; npm verifies its checksum. Returns the file. */
export async function fetchRelease(version: string, folder: string, options: NpmOptions): Promise<Result<string>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const packed = await runNpm(["pack", `${packageName}@${version}`, "--json", "--pack-destination", folder], options);
  if (!packed.ok) return packed;
  const list = valueOr(() => parsedJson(packed.value), undefined);
  const [first] = Array.isArray(list) ? list : [];
  const name = typeof first === "object" && first !== null && "filename" in first ? first.filename : undefined;
  return typeof name === "string" && !name.includes("/")
    ? ok(join(folder, name))
    : err({ message: "npm named no file" });
}

/** Whether `a` is a newer version than `b`. A pre-release is older than its release. */
export function isNewerVersion(a: string, b: string): boolean {
  const parse = (version: string) => {
    const [core = "", pre = ""] = version.split("+", 1)[0]?.split(/-(.*)/su) ?? [];
    return { numbers: core.split(".").map(Number), pre };
  };
  const [left, right] = [parse(a), parse(b)];
  for (const index of [0, 1, 2]) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (left.pre === "" || right.pre === "") return left.pre === "" && right.pre !== "";
  return left.pre.localeCompare(right.pre, "en", { numeric: true }) > 0;
}
