import type { Result } from "../../base/result.ts";

/**
 * Origin of a skill. `agent`: the model created it and the user has not changed it. `user`: all other skills in the
 * home that are neither bundled nor installed.
 */
export type SkillOrigin = "bundled" | "hub" | "agent" | "user" | "project" | "external" | "plugin";

/** The author of a change. `background`: a job that no person is watching. */
export type SkillAuthor = "model" | "background" | "user";

/** A skill in one line. */
export interface SkillCard {
  readonly name: string;
  readonly description: string;
  readonly category?: string;
  readonly origin: SkillOrigin;
  readonly tags: readonly string[];
}

export interface SkillVariable {
  readonly name: string;
  /** The question for the person. */
  readonly prompt: string;
  readonly help?: string;
  readonly requiredFor?: string;
  readonly optional: boolean;
}

export interface SkillSetting {
  /** Below `skills.config`. */
  readonly key: string;
  readonly description: string;
  readonly initial?: string;
}

/** The frontmatter of a SKILL.md. */
export interface SkillHead {
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  readonly license?: string;
  readonly author?: string;
  readonly tags: readonly string[];
  readonly category?: string;
  readonly relatedSkills: readonly string[];
  /** `linux`, `macos`, `windows`; empty: all. */
  readonly platforms: readonly string[];
  /** Backends and surfaces (`docker`, `cli`, `telegram`); empty: all. */
  readonly environments: readonly string[];
  readonly requiresToolsets: readonly string[];
  readonly requiresTools: readonly string[];
  /** Toolsets that it replaces; not offered if they are available. */
  readonly fallbackForToolsets: readonly string[];
  readonly fallbackForTools: readonly string[];
  readonly commands: readonly string[];
  /** MCP servers that it uses, by name. */
  readonly mcpServers?: readonly string[];
  readonly variables: readonly SkillVariable[];
  readonly credentialFiles: readonly { readonly path: string; readonly description: string }[];
  readonly settings: readonly SkillSetting[];
  /** Tools that the author lists; shown before an install. */
  readonly allowedTools: readonly string[];
}

/** A skill on disk. */
export interface FoundSkill extends SkillCard {
  /** Real path of its folder. */
  readonly folder: string;
  readonly head: SkillHead;
  /** Digest of all its files. */
  readonly hash: string;
}

export interface SkillListing {
  readonly skills: readonly SkillCard[];
  /** Skills that are not offered, with the reason. */
  readonly hidden: readonly { readonly name: string; readonly why: string }[];
  readonly categories: readonly string[];
}

export type SkillReadiness = "available" | "setup_needed" | "unsupported";

/** Result of `skill_view`: the skill or one of its files. */
export interface SkillPage {
  readonly card: SkillCard;
  /** Default: SKILL.md. */
  readonly file?: string;
  readonly content: string;
  /** Real path of the folder, for scripts. */
  readonly folder: string;
  readonly relatedSkills: readonly string[];
  /** Files below the folder. */
  readonly linkedFiles: readonly string[];
  readonly readiness: SkillReadiness;
  readonly missing: readonly string[];
  /** The next step for the model. */
  readonly note?: string;
}

/** `several`: the name is ambiguous; `dangerous`: the scan rejected it. */
export interface SkillFault {
  readonly kind: "unknown" | "several" | "dangerous" | "refused" | "invalid" | "staged" | "failed";
  readonly message: string;
}

export type SkillAction = "create" | "edit" | "delete" | "write_file" | "remove_file";

/** One change to one skill, as whole texts. */
export type SkillChange =
  | { readonly action: "create"; readonly name: string; readonly category?: string; readonly content: string }
  /** `basis`: the text that the edit started from; if the file differs now, nothing changes. */
  | { readonly action: "edit"; readonly name: string; readonly content: string; readonly basis?: string }
  | { readonly action: "delete"; readonly name: string; readonly absorbedInto?: string }
  | {
      readonly action: "write_file";
      readonly name: string;
      readonly file: string;
      readonly content: string;
      readonly basis?: string;
    }
  | { readonly action: "remove_file"; readonly name: string; readonly file: string };

export interface SkillChanged {
  readonly skill: string;
  readonly action: SkillAction;
  readonly folder: string;
  /** Number in the history, for `undo`. */
  readonly entry: number;
  /** Unified, all files. */
  readonly diff: string;
}

/** Instructions that the agent loads when a task needs them. Belongs to one session and one author. */
export interface SkillLibrary {
  list(filter: { readonly category?: string }, signal: AbortSignal): Promise<SkillListing>;
  view(name: string, file: string | undefined, signal: AbortSignal): Promise<Result<SkillPage, SkillFault>>;
  /** A file's content for an edit. A background job sees its own pending change. */
  source(
    name: string,
    file: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ readonly text: string; readonly origin: SkillOrigin }, SkillFault>>;
  /**
   * Validates, scans, records and applies a change. A change that the model may not make alone needs approval or waits for
   * it: a fault of kind `staged`.
   */
  change(change: SkillChange, signal: AbortSignal): Promise<Result<SkillChanged, SkillFault>>;
}

/** One entry of a skill's folder, for the scanner. */
export type SkillEntry =
  | { readonly kind: "file"; readonly path: string; readonly bytes: Uint8Array; readonly isExecutable?: boolean }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** A device, a socket, a pipe. */
  | { readonly kind: "other"; readonly path: string };

/** Why a skill must not be loaded. Undefined: it may be loaded. Scans the whole folder, runs nothing, never rejects. */
export type SkillJudge = (entries: readonly SkillEntry[]) => Promise<string | undefined>;

/** Scores of skills: higher is better, 0 is unknown. Never rejects. */
export interface SkillScores {
  scores(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
}

/** Observes skills: usage counters, the curator. Must not throw. */
export interface SkillWatcher {
  happened(
    skill: string,
    what: "viewed" | "used" | SkillAction | "patched",
    by: SkillAuthor,
    /** Undefined outside of a session. */
    session?: string,
  ): void;
}

/** Skills and bundles that a person uses by name. */
export interface NamedSkills {
  /** The usable skills loaded so far. */
  usable(): readonly { readonly name: string; readonly description: string }[];
  /** The prompt text of a skill or bundle that the user invokes. A fault of kind `unknown`: there is no such skill. */
  use(name: string, request: string, signal: AbortSignal): Promise<Result<string, SkillFault>>;
  /** The prompt text for skills used from the start. */
  preload(names: readonly string[], signal: AbortSignal): Promise<Result<string, SkillFault>>;
}
