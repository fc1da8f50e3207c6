import type { SkillEntry, SkillHead } from "../../contracts/knowledge/skill.ts";

/** What a skill asks for and brings along, as far as it says so and can be seen: shown before it is installed. */
export interface SkillPermissions {
  readonly tools: readonly string[];
  /** Variables that commands would see. */
  readonly variables: readonly string[];
  readonly credentialFiles: readonly string[];
  readonly programs: readonly string[];
  readonly scripts: readonly string[];
  /** Hosts that its texts name. */
  readonly hosts: readonly string[];
  readonly files: readonly string[];
}

export function permissionsOf(head: SkillHead, entries: readonly SkillEntry[]): SkillPermissions {
  const files = entries.map(({ path }) => path);
  const texts = entries.flatMap((entry) => (entry.kind === "file" ? Buffer.from(entry.bytes).toString("utf8") : []));
  const hosts = texts.flatMap((text) =>
    Array.from(text.matchAll(/https?:\/\/([\w.-]+)/giu), ([, host = ""]) => host.toLowerCase()),
  );
  return {
    tools: head.allowedTools,
    variables: head.variables.map(({ name }) => name),
    credentialFiles: head.credentialFiles.map(({ path }) => path),
    programs: head.commands,
    scripts: entries.flatMap((entry) => (entry.kind === "file" && isScript(entry) ? [entry.path] : [])),
    hosts: [...new Set(hosts)].toSorted(),
    files,
  };
}

function isScript({ path, bytes, isExecutable }: Extract<SkillEntry, { readonly kind: "file" }>): boolean {
  return isExecutable === true || path.startsWith("scripts/") || (bytes[0] === 0x23 && bytes[1] === 0x21);
}
