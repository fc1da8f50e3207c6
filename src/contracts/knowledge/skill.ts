import type { Result } from "../../base/result.ts";

/**
 * Origin of a skill. `agent`: the model created it and the user has not changed it. `user`: all other skills in the
 * home that are neither bundled nor installed.
 */
export type SkillOrigin = "bundled" | "hub" | "agent" | "user" | "project" | "external" | "plugin";

/** The author of a change. `background`: a job that no person is watching. */
export type SkillAuthor = "model" | "background" | "user";

/** The name, description and origin of a skill, as shown in one line of a list. */
export interface SkillCard {
  readonly name: string;
  readonly description: string;
  readonly category?: string;
  readonly origin: SkillOrigin;
  readonly tags: readonly string[];
}

export interface SkillVariable {
  readonly name: string;
  /** The question that asks the user for the value. */
  readonly prompt: string;
  readonly help?: string;
  readonly requiredFor?: string;
  readonly optional: boolean;
}

export interface SkillSetting {
  /** The key of the setting, relative to `skills.config`. */
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
  /** Supported operating systems: `linux`, `macos`, `windows`. Empty: all. */
  readonly platforms: readonly string[];
  /** Supported backends and surfaces (`docker`, `cli`, `telegram`). Empty: all. */
  readonly environments: readonly string[];
  readonly requiresToolsets: readonly string[];
  readonly requiresTools: readonly string[];
  /** Toolsets that the skill replaces. If they are available, the skill is not offered. */
  readonly fallbackForToolsets: readonly string[];
  readonly fallbackForTools: readonly string[];
  readonly commands: readonly string[];
  /** Names of the MCP servers that the skill uses. */
  readonly mcpServers?: readonly string[];
  readonly variables: readonly SkillVariable[];
  readonly credentialFiles: readonly { readonly path: string; readonly description: string }[];
  readonly settings: readonly SkillSetting[];
  /** Tools that the author declares. The user sees them before an install. */
  readonly allowedTools: readonly string[];
}

/** A skill on disk. */
export interface FoundSkill extends SkillCard {
  /** The real path of the skill's folder. */
  readonly folder: string;
  readonly head: SkillHead;
  /** A digest of all files of the skill. */
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
  /** The path of the returned file. Default: SKILL.md. */
  readonly file?: string;
  readonly content: string;
  /** The real path of the skill's folder, for running its scripts. */
  readonly folder: string;
  readonly relatedSkills: readonly string[];
  /** Files below the folder. */
  readonly linkedFiles: readonly string[];
  readonly readiness: SkillReadiness;
  readonly missing: readonly string[];
  /** Tells the model what to do next. */
  readonly note?: string;
}

/** `several`: the name is ambiguous. `dangerous`: the security scan rejected the skill. */
export interface SkillFault {
  readonly kind: "no_skill" | "unknown" | "several" | "dangerous" | "refused" | "invalid" | "staged" | "failed";
  readonly message: string;
}

export type SkillAction = "create" | "edit" | "delete" | "write_file" | "remove_file";

/** A change of one skill; each changed file is given as its complete text. */
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
  /** The number of the change in the history, used by `undo`. */
  readonly entry: number;
  /** A unified diff of all files. */
  readonly diff: string;
}

/**
 * Skills are instructions that the agent loads when a task needs them. This object belongs to one session and one
 * author.
 */
export interface SkillLibrary {
  list(filter: { readonly category?: string }, signal: AbortSignal): Promise<SkillListing>;
  view(name: string, file: string | undefined, signal: AbortSignal): Promise<Result<SkillPage, SkillFault>>;
  /** Returns a file's content for an edit. A background job gets the version with its own pending change. */
  source(
    name: string,
    file: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ readonly text: string; readonly origin: SkillOrigin }, SkillFault>>;
  /**
   * Validates, scans, records and applies a change. A change that the model may not make alone needs approval; if it
   * has to wait, the result is a fault of kind `staged`.
   */
  change(change: SkillChange, signal: AbortSignal): Promise<Result<SkillChanged, SkillFault>>;
}

/** One entry of a skill's folder, for the scanner. */
export type SkillEntry =
  | { readonly kind: "file"; readonly path: string; readonly bytes: Uint8Array; readonly isExecutable?: boolean }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** A device, a socket, a pipe. */
  | { readonly kind: "other"; readonly path: string };

/**
 * Returns the reason why a skill must not be loaded, or undefined if it may be loaded. Scans the whole folder, runs
 * nothing, never rejects.
 */
export type SkillJudge = (entries: readonly SkillEntry[]) => Promise<string | undefined>;

/** Scores of skills: higher is better, 0 is unknown. Never rejects. */
export interface SkillScores {
  scores(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
}

/** Receives the use of skills, for usage counters and the curator. Must not throw. */
export interface SkillWatcher {
  happened(
    skill: string,
    what: "viewed" | "used" | SkillAction | "patched",
    by: SkillAuthor,
    /** Undefined outside of a session. */
    session?: string,
  ): void;
}

/** Skills and skill bundles that a user invokes by name. */
export interface NamedSkills {
  /** The usable skills that have been loaded so far. */
  usable(): readonly { readonly name: string; readonly description: string }[];
  /**
   * Returns the prompt text of a skill or bundle that the user invokes. A fault of kind `unknown` means that the skill
   * does not exist.
   */
  use(name: string, request: string, signal: AbortSignal): Promise<Result<string, SkillFault>>;
  /** Returns the prompt text of the skills that a session uses from its start. */
  preload(names: readonly string[], signal: AbortSignal): Promise<Result<string, SkillFault>>;
}
