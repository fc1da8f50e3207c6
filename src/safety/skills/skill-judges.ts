import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import { readCode } from "../code/read-code.ts";
import { judgeCommand } from "../command/judge-command.ts";
import type { StartState } from "../command/shell/shell-state.ts";
import { scanText } from "../injection/scan-text.ts";
import { vendorTokens } from "../secrets/vendor-tokens.ts";
import { keyPaths } from "./line-rules.ts";
import type { JudgedPiece, ScriptLanguage, SkillJudges } from "./skill-scan.ts";

/** Creates the judges for a skill that would run in `start`. */
export function skillJudges(start: StartState): SkillJudges {
  const command = (text: string): readonly JudgedPiece[] =>
    judgeCommand(text, start).findings.map(({ rule, words, spans: [span] }) => ({
      rule,
      words: words.join(" "),
      ...(span && { start: span.start }),
    }));
  return {
    command,
    code: (language, text) => codePieces(language, text, command),
    prose: (text) =>
      scanText(text, "skill").findings.map(({ rule, quote, start: offset }) => ({ rule, words: quote, start: offset })),
    keys(text) {
      const pem = [...text.matchAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}/gu)];
      return [
        ...vendorTokens(text).map((span) => ({
          rule: "key",
          words: text.slice(span.start, span.end),
          start: span.start,
        })),
        ...pem.map(({ index }) => ({ rule: "private_key", words: "-----BEGIN", start: index })),
      ];
    },
  };
}

function codePieces(language: ScriptLanguage, text: string, command: SkillJudges["command"]): readonly JudgedPiece[] {
  const { findings, shell, programs, paths } = readCode(language, text);
  const started = [...shell, ...programs.map((words) => words.map(quoteForShellIfNeeded).join(" "))];
  return [
    // Ruby, PHP and Lua are not analysed, so code that does more than print is not reported here.
    ...findings
      .filter(({ rule }) => rule !== "unreadable_code" || !/^(?:ruby|php|lua)$/u.test(language))
      .map(({ rule, words }) => placed(rule, words, text)),
    ...started.flatMap((script) => command(script).map(({ rule, words }) => placed(rule, words, text))),
    ...paths
      .filter(({ how, path }) => how === "read" && keyPaths.test(path))
      .map(({ path }) => placed("secret_read", path, text)),
    ...paths
      .filter(({ how, path }) => how !== "read" && runAgain.test(path))
      .map(({ path }) => placed("persistence", path, text)),
    ...paths
      .filter(
        ({ how, path, isRecursive }) => how === "delete" && isRecursive && /^\/(?:home\/[^/]+|\w*)\/?$/u.test(path),
      )
      .map(({ path }) => placed("delete_root", path, text)),
  ];
}

/** Matches files that a shell, the system or a login runs. */
const runAgain =
  /\/\.(?:bashrc|zshrc|bash_profile|zprofile|zshenv|profile)$|\/authorized_keys$|\/LaunchAgents\/|\/autostart\/|\/etc\/(?:cron|systemd|profile|init)/u;

/** Returns the offset of a finding. Searches for its words, because code is checked as a whole. */
function placed(rule: string, words: string, text: string): JudgedPiece {
  const anchor = [words, ...words.split(/[\s/]+/u).toSorted((a, b) => b.length - a.length)].find((word) =>
    text.includes(word),
  );
  return { rule, words, ...(anchor && { start: text.indexOf(anchor) }) };
}
