import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import { type Env, filesOfOriginal, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { flag, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { applyPlan } from "./apply-plan.ts";
import { type ForeignTree, openForeignTree } from "./foreign-tree.ts";
import type { ImportChoices, PlannedImport } from "./import-plan.ts";

interface Program {
  readonly title: string;
  /** The possible folders for a user, best first. */
  folders(user: string, env: Env): readonly string[];
  /** Files whose presence shows that the folder belongs to the program. */
  readonly signs: readonly string[];
  /** The file with its MCP servers. */
  servers(user: string, folder: string): string;
  plan(tree: ForeignTree, choices: ImportChoices): Promise<readonly PlannedImport[]>;
}

const programNames = ["claude-code", "codex", "openclaw"] as const;

const programs: Readonly<Record<(typeof programNames)[number], Program>> = {
  "claude-code": {
    title: "Claude Code",
    folders: (user, env) => [env["CLAUDE_CONFIG_DIR"] || join(user, ".claude")],
    signs: ["CLAUDE.md", "settings.json", "agents", "commands", "skills", "projects"],
    servers: (user) => join(user, ".claude.json"),
    plan: async (tree, choices) => (await import("./plan-claude-code.ts")).planClaudeCode(tree, choices),
  },
  codex: {
    title: "Codex",
    folders: (user, env) => [env["CODEX_HOME"] || join(user, ".codex")],
    signs: ["config.toml", "AGENTS.md", "prompts", "skills"],
    servers: (_user, folder) => join(folder, "config.toml"),
    plan: async (tree, choices) => (await import("./plan-codex.ts")).planCodex(tree, choices),
  },
  openclaw: {
    title: "OpenClaw",
    folders: (user) => [".openclaw", ".clawdbot", ".moltbot"].map((name) => join(user, name)),
    signs: ["openclaw.json", "clawdbot.json", "moltbot.json", "workspace"],
    servers: (_user, folder) => join(folder, "openclaw.json"),
    plan: async (tree, choices) => (await import("./plan-openclaw.ts")).planOpenClaw(tree, choices),
  },
};

const choiceFields = {
  program: oneOf("the program to import from", programNames),
  path: optional(string("the folder of the program; default: its standard location")),
  preset: optional(oneOf("full (default), or user-data: without settings, servers and keys", ["full", "user-data"])),
  overwrite: optional(flag("replace files and settings that exist here")),
  secrets: optional(flag("import keys too")),
  skillConflict: optional(oneOf("for a skill whose name exists here; default: skip", ["skip", "overwrite", "rename"])),
  workspaceTarget: optional(string("the project folder that gets AGENTS.md of a workspace")),
};

/** Imports from other programs, always with a plan first. */
export const programImports = {
  sources: readOperation({
    summary: "Find programs on this machine whose data can be imported",
    needs: ["config"],
    async run(_input, { config }) {
      const user = userFolder(config.env);
      const others = programNames.flatMap((program) => {
        const folder = folderOf(program, config);
        return folder === undefined ? [] : [{ program, title: programs[program].title, folder }];
      });
      const python = [...new Set([config.home.root, join(user, ".hermes")])];
      const originals = await Promise.all(
        python.map(async (folder) => ((await filesOfOriginal(folder)).includes("state.db") ? [folder] : [])),
      );
      return ok({
        sources: [
          ...originals
            .flat()
            .map((folder) => ({ program: "hermes-python" as const, title: "Hermes in Python", folder })),
          ...others,
        ],
      });
    },
  }),

  plan: readOperation({
    summary: "Plan an import from Claude Code, Codex or OpenClaw: what goes where, what is skipped and why",
    input: object(choiceFields),
    needs: ["config", "memory"],
    async run(input, { config, memory }, ctx) {
      const opened = await openProgram(input, config, ctx.cwd);
      if (!opened.ok) return opened;
      const { tree, choices, serversFile } = opened.value;
      const plan = await programs[input.program].plan(tree, choices);
      const deps = { config, memory: memory(ctx.principal), ctx, choices, hasBackup: true, isDryRun: true };
      return ok({
        program: input.program,
        folder: tree.root,
        steps: await applyPlan(plan, deps),
        ...(choices.preset === "full" && existsSync(serversFile) && { serversFile }),
      });
    },
  }),

  apply: writeOperation({
    summary: "Import from Claude Code, Codex or OpenClaw as import.plan shows it; deletes nothing",
    input: object({ ...choiceFields, backup: optional(flag("keep a copy of each replaced file; default: true")) }),
    needs: ["config", "memory"],
    async run({ backup = true, ...input }, { config, memory }, ctx) {
      const opened = await openProgram(input, config, ctx.cwd);
      if (!opened.ok) return opened;
      const { tree, choices } = opened.value;
      const plan = await programs[input.program].plan(tree, choices);
      const deps = { config, memory: memory(ctx.principal), ctx, choices, hasBackup: backup, isDryRun: false };
      return ok({ program: input.program, folder: tree.root, steps: await applyPlan(plan, deps) });
    },
  }),
};

interface ImportRequest {
  readonly program: (typeof programNames)[number];
  readonly path?: string | undefined;
  readonly preset?: "full" | "user-data" | undefined;
  readonly overwrite?: boolean | undefined;
  readonly secrets?: boolean | undefined;
  readonly skillConflict?: ImportChoices["skillConflict"] | undefined;
  readonly workspaceTarget?: string | undefined;
}

async function openProgram(
  request: ImportRequest,
  config: LoadedConfig,
  cwd: string,
): Promise<
  Result<{ readonly tree: ForeignTree; readonly choices: ImportChoices; readonly serversFile: string }, OperationFault>
> {
  const { program, path, preset = "full", overwrite = false, secrets = false, skillConflict = "skip" } = request;
  const { title, servers } = programs[program];
  const folder = path === undefined ? folderOf(program, config) : resolve(cwd, path);
  const tree = folder === undefined ? undefined : await openForeignTree(folder);
  if (!tree || folder === undefined)
    return err({
      message: path === undefined ? `No folder of ${title} was found.` : `${folder} is not a folder.`,
      hint:
        path === undefined ? `Pass its folder: hermes import ${program} FOLDER` : "Pass the folder of its settings.",
      kind: "input",
    });
  const workspace = request.workspaceTarget === undefined ? undefined : resolve(cwd, request.workspaceTarget);
  return ok({
    tree,
    choices: { preset, overwrite, secrets, skillConflict, ...(workspace !== undefined && { workspace }) },
    serversFile: servers(userFolder(config.env), folder),
  });
}

function folderOf(program: (typeof programNames)[number], config: LoadedConfig): string | undefined {
  const { folders, signs } = programs[program];
  const candidates = folders(userFolder(config.env), config.env);
  return candidates.find((folder) => signs.some((sign) => existsSync(join(folder, sign))));
}
