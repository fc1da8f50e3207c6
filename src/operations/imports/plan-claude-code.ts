import { isObject, parseJson } from "../../base/json.ts";
import type { ForeignTree } from "./foreign-tree.ts";
import { type ImportChoices, type PlannedImport, skillFromPrompt, skillNameFrom } from "./import-plan.ts";

const origin = "Claude Code";

/**
 * Plans the import of instructions, agents, prompts, skills, and rules that deny or ask. MCP servers are planned
 * separately.
 */
export async function planClaudeCode(tree: ForeignTree, choices: ImportChoices): Promise<readonly PlannedImport[]> {
  return [
    ...(await instructionsPlan(tree, "CLAUDE.md", origin)),
    ...(await agentsPlan(tree)),
    ...(await promptsPlan(tree, "commands", origin)),
    ...(await skillsPlan(tree, "skills")),
    ...(choices.preset === "full" ? await rulesPlan(tree) : []),
  ];
}

/** The instructions for all projects become SOUL.md, after one sentence that explains who reads them. */
export async function instructionsPlan(
  tree: ForeignTree,
  file: string,
  from: string,
): Promise<readonly PlannedImport[]> {
  const text = await tree.text(file);
  if (!text) return [];
  const about = { name: `instructions (${file})`, from: `${tree.root}/${file}` };
  if (!text.ok) return [{ ...about, kind: "other", skip: text.error }];
  if (text.value.trim() === "") return [];
  const soul = `You are Hermes, an agent with real tools on this machine.\n\n# Instructions from ${file} of ${from}\n\n${text.value.trim()}\n`;
  return [{ ...about, kind: "file", to: "SOUL.md", text: soul }];
}

async function agentsPlan(tree: ForeignTree): Promise<readonly PlannedImport[]> {
  const plan: PlannedImport[] = [];
  for (const name of (await tree.names("agents")).filter((each) => each.endsWith(".md"))) {
    const text = await tree.text("agents", name);
    const about = { name: `agent ${name.slice(0, -3)}`, from: `${tree.root}/agents/${name}` };
    if (text?.ok) plan.push({ ...about, kind: "file", to: `agents/${name}`, text: text.value });
    else plan.push({ ...about, kind: "other", skip: text?.error ?? "it disappeared" });
  }
  return plan;
}

/** Plans the prompts in a folder and one level below it: `git/commit.md` becomes `git-commit`. */
export async function promptsPlan(tree: ForeignTree, folder: string, from: string): Promise<readonly PlannedImport[]> {
  const plan: PlannedImport[] = [];
  const add = async (path: readonly string[]) => {
    const label = path.join("-").slice(0, -3);
    const skill = skillNameFrom(label);
    const text = await tree.text(folder, ...path);
    const about = { name: `prompt /${label}`, from: [tree.root, folder, ...path].join("/") };
    if (!text?.ok) plan.push({ ...about, kind: "other", skip: text?.error ?? "it disappeared" });
    else if (skill === undefined) plan.push({ ...about, kind: "other", skip: "its name has no letters" });
    else plan.push({ ...about, kind: "skill", skill, files: [skillFromPrompt(skill, text.value, from)] });
  };
  for (const name of await tree.names(folder)) {
    if (name.endsWith(".md")) await add([name]);
    else for (const below of await tree.names(folder, name)) if (below.endsWith(".md")) await add([name, below]);
  }
  return plan;
}

/** Plans folders with a SKILL.md, in the given folder and one level below it. */
export async function skillsPlan(tree: ForeignTree, ...folder: readonly string[]): Promise<readonly PlannedImport[]> {
  const plan: PlannedImport[] = [];
  const add = async (path: readonly string[]): Promise<boolean> => {
    if (!(await tree.names(...path)).includes("SKILL.md")) return false;
    const name = path.at(-1) ?? "";
    const skill = skillNameFrom(name);
    const about = { name: `skill ${name}`, from: [tree.root, ...path].join("/") };
    const files = await tree.files(...path);
    if (!files.ok) plan.push({ ...about, kind: "other", skip: files.error });
    else if (skill === undefined) plan.push({ ...about, kind: "other", skip: "its name has no letters" });
    else plan.push({ ...about, kind: "skill", skill, files: files.value });
    return true;
  };
  for (const name of await tree.names(...folder)) {
    if (name.startsWith(".") || (await add([...folder, name]))) continue;
    for (const below of await tree.names(...folder, name)) await add([...folder, name, below]);
  }
  return plan;
}

/** Imports only rules that deny or ask. Rules that allow something in Claude Code are not imported. */
async function rulesPlan(tree: ForeignTree): Promise<readonly PlannedImport[]> {
  const text = await tree.text("settings.json");
  if (!text) return [];
  const from = `${tree.root}/settings.json`;
  const parsed = text.ok ? parseJson(text.value, { maxChars: 300_000, maxDepth: 50 }) : text;
  if (!parsed.ok) return [{ name: "settings", from, kind: "other", skip: parsed.error }];
  const settings = isObject(parsed.value) ? parsed.value : {};
  const permissions = isObject(settings["permissions"]) ? settings["permissions"] : {};
  const plan: PlannedImport[] = [];
  for (const list of ["deny", "ask"] as const) {
    const rules = commandRules(permissions[list]);
    if (rules.length > 0)
      plan.push({
        name: `rules that ${list === "deny" ? "deny" : "ask"}: ${rules.join(", ")}`,
        from,
        kind: "setting",
        path: ["approvals", list],
        value: rules,
      });
  }
  const allowed = commandRules(permissions["allow"]).length;
  if (allowed > 0)
    plan.push({
      name: `${allowed} allowed commands`,
      from,
      kind: "other",
      skip: "allow them here with: hermes policy allow",
    });
  for (const key of ["hooks", "env", "model"])
    if (settings[key] !== undefined) plan.push({ name: key, from, kind: "other", skip: unsupported[key] ?? "" });
  return plan;
}

const unsupported: Readonly<Record<string, string>> = {
  hooks: "shell hooks differ; docs/guide/hooks.md shows how to write them here",
  env: "it may hold secrets; set what you need with: hermes config set NAME VALUE",
  model: "choose a model with: hermes setup model",
};

/** Converts `Bash(git push:*)` to the rule `git push`. Rules about other tools have no counterpart. */
function commandRules(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((rule: unknown) => {
    const command = typeof rule === "string" ? /^Bash\((.+?)(?::\*)?\)$/u.exec(rule)?.[1]?.trim() : undefined;
    return command === undefined || command === "*" || /[\n]/u.test(command) ? [] : [command];
  });
}
