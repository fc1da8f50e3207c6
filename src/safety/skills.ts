import type { SkillEntry } from "../contracts/knowledge/skill.ts";
import type { SkillFinding, SkillScan } from "./skills/skill-scan.ts";
import type { SkillDecision, SkillTrust } from "./skills/skill-trust.ts";

/** The user for whom a skill is judged. */
export interface SkillUser {
  readonly home: string;
  readonly user: string;
}

/** A finding with its file and line in one text. */
export type ShownFinding = Pick<SkillFinding, "severity" | "rule" | "excerpt"> & { readonly where: string };

/** A third-party skill, scanned before it is installed. */
export interface PublishedSkillVerdict extends Pick<SkillScan, "verdict"> {
  readonly trust: SkillTrust;
  readonly decision: SkillDecision;
  readonly findings: readonly ShownFinding[];
}

/** The scan of a plugin. The result is only advice: the sandbox limits the plugin, and the person decides. */
export interface PluginVerdict extends Pick<SkillScan, "verdict"> {
  readonly findings: readonly ShownFinding[];
}

/** Scans a skill and decides by the trust in its publisher. The first call loads the scanner. */
export async function judgePublishedSkill(
  entries: readonly SkillEntry[],
  publisher: string,
  by: SkillUser,
): Promise<PublishedSkillVerdict> {
  const [{ verdict, findings }, { decideSkill, trustOfSource: trustIn }] = await Promise.all([
    scan(entries, by),
    import("./skills/skill-trust.ts"),
  ]);
  const trust = trustIn(publisher);
  return {
    trust,
    verdict,
    decision: decideSkill(trust, verdict),
    findings: findings.map(shown),
  };
}

/** Scans a third-party plugin with the rules for skills, except those about the size and the files of a skill. */
export async function judgePublishedPlugin(entries: readonly SkillEntry[], by: SkillUser): Promise<PluginVerdict> {
  const [{ findings: all }, { verdictOf }] = await Promise.all([scan(entries, by), import("./skills/scan-skill.ts")]);
  const findings = all.filter(({ rule }) => !onlyForSkills.has(rule));
  return { verdict: verdictOf(findings), findings: findings.map(shown) };
}

const onlyForSkills: ReadonlySet<string> = new Set(["too_many_files", "too_large", "file_too_large", "no_skill_file"]);

function shown({ severity, rule, path, line, excerpt }: SkillFinding): ShownFinding {
  return {
    severity,
    rule,
    where: line === undefined ? path : `${path}:${line}`,
    ...(excerpt !== undefined && { excerpt }),
  };
}

/** Returns why a skill must not be loaded, or undefined if it may be. The first call loads the scanner. */
export async function skillDanger(entries: readonly SkillEntry[], by: SkillUser): Promise<string | undefined> {
  const { verdict, findings } = await scan(entries, by);
  if (verdict !== "dangerous") return undefined;
  const [worst] = findings;
  const path = worst && /^[\w./-]{1,80}$/u.test(worst.path) ? worst.path : "a file";
  const where = worst ? ` (${path}${worst.line === undefined ? "" : `:${worst.line}`}: ${worst.rule})` : "";
  // The model reads this reason, so it must not quote the skill.
  return `it looks dangerous${where}`;
}

async function scan(entries: readonly SkillEntry[], { home, user }: SkillUser): Promise<SkillScan> {
  const [{ scanSkill }, { skillJudges }] = await Promise.all([
    import("./skills/scan-skill.ts"),
    import("./skills/skill-judges.ts"),
  ]);
  // The project is unknown here; most projects are below the user's folder.
  const start = { cwd: `${home}/project`, home, user, functions: {}, aliases: {}, variables: {} };
  return scanSkill(entries, skillJudges(start));
}
