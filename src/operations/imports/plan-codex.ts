import { readToml } from "../../mcp/entries/read-toml.ts";
import type { ForeignTree } from "./foreign-tree.ts";
import type { ImportChoices, PlannedImport } from "./import-plan.ts";
import { instructionsPlan, promptsPlan, skillsPlan } from "./plan-claude-code.ts";

/** Plans the import of AGENTS.md, prompts and skills of Codex. MCP servers are planned separately. */
export async function planCodex(tree: ForeignTree, choices: ImportChoices): Promise<readonly PlannedImport[]> {
  return [
    ...(await instructionsPlan(tree, "AGENTS.md", "Codex")),
    ...(await promptsPlan(tree, "prompts", "Codex")),
    ...(await skillsPlan(tree, "skills")),
    ...(choices.preset === "full" ? await settingsPlan(tree) : []),
  ];
}

/** Plans the import of settings. The approval policy of Codex is imported only if it is stricter. */
async function settingsPlan(tree: ForeignTree): Promise<readonly PlannedImport[]> {
  const text = await tree.text("config.toml");
  if (!text) return [];
  const from = `${tree.root}/config.toml`;
  const read = text.ok ? await readToml(text.value) : text;
  if (!read.ok) return [{ name: "settings", from, kind: "other", skip: read.error }];
  const { model, sandbox_mode: sandbox, approval_policy: policy, model_reasoning_effort: effort } = read.value;
  const efforts: readonly unknown[] = ["minimal", "low", "medium", "high", "xhigh"];
  return [
    ...(sandbox === "read-only"
      ? [{ name: "approvals readonly", from, kind: "setting", path: ["approvals", "mode"], value: "readonly" } as const]
      : []),
    ...(typeof effort === "string" && efforts.includes(effort)
      ? [
          {
            name: `reasoning ${effort}`,
            from,
            kind: "setting",
            path: ["agent", "reasoning_effort"],
            value: effort,
          } as const,
        ]
      : []),
    ...(typeof model === "string"
      ? [{ name: `model ${model}`, from, kind: "other", skip: "choose a model with: hermes setup model" } as const]
      : []),
    ...(policy === "never"
      ? [
          {
            name: "approval_policy never",
            from,
            kind: "other",
            skip: "change it here with: hermes setup agent",
          } as const,
        ]
      : []),
  ];
}
