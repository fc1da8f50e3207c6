import { oneLine } from "../base/text.ts";
import type { Verdict } from "../contracts/approval.ts";
import type { Policy } from "../contracts/dispatch.ts";
import { describeEffect, type Effect } from "../contracts/effect.ts";

/**
 * Lets calls read, and a person do what they typed. Everything else is denied: there is nobody to ask, and nothing that
 * could judge.
 */
export const readsOnlyPolicy: Policy = {
  async decide({ tool, effects, origin, askedBy = [] }): Promise<Verdict> {
    if (origin === "user") return { decision: "allow" };
    const changes = effects.filter((effect) => effect.kind !== "read");
    if (changes.length > 0) {
      return {
        decision: "deny",
        rule: "reads-only",
        reason: `Denied: ${tool} ${listed(changes)}. Only reading is allowed without a person to approve. ${wayOut(tool)}`,
      };
    }
    const [asked] = askedBy;
    if (!asked) return { decision: "allow" };
    return {
      decision: "deny",
      rule: "reads-only",
      reason: `Denied: ${asked.hook} wants a person to decide about ${tool} (${asked.reason}), and nobody is here to ask. ${wayOut(tool)}`,
    };
  },
};

const shown = 3;
const effectChars = 200;

function listed(changes: readonly Effect[]): string {
  const described = changes.slice(0, shown).map((effect) => oneLine(describeEffect(effect), effectChars));
  const more = changes.length - described.length;
  return described.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function wayOut(tool: string): string {
  return `A person can run it with: hermes tools call ${tool}`;
}
