import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { err, ok, type Result } from "../base/result.ts";
import { cut } from "../base/text/text.ts";
import type { SkillFault } from "../contracts/knowledge/skill.ts";
import { skillFile, skillLimits, splitSkillText } from "./frontmatter.ts";
import type { ShelvedSkill } from "./shelf.ts";

export interface PageDeps {
  /** The folder as seen by commands. */
  folderOf(skill: ShelvedSkill): string;
  readonly sessionId: string | undefined;
  /** A value of `skills.config`. */
  setting(key: string): string | undefined;
  /** Runs !`command` in the text if the policy allows it. Undefined: the text stays unchanged. */
  readonly inlineShell?: (command: string, signal: AbortSignal) => Promise<string>;
}

/** The text of a skill, or of one of its files, as the model reads it. */
export async function pageText(
  skill: ShelvedSkill,
  file: string,
  deps: PageDeps,
  signal: AbortSignal,
): Promise<Result<string, SkillFault>> {
  const path = file.replace(/^\.\//u, "");
  if (!skill.files.includes(path)) return err(noSuchFile(skill, file));
  const at = join(skill.folder, path);
  const size = statSync(at).size;
  if (size > skillLimits.fileBytes) return ok(`(${path} has ${size} bytes: read ${at} in parts.)`);
  const bytes = readFileSync(at);
  if (bytes.includes(0)) return ok(`(${path} is binary, ${size} bytes: ${join(deps.folderOf(skill), path)})`);
  const text = bytes.toString("utf8").replace(/^\uFEFF/u, "");
  if (!/\.(?:md|markdown|txt)$/iu.test(path)) return ok(text);
  const body = path === skillFile ? (splitSkillText(text)?.body ?? text) : text;
  const filled = fillIn(body, skill, deps);
  const run = deps.inlineShell ? await withOutputs(filled, deps.inlineShell, signal) : filled;
  return ok(path === skillFile ? run.trim() + settingLines(skill, deps) : run);
}

function noSuchFile({ name, files }: ShelvedSkill, file: string): SkillFault {
  const others = files.filter((each) => each !== skillFile);
  const has = others.length === 0 ? "it has no other files" : `it has ${others.join(", ")}`;
  const leaves = /^[/\\~]|^[a-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/iu.test(file);
  return leaves
    ? { kind: "refused", message: `${JSON.stringify(cut(file, 200))} is outside the skill ${name}; ${has}.` }
    : { kind: "unknown", message: `${name} has no file ${JSON.stringify(cut(file, 200))}; ${has}.` };
}

function fillIn(text: string, skill: ShelvedSkill, deps: PageDeps): string {
  return text
    .replaceAll("${HERMES_SKILL_DIR}", () => deps.folderOf(skill))
    .replaceAll("${HERMES_SESSION_ID}", () => deps.sessionId ?? "");
}

function settingLines({ head }: ShelvedSkill, { setting }: PageDeps): string {
  const lines = head.settings.flatMap(({ key, initial, description }) => {
    const value = setting(key) ?? initial;
    return value === undefined ? [] : [`- ${key} = ${value}${description === "" ? "" : ` (${description})`}`];
  });
  return lines.length === 0 ? "" : `\n\n## Settings of the user (skills.config)\n\n${lines.join("\n")}`;
}

async function withOutputs(
  text: string,
  run: (command: string, signal: AbortSignal) => Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  const parts: string[] = [];
  let from = 0;
  for (const match of [...text.matchAll(/(?<![\w`])!`([^`\n]+)`/gu)].slice(0, mostInline)) {
    const output = await run(match[1] ?? "", signal);
    parts.push(text.slice(from, match.index), cut(output, inlineChars));
    from = match.index + match[0].length;
  }
  return parts.join("") + text.slice(from);
}

const mostInline = 10;
const inlineChars = 4_000;
