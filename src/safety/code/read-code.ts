import { readAwk } from "./awk/read-awk.ts";
import type { CodeJudgement, CodeLanguage, CodeStart } from "./code-judgement.ts";
import { javascript } from "./languages/javascript.ts";
import { perl } from "./languages/perl.ts";
import { python } from "./languages/python.ts";
import { readPlainCode } from "./plain-code.ts";
import type { Dialect } from "./reading/dialect.ts";
import { createEffects, type Effects } from "./reading/effects.ts";
import { lex } from "./reading/lex.ts";
import { createReader } from "./reading/reader.ts";
import { createScope } from "./reading/scope.ts";
import { readSed } from "./sed/read-sed.ts";
import { readSql } from "./sql/read-sql.ts";

/**
 * Analyses code without running it. Never throws; takes linear time. Code that the analysis cannot follow is a finding.
 */
export function readCode(language: CodeLanguage, text: string, start: CodeStart = {}): CodeJudgement {
  const effects = createEffects();
  if (text.length > maxChars) effects.find("too_much", text.slice(0, 60));
  else {
    try {
      read(language, text, start, effects, 0);
    } catch {
      // If the analysis itself fails, the rest of the code is unread, so it counts as unknown.
      effects.find("unreadable_code", text.slice(0, 60));
    }
  }
  return effects.judgement();
}

const maxChars = 128_000;
const maxNesting = 6;

const dialects = { python, javascript, perl };

function read(language: CodeLanguage, text: string, start: CodeStart, effects: Effects, depth: number): void {
  const inner = (code: string) => {
    if (depth >= maxNesting) effects.find("too_much", code.slice(0, 60));
    else read(language, code, {}, effects, depth + 1);
  };
  switch (language) {
    case "jq":
      return;
    case "sql":
      return readSql(text, effects);
    case "awk":
      return readAwk(text, start, effects);
    case "sed":
      return readSed(text, effects);
    case "ruby":
    case "php":
    case "lua":
    case "vim":
      return readPlainCode(language, text, effects);
    default:
      return readScript(dialects[language], text, start, effects, depth, inner);
  }
}

function readScript(
  dialect: Dialect,
  text: string,
  start: CodeStart,
  effects: Effects,
  depth: number,
  run: (code: string) => void,
): void {
  const lexed = lex(text, dialect.spelling);
  // Code that is not valid fails in its interpreter too, or tries to deceive the analysis.
  if (lexed.fault !== undefined) return effects.find("unreadable_code", text.slice(0, 120));
  const budget = { left: lexed.tokens.length * 6 + 5_000 };
  const scope = createScope({ dialect, effects, start, depth, budget, run });
  const reader = createReader(lexed, scope);
  reader.statements(lexed.tokens.length);
  scope.finish();
}
