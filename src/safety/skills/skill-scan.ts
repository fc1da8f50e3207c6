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
  /** Line number from 1. Undefined: the finding is about the whole entry. */
  readonly line?: number;
  /** The original text, shortened. */
  readonly excerpt?: string;
}

/** `dangerous`: has a critical finding. `caution`: has a high one. */
export type SkillVerdict = "safe" | "caution" | "dangerous";

export interface SkillScan {
  readonly verdict: SkillVerdict;
  /** Most severe first, then by position. */
  readonly findings: readonly SkillFinding[];
}

export type ScriptLanguage = "python" | "javascript" | "perl" | "ruby" | "php" | "lua";

/** A finding of another judge in a piece of a skill: the rule, the decisive words, and their offset if known. */
export interface JudgedPiece {
  readonly rule: string;
  readonly words: string;
  readonly start?: number;
}

/** Functions that check pieces. They run nothing and never throw. */
export interface SkillJudges {
  command(text: string): readonly JudgedPiece[];
  code(language: ScriptLanguage, text: string): readonly JudgedPiece[];
  /** Instructions to the model that its user did not give. */
  prose(text: string): readonly JudgedPiece[];
  keys(text: string): readonly JudgedPiece[];
}
