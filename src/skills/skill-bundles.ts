import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { isObject } from "../base/json.ts";
import { reasonOf } from "../base/result.ts";
import { oneLine } from "../base/text/text.ts";
import { skillNameFault } from "./frontmatter.ts";

/** Several skills under one name. */
export interface SkillBundle {
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
  /** Additional instruction for the model. */
  readonly instruction?: string;
  readonly file: string;
}

export interface SkillBundles {
  readonly bundles: readonly SkillBundle[];
  readonly broken: readonly { readonly file: string; readonly why: string }[];
}

/** Every `NAME.yaml` in the folder. */
export async function readBundles(folder: string): Promise<SkillBundles> {
  const names = namesIn(folder);
  if (names.length === 0) return { bundles: [], broken: [] };
  const { parse } = await import("yaml");
  const bundles: SkillBundle[] = [];
  const broken: { readonly file: string; readonly why: string }[] = [];
  for (const name of names) {
    const file = join(folder, name);
    try {
      if (statSync(file).size > 65_536) throw new Error("it is longer than 64 KB");
      const tree: unknown = parse(readFileSync(file, "utf8"), { maxAliasCount: 10, logLevel: "error" });
      bundles.push(bundleOf(tree, name.replace(/\.ya?ml$/u, ""), file));
    } catch (thrown) {
      broken.push({ file, why: oneLine(reasonOf(thrown), 200) });
    }
  }
  return { bundles, broken };
}

/** Content of its file. */
export async function bundleText(bundle: Omit<SkillBundle, "file">): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(bundle);
}

function bundleOf(tree: unknown, fileName: string, file: string): SkillBundle {
  const row = isObject(tree) ? tree : {};
  const name = typeof row["name"] === "string" ? row["name"].trim() : fileName;
  const fault = skillNameFault(name);
  if (fault !== undefined) throw new Error(fault);
  const skills = Array.isArray(row["skills"]) ? row["skills"].filter((each) => typeof each === "string") : [];
  if (skills.length === 0) throw new Error("it names no skills");
  const description = typeof row["description"] === "string" ? oneLine(row["description"], 300) : "";
  const instruction = typeof row["instruction"] === "string" ? row["instruction"].trim() : "";
  return {
    name,
    description: description || `${skills.join(", ")} together`,
    skills: skills.slice(0, 10),
    ...(instruction !== "" && { instruction }),
    file,
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/u.test(name))
      .toSorted();
  } catch {
    return [];
  }
}
