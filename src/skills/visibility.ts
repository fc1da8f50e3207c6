import type { SkillHead } from "../contracts/knowledge/skill.ts";

/** The environment that a skill's conditions are checked against. */
export interface SkillSurroundings {
  /** The system: `linux`, `macos` or `windows`. */
  readonly platform: string;
  /** The backend and the surface: `docker`, `cli`. */
  readonly environments: readonly string[];
  hasTool(name: string): boolean;
  hasToolset(name: string): boolean;
  readonly disabled: readonly string[];
}

/** Returns why a skill is not offered; undefined if it is. */
export function hiddenReason(head: SkillHead, surroundings: SkillSurroundings): string | undefined {
  const { platforms, environments } = head;
  if (surroundings.disabled.includes(head.name)) return "it is disabled in the settings (skills.disabled)";
  if (platforms.length > 0 && !platforms.includes(surroundings.platform)) return `it is for ${platforms.join(", ")}`;
  if (environments.length > 0 && !environments.some((name) => surroundings.environments.includes(name)))
    return `it is for ${environments.join(", ")}`;
  const lacking = [
    ...head.requiresToolsets.filter((name) => !surroundings.hasToolset(name)),
    ...head.requiresTools.filter((name) => !surroundings.hasTool(name)),
  ];
  if (lacking.length > 0) return `it needs ${lacking.join(", ")}`;
  const better = [
    ...head.fallbackForToolsets.filter((name) => surroundings.hasToolset(name)),
    ...head.fallbackForTools.filter((name) => surroundings.hasTool(name)),
  ];
  return better.length > 0 ? `${better.join(", ")} is available, which it replaces` : undefined;
}

/** The name that skills use for this system. */
export function platformName(platform: string): string {
  return platform === "darwin" ? "macos" : platform === "win32" ? "windows" : platform;
}
