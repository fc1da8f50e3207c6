import { oneLine } from "../../base/text/text.ts";
import { words } from "../../base/text/words.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import { type JudgedRule, judgedRules, knownInstallers } from "./judged-rules.ts";
import { keyPaths, lineRules, sendingCode } from "./line-rules.ts";
import { type SkillPiece, piecesOf } from "./skill-pieces.ts";
import type { JudgedPiece, Severity, SkillFinding, SkillJudges, SkillScan, SkillVerdict } from "./skill-scan.ts";
import { isText, structureFindings } from "./structure.ts";

/**
 * Scans the whole folder of a skill before it is installed or stored. Runs nothing, and ignores exclude lists in the
 * folder. Never throws.
 */
export function scanSkill(entries: readonly SkillEntry[], judges: SkillJudges): SkillScan {
  const findings = [
    ...structureFindings(entries),
    ...entries.flatMap((entry) => (entry.kind === "file" && isText(entry.bytes) ? fileFindings(entry, judges) : [])),
  ];
  const sorted = distinct(findings).toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  return { verdict: verdictOf(sorted), findings: sorted.slice(0, maxFindings) };
}

const order: readonly Severity[] = ["critical", "high", "medium"];

/** The maximum number of findings. A longer list does not help the reader. */
const maxFindings = 100;

export function verdictOf([worst]: readonly SkillFinding[]): SkillVerdict {
  if (worst?.severity === "critical") return "dangerous";
  return worst?.severity === "high" ? "caution" : "safe";
}

interface FileText {
  readonly path: string;
  readonly text: string;
}

function fileFindings({ path, bytes }: SkillEntry & { kind: "file" }, judges: SkillJudges): readonly SkillFinding[] {
  const file = { path, text: Buffer.from(bytes).toString("utf8") };
  const pieces = piecesOf(path, file.text);
  return [
    ...judges.keys(file.text).map((key) => findingAt(file, "credential_exposure", "high", key, 0, true)),
    ...pieces.flatMap((piece) => [
      ...linesIn(file, piece),
      ...judgedIn(file, piece, judges),
      ...togetherIn(file, piece),
      ...hiddenIn(file, piece),
    ]),
  ];
}

function linesIn(file: FileText, piece: SkillPiece): readonly SkillFinding[] {
  const isScript = piece.role !== "shown" || (piece.reads !== "prose" && piece.reads !== "other");
  return lineRules.flatMap(({ rule, class: of, severity, where, shape }) => {
    if (where !== "both" && (where === "scripts") !== isScript) return [];
    const match = shape.exec(piece.text);
    if (!match) return [];
    const index = piece.start + match.index;
    const calm = piece.role === "shown" && isWarning(file.text, index);
    const worst = rule === "web_script" ? sourceSeverity(file, piece, match[0]) : severity;
    return [findingAt(file, of, calm ? "medium" : worst, { rule, words: match[0], start: index }, 0)];
  });
}

function judgedIn(file: FileText, piece: SkillPiece, judges: SkillJudges): readonly SkillFinding[] {
  if (piece.reads === "other") return [];
  if (piece.reads === "prose") return judges.prose(piece.text).flatMap((match) => proseFinding(file, match));
  const judged = piece.reads === "shell" ? judges.command(piece.text) : judges.code(piece.reads, piece.text);
  return judged.flatMap((match) => {
    const judgedRule = judgedRules[match.rule];
    if (judgedRule === undefined && piece.role !== "viewed") return [];
    const index = piece.start + (match.start ?? 0);
    const severity = severityOf(judgedRule, match, piece, file, () => isWarning(file.text, index));
    return [findingAt(file, judgedRule?.class ?? "execution", severity, match, piece.start)];
  });
}

function severityOf(
  judgedRule: JudgedRule | undefined,
  { rule, words }: JudgedPiece,
  piece: SkillPiece,
  file: FileText,
  isWarned: () => boolean,
): Severity {
  const { role, text } = piece;
  if (role === "viewed")
    return judgedRule?.inScript === "critical" || judgedRule?.inScript === "high" ? "critical" : "high";
  if (judgedRule === undefined) return "medium";
  if (role === "shown" && isWarned()) return "medium";
  const severity = role === "script" ? judgedRule.inScript : judgedRule.inProse;
  if (rule === "remote_code" || (rule === "unknown_code" && downloads.test(text)))
    return sourceSeverity(file, piece, text);
  if (rule === "exfiltration" && keyPaths.test(words)) return "critical";
  if (rule === "user_secret" && words.includes("authorized_keys")) return role === "script" ? "critical" : "high";
  if (rule === "permission_open" && /\bu?\+s\b|\b[2467]\d{3}\b/u.test(words)) return "high";
  return severity;
}

const downloads = /\b(?:curl|wget)\b[^\n]*https?:\/\//iu;

/**
 * The severity of code that is downloaded and run depends on its source: a well-known installer, a site, or a numeric
 * address. A project that the reader clones, and an installer in a document for people, are ordinary.
 */
function sourceSeverity({ path }: FileText, { role }: SkillPiece, text: string): Severity {
  const addresses = text.match(/https?:\/\/[^\s"'`|)]+/giu) ?? [`https://${hostAlone.exec(text)?.[0] ?? ""}`];
  if (addresses.every((address) => knownInstallers.test(address))) return "medium";
  if (addresses.some((address) => nobodysSites.test(address))) return "critical";
  const isOrdinary = role === "shown" && (forPeople.test(path) || !fetches.test(text));
  return isOrdinary ? "medium" : "high";
}

/** Matches a host without a scheme, as in `irm bun.sh/install.ps1`. */
const hostAlone = /(?<=\b(?:irm|iwr|curl|wget)\s(?:-\S+\s)*)[\w-]+\.[\w.-]+\/\S*/iu;

const fetches = /\b(?:curl|wget|irm|iwr|invoke-webrequest|downloadstring)\b/iu;

/** Matches documents for people, such as README and INSTALL files. */
const forPeople =
  /(?:^|\/)(?:README|INSTALL|INSTALLATION|FAQ|CHANGELOG|CONTRIBUTING|QUICKSTART)\b[\w.-]*\.(?:md|txt)$/iu;

/** Matches sites on which anybody can publish, and connections that anybody can change. */
const nobodysSites =
  /^http:|^https?:\/\/[\d.]+[:/]|^https:\/\/(?:pastebin\.com|rentry\.co|glot\.io|hastebin\.com|paste\.ee)\b/iu;

function proseFinding(file: FileText, match: JudgedPiece): readonly SkillFinding[] {
  const isInstaller = match.rule === "runs_download" && knownInstallers.test(lineAt(file.text, match.start ?? 0));
  const isHidden = isInComment(file.text, match.start ?? 0);
  // A skill consists of instructions to the agent, so instructions alone are not suspicious.
  if (ordinaryOrders.has(match.rule) && !isHidden) return [];
  const sendsKeys = keyPaths.test(match.words) && /https?:\/\//u.test(match.words);
  const isWarned = aboutCommands.has(match.rule) && !isHidden && isWarning(file.text, match.start ?? 0);
  const severity = isWarned ? "medium" : mildProse.has(match.rule) && !isHidden && !sendsKeys ? "high" : "critical";
  const excerpt = oneLine(match.words, 160);
  return isInstaller ? [] : [{ ...findingAt(file, "injection", severity, match, 0), excerpt }];
}

/** Rules that learned weights trigger, or that harmless texts also match. They cause at most a warning. */
const mildProse: ReadonlySet<string> = new Set(
  words(`
  runs_download planted_file planted_memory addressed_to_model lowers_the_guard approval_bypass hand_over_data
  deceive_user instruction_override prompt_leak role_change keep_from_user hand_over_secrets opens_machine
`),
);

/** Rules that learned weights also trigger for ordinary steps. */
const ordinaryOrders: ReadonlySet<string> = new Set(["orders_to_agent", "tool_abuse"]);

/** Rules about a command inside prose, which may be part of a warning to the reader. */
const aboutCommands: ReadonlySet<string> = new Set(["runs_download", "dangerous_command", "reverse_shell"]);

/** Matches HTML comments, which a rendered page does not show. */
function isInComment(text: string, index: number): boolean {
  const before = text.slice(0, index + 4);
  return before.lastIndexOf("<!--") > before.lastIndexOf("-->");
}

/** Reports a script that both reads keys and sends data. */
function togetherIn(file: FileText, piece: SkillPiece): readonly SkillFinding[] {
  if (piece.reads === "prose" || piece.reads === "other") return [];
  const used = piece.text.replaceAll(/(?:\s-i\s*|IdentityFile[ =]|ssh-(?:add|keygen|copy-id)\b)[^\n;|&]*/gu, (own) =>
    " ".repeat(own.length),
  );
  const match = keyPaths.exec(used);
  if (!match || !sendingCode.test(used)) return [];
  const index = piece.start + match.index;
  const severity = piece.role === "shown" && isWarning(file.text, index) ? "medium" : "critical";
  return [findingAt(file, "exfiltration", severity, { rule: "keys_sent", words: match[0], start: index }, 0)];
}

/** Finds text whose displayed order differs from the order in which it runs. */
function hiddenIn(file: FileText, piece: SkillPiece): readonly SkillFinding[] {
  if (piece.reads === "prose") return [];
  const match =
    /[\u202a-\u202e\u2066-\u2069]|[\u{e0020}-\u{e007f}]|[\u200b\u2060\ufeff](?=\w)(?<=\w[\u200b\u2060\ufeff])/u.exec(
      piece.text,
    );
  if (!match) return [];
  const start = piece.start + match.index;
  return [findingAt(file, "obfuscation", "critical", { rule: "hidden_characters", words: "", start }, 0)];
}

/**
 * Returns whether the surrounding text warns the reader against it: the line itself, the lines before it, and the
 * introduction of the list that it belongs to.
 */
function isWarning(text: string, index: number): boolean {
  const end = text.indexOf("\n", index);
  const before = text
    .slice(Math.max(0, index - 800), end < 0 ? undefined : end)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const own = before.at(-1) ?? "";
  const near = isListItem.test(own) ? before.filter((line) => line === own || !isListItem.test(line)) : before;
  return near.slice(-4).some((line) => warns.test(line));
}

const isListItem = /^\s*(?:[-*+•]|\d+[.)])\s/u;

const warns =
  /\b(?:never|do not|don['’]t|avoid|must not|should not|dangerous|malicious|refuse|blocked?|rejects?|forbidden|denied|deny|anti-?patterns?|attackers?|unsafe|vulnerab\w+|red flags?|suspicious|detects?|flag|fork bomb|destructive)\b(?! (?:worry|hesitate|ask|forget|tell|mention|warn|be alarmed))|❌|🚫|⚠|禁止|危险|切勿|严禁/iu;

function findingAt(
  { path, text }: FileText,
  of: SkillFinding["class"],
  severity: Severity,
  { rule, words, start }: JudgedPiece,
  offset: number,
  isSecret = false,
): SkillFinding {
  const index = start === undefined ? undefined : start + offset;
  const line = index === undefined ? undefined : text.slice(0, index).split("\n").length;
  const shown = isSecret ? `${words.slice(0, 6)}…` : index === undefined ? words : lineAt(text, index);
  const excerpt = shown.trim().slice(0, 160);
  return { class: of, severity, rule, path, ...(line !== undefined && { line }), ...(excerpt !== "" && { excerpt }) };
}

function lineAt(text: string, index: number): string {
  const end = text.indexOf("\n", index);
  return text.slice(text.lastIndexOf("\n", Math.max(0, index - 1)) + 1, end < 0 ? undefined : end);
}

function distinct(findings: readonly SkillFinding[]): readonly SkillFinding[] {
  const seen = new Map<string, SkillFinding>();
  for (const finding of findings) {
    const key = `${finding.path} ${finding.rule} ${finding.line ?? ""} ${finding.severity}`;
    if (!seen.has(key)) seen.set(key, finding);
  }
  return [...seen.values()];
}
