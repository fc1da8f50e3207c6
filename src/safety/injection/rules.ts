import { commandRules } from "./command-rules.ts";
import { markupRules } from "./markup-rules.ts";
import type { InjectionRule } from "./rule.ts";

export const injectionRules: readonly InjectionRule[] = [...commandRules, ...markupRules];
