export type FindingClass =
  | "exfiltration"
  | "injection"
  | "destructive"
  | "persistence"
  | "network"
  | "obfuscation"
  | "execution"
  | "traversal"
  | "mining"
  | "supply_chain"
  | "privilege_escalation"
  | "credential_exposure"
  | "structure";

export type Severity = "critical" | "high" | "medium";

export interface SkillFinding {
  readonly class: FindingClass;
  readonly severity: Severity;
  readonly rule: string;
  readonly path: string;
  /** From 1; left out when it is about the whole entry. */
  readonly line?: number;
  /** The place as it stands there, shortened. */
  readonly excerpt?: string;
}

/** `dangerous`: something in it is critical. `caution`: something is high. */
export type SkillVerdict = "safe" | "caution" | "dangerous";

export interface SkillScan {
  readonly verdict: SkillVerdict;
  /** The worst first, then by place. */
  readonly findings: readonly SkillFinding[];
}

export type ScriptLanguage = "python" | "javascript" | "perl" | "ruby" | "php" | "lua";

/** A finding of another judge in a piece of a skill: the rule, the decisive words, and their offset if known. */
export interface JudgedPiece {
  readonly rule: string;
  readonly words: string;
  readonly start?: number;
}

/** Who judges the pieces. None of them runs anything, and none throws. */
export interface SkillJudges {
  command(text: string): readonly JudgedPiece[];
  code(language: ScriptLanguage, text: string): readonly JudgedPiece[];
  /** Orders to the model that its user did not give. */
  prose(text: string): readonly JudgedPiece[];
  keys(text: string): readonly JudgedPiece[];
}
