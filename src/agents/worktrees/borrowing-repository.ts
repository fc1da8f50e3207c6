import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { codeOf } from "../../base/files/file-fault.ts";
import { readFileBeneath } from "../../base/files/open-beneath.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Git } from "./git.ts";
import type { ProjectFacts } from "./project-facts.ts";

/**
 * Creates a repository that reads the objects of a project and shares nothing else with it: no references, stash,
 * settings, hooks or locks. So no change in it can affect the project.
 */
export async function createBorrowingRepository(
  folder: string,
  project: ProjectFacts,
  git: Git,
  signal: AbortSignal,
): Promise<Result<void, string>> {
  const created = await git.run(
    ["init", "--quiet", "--template=", `--object-format=${project.hashes}`, "--bare", folder],
    {
      cwd: project.root,
      signal,
    },
  );
  if (!created.ok) return err(created.error.message);
  await mkdir(join(folder, "info"), { recursive: true });
  await mkdir(join(folder, "objects", "info"), { recursive: true });
  await writeFile(join(folder, "objects", "info", "alternates"), `${quoted(project.objects)}\n`);
  await writeFile(join(folder, "config"), await settingsOf(project, git, signal));
  for (const name of ["shallow", join("info", "exclude"), join("info", "attributes")])
    await copyIfThere(join(project.shared, name), join(folder, name));
  if (project.head !== undefined) await writeFile(join(folder, "HEAD"), `${project.head}\n`);
  return ok(undefined);
}

/** Makes `git log main` and similar commands work in the repository. The stash is not copied. */
export async function copyReferences(
  folder: string,
  project: ProjectFacts,
  git: Git,
  signal: AbortSignal,
): Promise<Result<void, string>> {
  const format = "--format=%(objectname) %(refname)";
  const listed = await git.run(["for-each-ref", format], { cwd: project.root, signal });
  if (!listed.ok) return err(listed.error.message);
  const lines = listed.value.toString("latin1").split("\n");
  const kept = lines.filter((line) => line !== "" && !line.endsWith(" refs/stash"));
  await writeFile(join(folder, "packed-refs"), kept.map((line) => `${line}\n`).join(""), "latin1");
  return ok(undefined);
}

/** Settings that determine how files are stored and who commits. Settings that name a program are excluded. */
async function settingsOf(project: ProjectFacts, git: Git, signal: AbortSignal): Promise<string> {
  const copied =
    "^(user\\.(name|email)|core\\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode))$";
  const listed = await git.run(["config", "--local", "-z", "--get-regexp", copied], { cwd: project.root, signal });
  const pairs = (listed.ok ? listed.value.toString().split("\0") : []).flatMap((each) => {
    const [name = "", ...value] = each.split("\n");
    const [section, key] = name.split(".");
    return key === undefined ? [] : [`[${section}]\n\t${key} = "${escaped(value.join("\n"))}"\n`];
  });
  const extension = project.hashes === "sha1" ? "" : `[extensions]\n\tobjectFormat = ${project.hashes}\n`;
  const version = project.hashes === "sha1" ? 0 : 1;
  return `[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n\tlogAllRefUpdates = true\n${extension}${pairs.join("")}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** A path with unusual characters is quoted as in C, which git accepts. */
function quoted(path: string): string {
  return /^[^"\n#\\]+$/u.test(path) ? path : `"${escaped(path)}"`;
}

/** Ignores a link: an agent may have created it, and the copy would show the agent a file that it cannot read. */
async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await writeFile(to, readFileBeneath(from).bytes);
  } catch (error) {
    if (!["ENOENT", "ELINKED"].includes(codeOf(error))) throw error;
  }
}
