import { oneLine } from "../../base/text/text.ts";
import type { OutputOf } from "../../operations/catalog.ts";
import { visible } from "./ask-approval.ts";
import type { CliContext } from "./command.ts";

type Inspected = OutputOf<"hub.inspect">;

/** A published skill before its installation: description, requirements and scan results. */
export function inspectedText(skill: Inspected, ctx: CliContext): string {
  const { permissions: wants, offer } = skill;
  const row = (what: string, list: readonly string[]) =>
    list.length === 0
      ? []
      : [`  ${ctx.paint.dim(what)} ${visible(list.slice(0, 30).join(", "))}${list.length > 30 ? ", …" : ""}`];
  return [
    `${ctx.paint.bold(skill.name)}${offer.version === undefined ? "" : ` ${visible(offer.version)}`}  ${visible(oneLine(skill.description, 300))}`,
    `  ${ctx.paint.dim("from")} ${visible(offer.id)} (${skill.trust})`,
    ...row("tools", wants.tools),
    ...row("variables", wants.variables),
    ...row("credential files", wants.credentialFiles),
    ...row("programs", wants.programs),
    ...row("scripts", wants.scripts),
    ...row("hosts", wants.hosts),
    ...row("files", wants.files),
    `  ${ctx.paint.dim("scan:")} ${verdictText(skill, ctx)}`,
    ...findingLines(skill),
  ].join("\n");
}

export function verdictText({ verdict }: Pick<Inspected, "verdict">, { paint }: CliContext): string {
  return verdict === "safe" ? paint.good(verdict) : verdict === "caution" ? paint.warn(verdict) : paint.bad(verdict);
}

export function findingLines({ findings }: Pick<Inspected, "findings">): readonly string[] {
  return findings
    .slice(0, 12)
    .map(
      ({ severity, rule, where, excerpt }) =>
        `    ${severity}: ${rule}, ${visible(where)}${excerpt === undefined ? "" : `: ${visible(oneLine(excerpt, 100))}`}`,
    );
}
