import { existsSync } from "node:fs";
import { join, relative } from "node:path";

import { agentFileNames, type AgentFiles, type AgentFolder, readAgentFiles } from "../../agents/files/agent-files.ts";
import { resolveFolder } from "../../base/files/open-beneath.ts";
import { isInside } from "../../base/files/path.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import { bundledFolder, isTrusted } from "../knowledge/skill-folders.ts";
import { createJudge } from "../prompt/judge-text.ts";

export interface AgentDefinitions extends AgentFiles {
  /** True if the project has agents but the user does not trust it. */
  readonly untrusted?: string;
}

const projectFolders: readonly string[] = [join(".hermes", "agents"), join(".claude", "agents")];

/** Where a new agent file belongs. Undefined: the folder is not in a project. */
export async function newAgentFolder(
  config: LoadedConfig,
  cwd: string,
  isShared: boolean,
): Promise<string | undefined> {
  if (!isShared) return ownFolder(config);
  const { root } = await workspaceOf(cwd, userFolder(config.env));
  return root === undefined ? undefined : join(root, ".hermes", "agents");
}

/** The agents that sessions in this folder can start: those of the home, of the trusted project, and the bundled ones. */
export async function agentDefinitions(config: LoadedConfig, cwd: string): Promise<AgentDefinitions> {
  const { values, home, env, projectFile } = config;
  const { root } = await workspaceOf(cwd, userFolder(env));
  const project = root === undefined ? [] : folders(root, home.root);
  const trusted = root !== undefined && project.length > 0 && (await isTrusted(home.path, projectFile, root));
  const files = await readAgentFiles(
    [
      { path: ownFolder(config), source: "home" },
      ...(trusted ? project : []),
      { path: bundledFolder("agents"), source: "bundled" },
    ],
    {
      judge: createJudge(home.path),
      modelFault: (model, source) =>
        source !== "project" || values.delegation.models.includes(model)
          ? undefined
          : `model: the settings do not allow ${model} (delegation.models); it uses the model of its parent.`,
    },
  );
  return { ...files, ...(project.length > 0 && !trusted && root !== undefined && { untrusted: root }) };
}

/** Files of the agents of a project, for the user who decides whether to trust them. */
export function projectAgents({ home }: LoadedConfig, workspace: string): readonly string[] {
  return folders(workspace, home.root).flatMap(({ path }) =>
    agentFileNames(path).map((name) => relative(workspace, join(path, name))),
  );
}

function folders(workspace: string, home: string): readonly AgentFolder[] {
  return projectFolders
    .map((name) => join(workspace, name))
    .filter((path) => existsSync(path) && !isInside(resolveFolder(home), resolveFolder(path)))
    .map((path) => ({ path, source: "project", within: workspace }));
}

/** The folder of the user's own agents. */
function ownFolder({ home }: LoadedConfig): string {
  return join(home.path, homeFiles.agents);
}
