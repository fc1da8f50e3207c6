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
  /** The line number, starting at 1. Undefined if the finding is about the whole entry. */
  readonly line?: number;
  /** The original text, shortened. */
  readonly excerpt?: string;
}

/** `dangerous`: there is a critical finding. `caution`: there is a high one. */
export type SkillVerdict = "safe" | "caution" | "dangerous";

export interface SkillScan {
  readonly verdict: SkillVerdict;
  /** The findings, the most severe first, then by position. */
  readonly findings: readonly SkillFinding[];
}

export type ScriptLanguage = "python" | "javascript" | "perl" | "ruby" | "php" | "lua";

/** A finding of another check in a part of a skill: the rule, the decisive words, and their offset if known. */
export interface JudgedPiece {
  readonly rule: string;
  readonly words: string;
  readonly start?: number;
}

/** Functions that check parts of a skill. They run nothing and never throw. */
export interface SkillJudges {
  command(text: string): readonly JudgedPiece[];
  code(language: ScriptLanguage, text: string): readonly JudgedPiece[];
  /** Finds instructions to the model that its user did not give. */
  prose(text: string): readonly JudgedPiece[];
  keys(text: string): readonly JudgedPiece[];
}
