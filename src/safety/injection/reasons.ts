import { numberOf } from "./meanings.ts";
import type { Part } from "./parts.ts";
import type { Tokens } from "./tokens.ts";

/** What words demand: the first rule all of whose meanings are among them. */
export function reasonOf({ meanings }: Tokens, { first, end }: Part): string | undefined {
  const said = new Set(meanings.slice(first, end).flat());
  return reasons.find(({ needs }) => needs.every((names) => names.some((name) => said.has(name))))?.rule;
}

/** `A|B C`: A or B, and C. */
const reasons = Object.entries({
  hand_over_secrets: ["SECRETFILE SEND|REVEAL|COLLECT|OUT", "SECRET SEND1|SENT|LEAK OUT|YOUR|ALL", "SECRET LEAK"],
  instruction_override: [
    "IGNORE|IGNORED RULES|INSTR|PRIOR|EVERYTHING",
    "REPLACE RULES|INSTR YOUR|PRIOR|ALL",
    "PRECEDENCE RULES|PRIOR",
    "IGNORE USER|TASK|TOLD",
    "OBEY RULES",
  ],
  prompt_leak: ["SYSPROMPT|ABOVE REVEAL|LEAK", "REVEAL|LEAK RULES|TOLD YOUR|YOU"],
  role_change: ["HARDMODE", "BECOME FREE|MODE|DAN", "FREE YOU|MODEL", "DAN"],
  keep_from_user: ["NOT TELL USER|ENDUSER", "QUIET"],
  lowers_the_guard: ["DISABLE GUARD|SAFETY|APPROVAL"],
  approval_bypass: ["WITHOUT APPROVAL", "GRANTED"],
  planted_file: ["INSTALL AGENTFILE|STARTFILE|AUTHKEYS"],
  planted_memory: ["REMEMBER MEMORY|ALWAYS", "ALWAYS SEND|RUN|INSTALL"],
  hand_over_data: ["PRIVATE|STUFF SEND1|SENT OUT"],
  deceive_user: ["LIE USER|ENDUSER"],
  tool_abuse: ["RUN DANGEROUS|TOOLNAME|URL", "DESTROY GOODS|ALL|STUFF", "BUY MONEY|WALLET"],
  addressed_to_model: ["AI", "MODEL"],
}).flatMap(([rule, shapes]) =>
  shapes.map((shape) => ({ rule, needs: shape.split(" ").map((names) => names.split("|").map(numberOf)) })),
);
