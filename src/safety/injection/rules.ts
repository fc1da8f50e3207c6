import { exfiltrationRules } from "./exfiltration-rules.ts";
import { markupRules } from "./markup-rules.ts";
import type { InjectionRule } from "./rule.ts";
import { takeoverRules } from "./takeover-rules.ts";
import { tamperingRules } from "./tampering-rules.ts";

export const injectionRules: readonly InjectionRule[] = [
  ...takeoverRules,
  ...exfiltrationRules,
  ...tamperingRules,
  ...markupRules,
];
