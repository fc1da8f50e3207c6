import type { LoadedConfig } from "../../config/load.ts";
import type { Asker, SecretAsker } from "../../contracts/host/ports.ts";
import type { SkillAuthor } from "../../contracts/knowledge/skill.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { CatalogView } from "../../contracts/tool/tool-index.ts";
import { platformName, type SkillSurroundings } from "../../skills/visibility.ts";
import type { CredentialFile } from "../environment/credential-files.ts";

/** The context in which skills are used: a session, or the user at the terminal. */
export interface SkillContext {
  readonly author: SkillAuthor;
  readonly sessionId?: string;
  /** The available tools. Undefined: no skill is hidden because of missing tools. */
  readonly catalog?: CatalogView;
  readonly backend: string;
  /** The real path of the project folder. */
  readonly workspace?: string;
  /** The source of the session: `cli`, `telegram`. */
  readonly source: string;
  readonly asker?: Asker;
  readonly secretAsker?: SecretAsker;
  /** Masks this value from now on. */
  readonly hide?: (secret: string) => void;
  /** Collects variables and files for commands. Undefined: commands get none. */
  readonly grants?: SkillGrants;
  /** Runs a command embedded in a skill, through the policy. */
  readonly inlineShell?: (command: string, signal: AbortSignal) => Promise<string>;
}

/**
 * Variables and files that commands of a session receive because of its skills: granted by the user, or named by
 * trusted skills.
 */
export interface SkillGrants {
  readonly variables: Map<string, string>;
  /** Files by name. */
  readonly files: Map<string, CredentialFile>;
}

export function createSkillGrants(): SkillGrants {
  return { variables: new Map(), files: new Map() };
}

/** Facts that the conditions of skills are checked against. `toolsIn`: the tools of a toolset. */
export function skillSurroundings(
  { values }: Pick<LoadedConfig, "values">,
  { catalog, backend, source }: Pick<SkillContext, "catalog" | "backend" | "source">,
  toolsIn: ((toolset: string) => ReadonlySet<string> | undefined) | undefined,
): SkillSurroundings {
  const hasTool = (name: string) => catalog?.has(name) ?? true;
  return {
    platform: platformName(process.platform),
    environments: [backend, source],
    hasTool,
    hasToolset: (name) => !catalog || [...(toolsIn?.(name) ?? [])].some(hasTool),
    disabled: [...values.skills.disabled, ...(values.skills.platform_disabled[source] ?? [])],
  };
}

/** Whether the skill tools are deferred: found by search instead of being sent. */
export function isDeferred({ catalog }: Pick<SkillContext, "catalog">): boolean {
  if (!catalog || !("definitions" in catalog)) return false;
  const { definitions } = catalog as Pick<Catalog, "definitions">;
  return !definitions.some(({ name }) => name === "skill_view");
}

/** A notice for the user about a skill that must not be used. */
export function dangerNotice(name: string, danger: string): string {
  return `The skill ${name} is not loaded: ${danger}. \`hermes skills allow ${name}\` loads it anyway, in its current form.`;
}
