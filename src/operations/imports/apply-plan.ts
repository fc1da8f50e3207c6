import { existsSync, lstatSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";

import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { reasonOf } from "../../base/result.ts";
import { ensureHome, homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import type { OperationServices } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";
import type { ImportChoices, PlannedImport } from "./import-plan.ts";

/** A planned item and its outcome. */
export interface ImportStep {
  readonly name: string;
  readonly from: string;
  /** The target: a file, a setting or a variable. */
  readonly to?: string;
  readonly action: "import" | "replace" | "skip" | "failed";
  readonly why?: string;
}

type Memory = ReturnType<OperationServices["memory"]>;

interface ApplyDeps {
  readonly config: LoadedConfig;
  readonly memory: Memory;
  readonly ctx: OperationContext;
  readonly choices: ImportChoices;
  /** False: no copy of a replaced file is kept. */
  readonly hasBackup: boolean;
  /** True: only reports. */
  readonly isDryRun: boolean;
}

/** Imports the items of a plan one by one; a failure does not stop the others. Deletes nothing. */
export async function applyPlan(plan: readonly PlannedImport[], deps: ApplyDeps): Promise<readonly ImportStep[]> {
  const { config, isDryRun } = deps;
  if (!isDryRun) await ensureHome(config.home.path);
  const steps: ImportStep[] = [];
  const usedNames = new Set<string>();
  for (const item of plan) {
    deps.ctx.signal.throwIfAborted();
    const about = { name: item.name, from: item.from };
    if (item.kind === "other" || item.skip !== undefined) {
      steps.push({ ...about, action: "skip", why: item.skip ?? "" });
      continue;
    }
    const step = await applyOne(item, deps, usedNames).catch((thrown: unknown) => ({
      action: "failed" as const,
      why: reasonOf(thrown),
    }));
    steps.push({ ...about, ...step });
  }
  return steps;
}

type Step = Omit<ImportStep, "name" | "from">;
type Importable = Exclude<PlannedImport, { kind: "other" }>;

async function applyOne(item: Importable, deps: ApplyDeps, usedNames: Set<string>): Promise<Step> {
  switch (item.kind) {
    case "file":
      return applyFile(item.to, item.text, deps);
    case "skill":
      return applySkill(item.skill, item.files, deps, usedNames);
    case "note":
      return applyNote(item.target, item.text, deps);
    case "setting":
      return applySetting(item.path, item.value, deps);
    case "secret":
      return applySecret(item.variable, item.value, deps);
  }
}

async function applyFile(to: string, text: string, deps: ApplyDeps): Promise<Step> {
  const path = isAbsolute(to) ? to : join(deps.config.home.path, to);
  const before = await readFile(path, "utf8").catch(() => undefined);
  if (before === text) return { to: path, action: "skip", why: "it is already the same here" };
  if (existsSync(path) && !deps.choices.overwrite)
    return { to: path, action: "skip", why: "the file exists here; --overwrite replaces it" };
  const action = before === undefined ? "import" : "replace";
  if (!deps.isDryRun) await writeKeepingCopy(path, Buffer.from(text), deps);
  return { to: path, action };
}

async function applySkill(
  skill: string,
  files: readonly { readonly path: string; readonly bytes: Buffer }[],
  deps: ApplyDeps,
  usedNames: Set<string>,
): Promise<Step> {
  const { skillConflict } = deps.choices;
  const library = join(deps.config.home.path, homeFiles.skills);
  const isTaken = (name: string) => usedNames.has(name) || existsSync(join(library, name));
  let name = skill;
  if (isTaken(skill) && skillConflict === "skip")
    return {
      to: join(library, skill),
      action: "skip",
      why: "a skill of this name exists here; --skill-conflict rename keeps both",
    };
  if (isTaken(skill) && skillConflict === "rename")
    for (let number = 2; isTaken(name); number++) name = `${skill}-${number}`;
  const action = isTaken(name) ? "replace" : "import";
  usedNames.add(name);
  const folder = join(library, name);
  if (deps.isDryRun) return { to: folder, action };
  for (const { path, bytes } of files) {
    const content = path === "SKILL.md" && name !== skill ? renamedSkill(bytes, name) : bytes;
    await writeKeepingCopy(join(folder, path), content, deps);
  }
  return { to: folder, action };
}

function renamedSkill(bytes: Buffer, name: string): Buffer {
  return Buffer.from(bytes.toString().replace(/^name:.*$/mu, `name: ${name}`));
}

async function applyNote(target: "memory" | "user", text: string, { memory, ctx, isDryRun }: ApplyDeps): Promise<Step> {
  if (!memory.targets.includes(target)) return { action: "skip", why: "this memory is off" };
  const page = await memory.files.read(target);
  const to = `${target === "user" ? "USER.md" : "MEMORY.md"}: ${text.slice(0, 60)}`;
  if (page.entries.includes(text)) return { to, action: "skip", why: "it is here already" };
  if (isDryRun) return { to, action: "import" };
  const added = await memory
    .store({ by: "user" }, () => {})
    .apply(target, [{ action: "add", content: text }], ctx.signal);
  return added.ok ? { to, action: "import" } : { to, action: "skip", why: added.error.message };
}

async function applySetting(path: readonly string[], value: PlannedSetting, deps: ApplyDeps): Promise<Step> {
  const { config, ctx, choices, isDryRun } = deps;
  const to = path.join(".");
  const current = valueAt(config.values, path);
  const isList = Array.isArray(value) && Array.isArray(current);
  // Imported rules are added to the existing ones.
  const next = isList ? [...new Set([...(current as readonly string[]), ...(value as readonly string[])])] : value;
  if (JSON.stringify(next) === JSON.stringify(current))
    return { to, action: "skip", why: "it is already the same here" };
  const isSet = [...config.origins].some(
    ([key, { from }]) => from !== "default" && (key === to || key.startsWith(`${to}.`)),
  );
  if (isSet && !isList && !choices.overwrite)
    return { to, action: "skip", why: "it is set here; --overwrite replaces it" };
  const changes =
    typeof next === "object" && next !== null && !Array.isArray(next)
      ? Object.entries(next).map(([key, each]) => ({ path: [...path, key], value: each }))
      : [{ path: [...path], value: next }];
  if (!isDryRun) {
    const written = await writeSettings(config, changes, ctx);
    if (!written.ok) return { to, action: "failed", why: written.error.message };
  }
  return { to, action: isSet && !isList ? "replace" : "import" };
}

type PlannedSetting = Extract<PlannedImport, { kind: "setting" }>["value"];

async function applySecret(variable: string, value: string, deps: ApplyDeps): Promise<Step> {
  const { config, ctx, choices, isDryRun } = deps;
  const to = `.env: ${variable}`;
  const current = config.secrets.get(variable);
  if (current === value) return { to, action: "skip", why: "it is already the same here" };
  if (current && !choices.overwrite) return { to, action: "skip", why: "it is set here; --overwrite replaces it" };
  if (!isDryRun) {
    const { setKey } = await import("../../config/write.ts");
    const written = await setKey(config.home, variable, value, { ...ctx, force: false });
    if (!written.ok)
      return { to, action: "failed", why: written.error.problems.map(({ message }) => message).join("; ") };
  }
  return { to, action: current ? "replace" : "import" };
}

/** Never writes through a link: the target could be anywhere. */
async function writeKeepingCopy(path: string, bytes: Buffer, { hasBackup, ctx }: ApplyDeps): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw new Error(`${path} is not a file here`);
  if (there && hasBackup) await copyFile(path, `${path}.before-import-${ctx.clock.now()}`);
  const written = await writeFileAtomic(path, bytes, { mode: 0o600 });
  if (!written.ok) throw new Error(written.error.message);
}

function valueAt(tree: unknown, path: readonly string[]): unknown {
  let value = tree;
  for (const step of path)
    value =
      typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
  return value;
}
