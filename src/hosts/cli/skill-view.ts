import { oneLine } from "../../base/text/text.ts";
import type { HubVerdict, InspectedSkill } from "../../runtime/knowledge/open-hub.ts";
import { visible } from "./ask-approval.ts";
import type { CliContext } from "./command.ts";

/** A skill of others before it is installed: what it is, what it asks for, what was found in it. */
export function inspectedText(skill: InspectedSkill, ctx: CliContext): string {
  const { permissions: wants, offer, verdict } = skill;
  const row = (what: string, list: readonly string[]) =>
    list.length === 0
      ? []
      : [`  ${ctx.paint.dim(what)} ${visible(list.slice(0, 30).join(", "))}${list.length > 30 ? ", …" : ""}`];
  return [
    `${ctx.paint.bold(skill.name)}${offer.version === undefined ? "" : ` ${visible(offer.version)}`}  ${visible(oneLine(skill.description, 300))}`,
    `  ${ctx.paint.dim("from")} ${visible(offer.id)} (${verdict.trust})`,
    ...row("tools", wants.tools),
    ...row("variables", wants.variables),
    ...row("credential files", wants.credentialFiles),
    ...row("programs", wants.programs),
    ...row("scripts", wants.scripts),
    ...row("hosts", wants.hosts),
    ...row("files", wants.files),
    `  ${ctx.paint.dim("looked through:")} ${verdictText(verdict, ctx)}`,
    ...findingLines(verdict),
  ].join("\n");
}

export function verdictText({ verdict }: HubVerdict, { paint }: CliContext): string {
  return verdict === "safe" ? paint.good(verdict) : verdict === "caution" ? paint.warn(verdict) : paint.bad(verdict);
}

export function findingLines({ findings }: HubVerdict): readonly string[] {
  return findings
    .slice(0, 12)
    .map(
      ({ severity, rule, where, excerpt }) =>
        `    ${severity}: ${rule}, ${visible(where)}${excerpt === undefined ? "" : `: ${visible(oneLine(excerpt, 100))}`}`,
    );
}

export function inspectedData({ offer, name: skill, description, hash, permissions, verdict, diff }: InspectedSkill) {
  const lists = Object.fromEntries(
    Object.entries(permissions).map(([key, value]: [string, readonly string[]]) => [key, [...value]]),
  );
  const { findings, ...judged } = verdict;
  return {
    offer: { ...offer },
    name: skill,
    description,
    hash,
    permissions: lists,
    ...judged,
    findings: findings.map((each) => ({ ...each })),
    diff,
  };
}
