import type { Result } from "../base/result.ts";

export interface SkillCard {
  readonly name: string;
  readonly description: string;
  readonly category?: string;
}

/** Instructions the agent loads when a task calls for them. */
export interface SkillLibrary {
  list(): Promise<readonly SkillCard[]>;
  read(name: string, file?: string): Promise<Result<string, { readonly message: string }>>;
}
