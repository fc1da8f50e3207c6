import type { SkillVerdict } from "./skill-scan.ts";

/** The origin of a skill. `trusted`: a source that reviews what it publishes. `agent`: the model wrote it. */
export type SkillTrust = "builtin" | "trusted" | "community" | "agent";

/** `force`: blocked unless the user forces it. */
export type SkillDecision = "allow" | "ask" | "force" | "block";

/** The trust in a source that is named as `owner/repository`. */
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

/** Whether a skill may be installed or stored. A dangerous community skill cannot be forced. */
export function decideSkill(trust: SkillTrust, verdict: SkillVerdict): SkillDecision {
  return decisions[trust][verdict];
}

const decisions: Readonly<Record<SkillTrust, Readonly<Record<SkillVerdict, SkillDecision>>>> = {
  builtin: { safe: "allow", caution: "allow", dangerous: "allow" },
  trusted: { safe: "allow", caution: "allow", dangerous: "block" },
  community: { safe: "allow", caution: "force", dangerous: "block" },
  agent: { safe: "allow", caution: "allow", dangerous: "ask" },
};
