import { isObject, parseJson, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { parseYaml } from "../../config/yaml/read-yaml.ts";
import type { ForeignTree } from "./foreign-tree.ts";
import { type ImportChoices, notesOf, type PlannedImport } from "./import-plan.ts";
import { skillsPlan } from "./plan-claude-code.ts";
import { envPlan, secretsPlan } from "./planned-secrets.ts";

/** Files with the settings, newest name first. */
const settingsFiles = ["openclaw.json", "clawdbot.json", "moltbot.json"];
const workspaces = ["workspace", "workspace-main", "workspace.default"];

/** Plans the import of soul, notes, skills, instructions, model and servers; keys only on request. */
export async function planOpenClaw(tree: ForeignTree, choices: ImportChoices): Promise<readonly PlannedImport[]> {
  const plan: PlannedImport[] = [];
  for (const workspace of workspaces) {
    if (!(await tree.isFolder(workspace))) continue;
    plan.push(...(await workspacePlan(tree, workspace, choices)));
    break;
  }
  plan.push(...(await skillsPlan(tree, "skills")));
  if (choices.preset === "full") plan.push(...(await settingsPlan(tree, choices)));
  return plan;
}

async function workspacePlan(
  tree: ForeignTree,
  workspace: string,
  choices: ImportChoices,
): Promise<readonly PlannedImport[]> {
  const plan: PlannedImport[] = [];
  const pathOf = (file: string) => `${tree.root}/${workspace}/${file}`;
  const soul = await tree.text(workspace, "SOUL.md");
  if (soul?.ok && soul.value.trim() !== "")
    plan.push({ name: "SOUL.md", from: pathOf("SOUL.md"), kind: "file", to: "SOUL.md", text: soul.value });
  else if (soul?.ok === false) plan.push({ name: "SOUL.md", from: pathOf("SOUL.md"), kind: "other", skip: soul.error });
  for (const [file, target] of [
    ["USER.md", "user"],
    ["MEMORY.md", "memory"],
  ] as const) {
    const text = await tree.text(workspace, file);
    if (text?.ok === false) plan.push({ name: file, from: pathOf(file), kind: "other", skip: text.error });
    for (const note of text?.ok ? notesOf(text.value) : [])
      plan.push({ name: `note for ${target}`, from: pathOf(file), kind: "note", target, text: note });
  }
  const agents = await tree.text(workspace, "AGENTS.md");
  if (agents?.ok) {
    const about = { name: "AGENTS.md", from: pathOf("AGENTS.md") };
    plan.push(
      choices.workspace === undefined
        ? { ...about, kind: "other", skip: "name the project that gets it with --workspace-target" }
        : { ...about, kind: "file", to: `${choices.workspace}/AGENTS.md`, text: agents.value },
    );
  }
  return [...plan, ...(await skillsPlan(tree, workspace, "skills"))];
}

async function settingsPlan(tree: ForeignTree, choices: ImportChoices): Promise<readonly PlannedImport[]> {
  const plan: PlannedImport[] = [];
  for (const file of settingsFiles) {
    const text = await tree.text(file);
    if (!text) continue;
    const from = `${tree.root}/${file}`;
    const read = text.ok ? await readLooseJson(file, text.value) : text;
    if (!read.ok) {
      plan.push({ name: "settings", from, kind: "other", skip: read.error });
      break;
    }
    const model =
      valueAt(read.value, ["agents", "defaults", "model", "primary"]) ?? valueAt(read.value, ["agent", "model"]);
    if (typeof model === "string" && /^[\w.-]+\/\S+$/u.test(model))
      plan.push({ name: `model ${model}`, from, kind: "setting", path: ["model"], value: modelSettings(model) });
    plan.push(...secretsPlan(valueAt(read.value, ["env", "vars"]) ?? valueAt(read.value, ["env"]), from, choices));
    break;
  }
  const env = await tree.text(".env");
  if (env?.ok) plan.push(...envPlan(env.value, `${tree.root}/.env`, choices));
  return plan;
}

function modelSettings(name: string): JsonObject {
  const [provider = "", ...rest] = name.split("/");
  return { provider, default: rest.join("/") };
}

/** Parses JSON5 as YAML after removing comments: YAML accepts unquoted names and trailing commas. */
async function readLooseJson(file: string, text: string): Promise<Result<JsonObject, string>> {
  const plain = text.replaceAll(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu,
    (_, string: string | undefined) => string ?? "",
  );
  const json = parseJson(plain, { maxChars: 300_000, maxDepth: 50 });
  if (json.ok) return isObject(json.value) ? ok(json.value) : err("it does not hold keys and values");
  const yaml = await parseYaml(file, Buffer.from(plain));
  return yaml.ok ? ok(yaml.value.tree) : err("it is neither JSON nor JSON5 that can be read");
}

function valueAt(tree: unknown, path: readonly string[]): unknown {
  let value = tree;
  for (const step of path) value = isObject(value) ? value[step] : undefined;
  return value;
}
