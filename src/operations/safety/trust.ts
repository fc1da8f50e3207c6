import { existsSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { nearestFile, realFile } from "../../config/sources/project-file.ts";
import { previewProject, type ProjectPreview } from "../../config/sources/project-preview.ts";
import { revokeTrust, trustedFolders, trustFolder } from "../../config/sources/trust.ts";
import { object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { configOutcome } from "../settings/config-fault.ts";

const path = optional(string("A folder of the project or a file of rules; default: the current folder"));

export const operations = {
  list: readOperation({
    summary: "List the trusted folders",
    needs: ["config"],
    async run(_input, { config }) {
      const folders = configOutcome(await trustedFolders(config.home.path));
      return folders.ok ? ok({ folders: folders.value }) : folders;
    },
  }),

  preview: readOperation({
    summary: "Show what a project's settings would change, or the skills that it has",
    input: object({ path }),
    needs: ["config"],
    run: async ({ path: folder = "." }, { config }, { cwd }) => previewOf(config, resolve(cwd, folder)),
  }),

  accept: writeOperation({
    summary: "Trust a project folder with exactly the settings that trust.preview showed",
    input: object({ path, sha256: string("Digest of the settings, from trust.preview") }),
    needs: ["config"],
    async run({ path: folder = ".", sha256: shown }, { config }, { cwd, signal, clock }) {
      const preview = await previewOf(config, resolve(cwd, folder));
      if (!preview.ok) return preview;
      if (preview.value.sha256 !== shown)
        return err({ message: "The project's settings changed meanwhile; nothing was trusted.", hint: "Try again." });
      const trusted = { path: preview.value.path, sha256: shown, trustedAt: clock.now() };
      const written = configOutcome(await trustFolder(config.home.path, trusted, { signal, clock }));
      return written.ok ? preview : written;
    },
  }),

  revoke: writeOperation({
    summary: "Stop trusting a project folder",
    input: object({ path }),
    needs: ["config"],
    async run({ path: given = "." }, { config }, { cwd, signal, clock }) {
      const start = resolve(cwd, given);
      const project = (await readText(start)) === undefined && (await nearestFile(config.env, start, config.home));
      const folder = project ? project.folder : await realpath(start).catch(() => start);
      const revoked = configOutcome(await revokeTrust(config.home.path, folder, { signal, clock }));
      return revoked.ok ? ok({ path: folder, revoked: revoked.value }) : revoked;
    },
  }),
};

export interface TrustPreview extends ProjectPreview {
  /** The folder that would be trusted. */
  readonly path: string;
  /** The project's settings. Undefined: it has none. */
  readonly file?: string;
  /** Skills and agents of a project without settings. */
  readonly skills?: readonly string[];
  readonly agents?: readonly string[];
  /** Sentences in a file of rules that look like an attempt to take over the model. */
  readonly suspicions?: readonly string[];
  readonly isTrusted: boolean;
}

async function previewOf(config: LoadedConfig, start: string): Promise<Result<TrustPreview, OperationFault>> {
  const text = await readText(start);
  if (text !== undefined) return previewText(config, start, text);
  const project = await nearestFile(config.env, start, config.home);
  if (project === undefined) return previewSkills(config, start);
  const { file, folder } = project;
  const fault = await realFile(file, folder);
  if (fault !== undefined) return err({ message: `${file} ${fault}; it cannot be trusted.` });
  const { projectFile } = config;
  if (projectFile.state === "trusted" && projectFile.file === file)
    return ok({
      path: folder,
      file,
      sha256: sha256(projectFile.bytes),
      changes: [],
      refused: [],
      isTrusted: true,
    });
  const preview = configOutcome(await previewProject(config, file));
  return preview.ok ? ok({ path: folder, file, ...preview.value, isTrusted: false }) : preview;
}

async function readText(path: string): Promise<string | undefined> {
  const isFile = await stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
  return isFile ? readFile(path, "utf8") : undefined;
}

/** A file of rules is trusted by its text. */
async function previewText(
  config: LoadedConfig,
  start: string,
  text: string,
): Promise<Result<TrustPreview, OperationFault>> {
  const { judgeRules } = await import("../../runtime/prompt/judge-text.ts");
  const path = await realpath(start);
  const { sha256: digest, suspicions } = await judgeRules(path, text);
  const trusted = configOutcome(await trustedFolders(config.home.path));
  if (!trusted.ok) return trusted;
  const isTrusted = trusted.value.some((each) => each.path === path && each.sha256 === digest);
  return ok({ path, sha256: digest, changes: [], refused: [], suspicions, isTrusted });
}

async function previewSkills(config: LoadedConfig, start: string): Promise<Result<TrustPreview, OperationFault>> {
  const { projectSkills } = await import("../../runtime/knowledge/skill-folders.ts");
  const { folder, names } = await projectSkills(config, start);
  const { projectAgents } = await import("../../runtime/agents/agent-definitions.ts");
  const agents = folder === undefined ? [] : projectAgents(config, folder);
  const isEmpty = (root: string) => ![".hermes/plugins", "package.json"].some((name) => existsSync(join(root, name)));
  if (folder === undefined || (names.length === 0 && agents.length === 0 && isEmpty(folder)))
    return err({
      message: `There is no .hermes/config.yaml in ${start} or its repository, and there are no skills, agents and plugins.`,
      hint: "Nothing needs to be trusted there.",
    });
  return ok({ path: folder, sha256: sha256(""), changes: [], refused: [], skills: names, agents, isTrusted: false });
}
