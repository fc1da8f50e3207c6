import { quoteForShell } from "../../../base/text/shell-quote.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { PathUse } from "../../command/fact.ts";
import { type RuleId, rules } from "../../command/rules.ts";
import { hole } from "../../command/shell/field.ts";
import type { CodeFinding, CodeJudgement, CodePath } from "../code-judgement.ts";
import { startsWithCommonProgram } from "./common-programs.ts";
import { possibleValues, taints, textOfValue, textOrHole, type CodeValue } from "./value.ts";

/** Collects the effects of code during the analysis. */
export interface Effects {
  find(rule: RuleId, words: string): void;
  /** Reports that a shell runs this text. */
  shell(command: CodeValue, words: string, cwd?: CodeValue): void;
  /** Reports that a program starts with these arguments, without a shell. */
  program(argv: readonly CodeValue[], words: string, cwd?: CodeValue): void;
  /** Changes the folder in which relative paths start. */
  enter(folder: CodeValue | undefined): void;
  path(how: PathUse, path: CodeValue | undefined, isRecursive?: boolean): void;
  /** Reports that data is sent to `to`. */
  send(to: CodeValue | undefined, data: readonly CodeValue[], words: string): void;
  /** Reports a download. The request itself also sends data. */
  fetch(from: CodeValue | undefined, words: string): void;
  connect(words: string): void;
  /** Reports that the input and output of a program are connected to another stream. */
  tie(words: string): void;
  /** Reports that the program starts itself again. */
  fork(words: string): void;
  /** Reports a loop that may not end, in a program of this many tokens. */
  loop(words: number): void;
  /** Reports a command that awk, sed or vim passes to a shell. A common command needs no approval. */
  carry(command: CodeValue, words: string): void;
  judgement(): CodeJudgement;
}

const maxListed = 100;
const maxBomb = 30;

export function createEffects(): Effects {
  const findings = new Map<RuleId, CodeFinding>();
  const shell: string[] = [];
  const programs: (readonly string[])[] = [];
  const paths = new Map<string, CodePath>();
  let cwd = "";
  const seen = { connected: "", tied: "", started: "", secret: false, sent: "", forked: "", loops: false };

  function find(rule: RuleId, words: string): void {
    if (!findings.has(rule)) findings.set(rule, { rule, words: oneLine(words.replaceAll(hole, "…"), 160) });
  }

  /** Returns shell code that changes to the program's folder. */
  function entering(folder: CodeValue | undefined): string {
    const text = folder === undefined ? cwd : textOrHole(folder);
    return text === "" ? "" : `cd ${quoteForShell(text)} && `;
  }

  function fetch(from: CodeValue | undefined, words: string): void {
    const taint = from?.taint ?? 0;
    if ((taint & (taints.secret | taints.environment | taints.file | taints.variable)) !== 0)
      find("exfiltration", words);
    if (!isLoopback(textOfValue(from))) seen.sent ||= words;
  }

  return {
    find,
    enter(folder) {
      const text = textOrHole(folder);
      cwd = text.startsWith("/") || text.startsWith(hole) || cwd === "" ? text : `${cwd}/${text}`;
    },
    shell(command, words, folder) {
      seen.started ||= words;
      for (const each of possibleValues(command)) {
        if ((each.taint & taints.network) !== 0) find("remote_code", words);
        if (shell.length < maxListed) shell.push(`${entering(folder)}${textOrHole(each)}`);
      }
    },
    program(argv, words, folder) {
      seen.started ||= words;
      if (argv.some(({ taint }) => (taint & taints.network) !== 0)) find("remote_code", words);
      const before = entering(folder);
      if (programs.length + shell.length >= maxListed) return;
      if (before === "") programs.push(argv.map(textOrHole));
      else shell.push(`${before}${argv.map((word) => quoteForShell(textOrHole(word))).join(" ")}`);
    },
    path(how, path, isRecursive = false) {
      for (const each of possibleValues(path)) {
        const given = textOrHole(each);
        const text = cwd === "" || given.startsWith("/") || given.startsWith(hole) ? given : `${cwd}/${given}`;
        if (looksSecret(text)) seen.secret = true;
        if (paths.size < maxListed || how === "delete")
          paths.set(`${how} ${isRecursive} ${text}`, { how, path: text, isRecursive });
      }
    },
    send(to, data, words) {
      const taint = [to, ...data].reduce((all, value) => all | (value?.taint ?? 0), 0);
      if ((taint & (taints.secret | taints.environment)) !== 0) return find("exfiltration", words);
      if (isLoopback(textOfValue(to))) return;
      seen.sent ||= words;
      find((taint & (taints.file | taints.variable)) !== 0 ? "exfiltration" : "inline_code", words);
    },
    fetch,
    connect(words) {
      seen.connected ||= words;
    },
    tie(words) {
      seen.tied ||= words;
    },
    fork(words) {
      seen.forked ||= words;
      find("inline_code", words);
    },
    loop(words) {
      // A longer program that starts itself in a loop is not a fork bomb.
      if (words <= maxBomb) seen.loops = true;
    },
    carry(command, words) {
      const text = textOrHole(command);
      if (!startsWithCommonProgram(text)) find("inline_code", words);
      seen.started ||= words;
      if (shell.length < maxListed) shell.push(text);
    },
    judgement() {
      if (seen.forked !== "" && seen.loops && seen.connected === "") find("fork_bomb", seen.forked);
      if (seen.connected !== "" && (seen.tied !== "" || seen.started !== "")) find("reverse_shell", seen.connected);
      if (seen.secret && (seen.sent !== "" || seen.connected !== "")) find("exfiltration", seen.sent || seen.connected);
      const list = [...findings.values()].toSorted((a, b) => rank(a.rule) - rank(b.rule));
      const isUnreadable = list.some(({ rule }) => unreadable.has(rule));
      const verdict = isUnreadable ? "unreadable" : list.length > 0 ? "acts" : "computes";
      return { verdict, findings: list, shell, programs, paths: [...paths.values()] };
    },
  };
}

const unreadable: ReadonlySet<RuleId> = new Set<RuleId>(["unreadable_code", "unknown_code", "too_much"]);

/** The order of findings: hardline rules first, then specific rules before general ones. */
function rank(rule: RuleId): number {
  if (rules[rule].severity === "hardline") return 0;
  return rule === "inline_code" ? 3 : unreadable.has(rule) ? 2 : 1;
}

/** Returns whether the path is a file with keys, in any home folder. */
export function looksSecret(path: string): boolean {
  return secretShape.test(path);
}

const secretShape =
  /(?:^|\/)(?:\.(?:ssh|aws|gnupg|kube|azure|password-store)(?:\/|$)|\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|vault-token|my\.cnf)$|\.env(?:\.[\w-]+)?$|\.docker\/config\.json|\.config\/(?:gh|gcloud)|id_(?:rsa|dsa|ecdsa|ed25519)$|credentials(?:\.json)?$|environ$)|^\/etc\/(?:shadow|gshadow|passwd|sudoers)/u;

function isLoopback(url: string | undefined): boolean {
  return (
    url !== undefined &&
    /^(?:(?:https?|wss?|tcp):\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?)(?:[:/?#]|$)/iu.test(url)
  );
}
