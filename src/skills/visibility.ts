import type { SkillHead } from "../contracts/knowledge/skill.ts";

/** What a skill's conditions are held against. */
export interface SkillSurroundings {
  /** `linux`, `macos`, `windows`. */
  readonly platform: string;
  /** The backend and the surface: `docker`, `cli`. */
  readonly environments: readonly string[];
  hasTool(name: string): boolean;
  hasToolset(name: string): boolean;
  readonly disabled: readonly string[];
}

/** Why a skill is not offered here; nothing when it is. */
export function whyHidden(head: SkillHead, at: SkillSurroundings): string | undefined {
  const { platforms, environments } = head;
  if (at.disabled.includes(head.name)) return "it is disabled in the settings (skills.disabled)";
  if (platforms.length > 0 && !platforms.includes(at.platform)) return `it is for ${platforms.join(", ")}`;
  if (environments.length > 0 && !environments.some((name) => at.environments.includes(name)))
    return `it is for ${environments.join(", ")}`;
  const lacking = [
    ...head.requiresToolsets.filter((name) => !at.hasToolset(name)),
    ...head.requiresTools.filter((name) => !at.hasTool(name)),
  ];
  if (lacking.length > 0) return `it needs ${lacking.join(", ")}`;
  const better = [
    ...head.fallbackForToolsets.filter((name) => at.hasToolset(name)),
    ...head.fallbackForTools.filter((name) => at.hasTool(name)),
  ];
  return better.length > 0 ? `${better.join(", ")} is there, which it stands in for` : undefined;
}

/** As skills call this system. */
export function platformName(platform: string): string {
  return platform === "darwin" ? "macos" : platform === "win32" ? "windows" : platform;
}
