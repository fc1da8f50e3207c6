import type { SkillVerdict } from "./skill-scan.ts";

/** The origin of a skill. `trusted`: a source that reviews what it publishes. `agent`: the model wrote the skill. */
export type SkillTrust = "builtin" | "trusted" | "community" | "agent";

/** `force`: the skill is blocked unless the user forces the installation. */
export type SkillDecision = "allow" | "ask" | "force" | "block";

/** Returns the trust in a source of the form `owner/repository`. */
export function trustOfSource(source: string): "trusted" | "community" {
  return trustedSources.has(source.toLowerCase()) ? "trusted" : "community";
}

const trustedSources: ReadonlySet<string> = new Set([
  "openai/skills",
  "anthropics/skills",
  "huggingface/skills",
  "nvidia/skills",
  "nousresearch/hermes-agent",
]);

/** Returns whether a skill may be installed or stored. A dangerous community skill cannot be forced. */
export function decideSkill(trust: SkillTrust, verdict: SkillVerdict): SkillDecision {
  return decisions[trust][verdict];
}

const decisions: Readonly<Record<SkillTrust, Readonly<Record<SkillVerdict, SkillDecision>>>> = {
  builtin: { safe: "allow", caution: "allow", dangerous: "allow" },
  trusted: { safe: "allow", caution: "allow", dangerous: "block" },
  community: { safe: "allow", caution: "force", dangerous: "block" },
  agent: { safe: "allow", caution: "allow", dangerous: "ask" },
};
