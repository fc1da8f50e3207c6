import { existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

import { readFileBeneath } from "../base/files/open-beneath.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import { cut } from "../base/text/text.ts";
import type {
  SkillAuthor,
  SkillCard,
  SkillChange,
  SkillFault,
  SkillLibrary,
  SkillPage,
  SkillVariable,
  SkillWatcher,
  SkillHead,
  SkillReadiness,
} from "../contracts/knowledge/skill.ts";
import { readCurrentStates } from "./file-states.ts";
import { findSkill, withDistinctNames } from "./find-skill.ts";
import { skillFile, skillLimits, splitSkillText } from "./frontmatter.ts";
import type { SkillCollection, CollectedSkill } from "./skill-collection.ts";
import type { ChangeBy, SkillKeeper } from "./skill-keeper.ts";
import { readPending } from "./skill-overlay.ts";
import { type SkillSurroundings, hiddenReason, platformName } from "./visibility.ts";

export interface LibraryDeps extends PageDeps {
  /** The folder of skills of the home. */
  readonly home: string;
  readonly author: SkillAuthor;
  shelf(): Promise<SkillCollection>;
  readonly surroundings: SkillSurroundings;
  readonly readiness: ReadinessDeps;
  readonly keeper: SkillKeeper;
  readonly confirm?: ChangeBy["confirm"];
  /** Asks the user for a value and stores it for commands. Returns false if no value was given. */
  readonly askVariable?: (variable: SkillVariable, skill: string, signal: AbortSignal) => Promise<boolean>;
  readonly watcher?: SkillWatcher;
  /** Called when the model loads the skill. */
  loaded(skill: CollectedSkill): void;
  /** Notifies the user that a skill was not loaded. */
  warn(sentence: string): void;
}

export function createSkillLibrary(deps: LibraryDeps): SkillLibrary {
  const { author, watcher, surroundings } = deps;

  async function loadable(name: string): Promise<Result<CollectedSkill, SkillFault>> {
    const { skills, broken } = await deps.shelf();
    const match = findSkill(name, skills);
    if (!match.ok) {
      const unread = broken.find((each) => each.name === name.trim());
      return unread ? err({ kind: "invalid", message: `${unread.folder} cannot be used: ${unread.why}.` }) : match;
    }
    const { danger } = match.value;
    if (danger === undefined) return match;
    const message = `The skill ${match.value.name} is not loaded: ${danger}.`;
    deps.warn(`${message} \`hermes skills allow ${match.value.name}\` loads it anyway, in its current state.`);
    return err({ kind: "dangerous", message: `${message} Continue without it; the user was informed.` });
  }

  return {
    async list({ category }) {
      const { skills, broken } = await deps.shelf();
      const hidden = broken.map(({ name, why }) => ({ name, why }));
      const shown = withDistinctNames(skills).filter((each) => {
        const why = each.danger ?? hiddenReason(each.head, surroundings);
        if (why !== undefined) hidden.push({ name: each.name, why });
        return why === undefined;
      });
      return {
        skills: shown.filter((each) => category === undefined || each.category === category).map(cardOf),
        hidden,
        categories: [...new Set(shown.flatMap((each) => each.category ?? []))].toSorted(),
      };
    },
    async view(name, file, signal) {
      const result = await loadable(name);
      if (!result.ok) return result;
      const skill = result.value;
      try {
        if (file === undefined) await collectVariables(skill, signal);
        const content = await pageText(skill, file ?? skillFile, deps, signal);
        if (!content.ok) return content;
        if (file === undefined) deps.loaded(skill);
        watcher?.happened(skill.name, "viewed", author, deps.sessionId);
        return ok(pageOf(skill, file, content.value));
      } catch (thrown) {
        return err({ kind: "failed", message: `${skill.name} cannot be read: ${reasonOf(thrown)}.` });
      }
    },
    async source(name, file = skillFile) {
      const { skills } = await deps.shelf();
      const result = findSkill(name, skills);
      if (!result.ok) return result;
      const skill = result.value;
      const waiting =
        author === "background" ? readPending(deps.home, skill.folder.split(/[/\\]/u).at(-1) ?? "") : undefined;
      try {
        const pending = waiting && Object.hasOwn(waiting.files, file) ? waiting.files[file] : undefined;
        const state =
          pending ?? (skill.files.includes(file) ? readCurrentStates(skill.folder, [file])[file] : undefined);
        if (state?.text !== undefined) return ok({ text: state.text, origin: skill.origin });
        return err({ kind: "unknown", message: `${skill.name} has no text file ${JSON.stringify(file)}.` });
      } catch (thrown) {
        return err({ kind: "failed", message: reasonOf(thrown) });
      }
    },
    async change(change, signal) {
      const by: ChangeBy = {
        author,
        ...(deps.sessionId !== undefined && { session: deps.sessionId }),
        ...(deps.confirm && { confirm: deps.confirm }),
      };
      // A background job sees the pending change instead of the file.
      const answer =
        author === "background" && (change.action === "edit" || change.action === "write_file")
          ? withoutBasis(change)
          : change;
      const changed = await deps.keeper.change(answer, by, signal);
      if (changed.ok) watcher?.happened(change.name, change.action, author, deps.sessionId);
      return changed;
    },
  };

  /** Asks for missing values while a user is present; the skill text lists those that are still missing. */
  async function collectVariables({ head, name }: CollectedSkill, signal: AbortSignal): Promise<void> {
    if (!deps.askVariable) return;
    for (const variable of readinessOf(head, deps.readiness).variables)
      if (!(await deps.askVariable(variable, name, signal))) return;
  }

  function pageOf(skill: CollectedSkill, file: string | undefined, content: string): SkillPage {
    const { status, missing, note } = readinessOf(skill.head, deps.readiness);
    return {
      card: cardOf(skill),
      ...(file !== undefined && { file }),
      content,
      folder: deps.folderOf(skill),
      relatedSkills: skill.head.relatedSkills,
      linkedFiles: skill.files.filter((path) => path !== skillFile),
      readiness: status,
      missing,
      ...(note !== undefined && { note }),
    };
  }
}

function withoutBasis(change: Extract<SkillChange, { readonly action: "edit" | "write_file" }>): SkillChange {
  const { basis: _, ...rest } = change;
  return rest;
}

export function cardOf({ name, description, category, origin, tags }: SkillCard): SkillCard {
  return { name, description, ...(category !== undefined && { category }), origin, tags };
}

interface ReadinessDeps {
  /** Value of an environment variable, including those given in this session. */
  variable(name: string): string | undefined;
  /** The root folder of credential files. */
  readonly home: string;
  /** Whether it is a credential file that a skill may use. */
  isCredentialFile(path: string): boolean;
  /** True if commands run on another machine, whose programs are unknown. */
  readonly isElsewhere: boolean;
  readonly platform: NodeJS.Platform;
  /** Whether the settings have an MCP server of this name that is not turned off. */
  hasMcpServer(name: string): boolean;
}

interface Readiness {
  readonly status: SkillReadiness;
  /** The missing requirements, in words. */
  readonly missing: readonly string[];
  readonly variables: readonly SkillVariable[];
  readonly note?: string;
}

/** Lists the requirements of the skill that are missing. */
function readinessOf(head: SkillHead, deps: ReadinessDeps): Readiness {
  const { platforms } = head;
  if (platforms.length > 0 && !platforms.includes(platformName(deps.platform)))
    return {
      status: "unsupported",
      missing: [],
      variables: [],
      note: `It is written for ${platforms.join(", ")}; this machine runs ${platformName(deps.platform)}.`,
    };
  const variables = head.variables.filter(({ name, optional }) => !optional && !deps.variable(name));
  const commands = deps.isElsewhere ? [] : head.commands.filter((name) => !isProgram(name, deps));
  const files = head.credentialFiles.filter(({ path }) => !deps.isCredentialFile(path));
  const servers = (head.mcpServers ?? []).filter((name) => !deps.hasMcpServer(name));
  const missing = [
    ...variables.map(({ name }) => `the variable ${name}`),
    ...commands.map((name) => `the program ${name}`),
    ...files.map(({ path }) => `the file ${path}`),
    ...servers.map((name) => `the MCP server ${name}`),
  ];
  if (missing.length === 0) return { status: "available", missing, variables };
  const steps = [
    ...variables.map(({ name, help }) => `hermes config set ${name} …${help === undefined ? "" : ` (${help})`}`),
    ...commands.map((name) => `install ${name}`),
    ...files.map(({ path, description }) => `put ${description || "the file"} at ${join(deps.home, path)}`),
    ...servers.map((name) => `add ${name}: hermes mcp catalog ${name}, or hermes mcp add ${name}`),
  ];
  return {
    status: "setup_needed",
    missing,
    variables,
    note: `Missing: ${missing.join(", ")}. To do: ${steps.join("; ")}.`,
  };
}

function isProgram(name: string, { variable, platform }: ReadinessDeps): boolean {
  if (/[/\\]/u.test(name)) return existsSync(name);
  const ends = platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
  const folders = (variable("PATH") ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => ends.some((end) => existsSync(join(folder, name + end))));
}

interface PageDeps {
  /** The skill's folder as commands see it. */
  folderOf(skill: CollectedSkill): string;
  readonly sessionId: string | undefined;
  /** A value of `skills.config`. */
  setting(key: string): string | undefined;
  /** Runs !`command` in the text if the policy allows it. If undefined, the text stays unchanged. */
  readonly inlineShell?: (command: string, signal: AbortSignal) => Promise<string>;
}

/** The text of a skill, or of one of its files, in the form that the model reads. */
async function pageText(
  skill: CollectedSkill,
  file: string,
  deps: PageDeps,
  signal: AbortSignal,
): Promise<Result<string, SkillFault>> {
  const path = file.replace(/^\.\//u, "");
  if (!skill.files.includes(path)) return err(noSuchFile(skill, file));
  const fullPath = join(skill.folder, path);
  const size = statSync(fullPath).size;
  if (size > skillLimits.fileBytes) return ok(`(${path} has ${size} bytes: read ${fullPath} in parts.)`);
  const { bytes } = readFileBeneath(fullPath);
  if (bytes.includes(0)) return ok(`(${path} is binary, ${size} bytes: ${join(deps.folderOf(skill), path)})`);
  const text = bytes.toString("utf8").replace(/^\uFEFF/u, "");
  if (!/\.(?:md|markdown|txt)$/iu.test(path)) return ok(text);
  const body = path === skillFile ? (splitSkillText(text)?.body ?? text) : text;
  const filled = fillIn(body, skill, deps);
  const run = deps.inlineShell ? await withOutputs(filled, deps.inlineShell, signal) : filled;
  return ok(path === skillFile ? run.trim() + settingLines(skill, deps) : run);
}

function noSuchFile({ name, files }: CollectedSkill, file: string): SkillFault {
  const others = files.filter((each) => each !== skillFile);
  const has = others.length === 0 ? "it has no other files" : `it has ${others.join(", ")}`;
  const leaves = /^[/\\~]|^[a-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/iu.test(file);
  return leaves
    ? { kind: "refused", message: `${JSON.stringify(cut(file, 200))} is outside the skill ${name}; ${has}.` }
    : { kind: "unknown", message: `${name} has no file ${JSON.stringify(cut(file, 200))}; ${has}.` };
}

function fillIn(text: string, skill: CollectedSkill, deps: PageDeps): string {
  return text
    .replaceAll("${HERMES_SKILL_DIR}", () => deps.folderOf(skill))
    .replaceAll("${HERMES_SESSION_ID}", () => deps.sessionId ?? "");
}

function settingLines({ head }: CollectedSkill, { setting }: PageDeps): string {
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
  for (const match of [...text.matchAll(/(?<![\w`])!`([^`\n]+)`/gu)].slice(0, maxInline)) {
    const output = await run(match[1] ?? "", signal);
    parts.push(text.slice(from, match.index), cut(output, inlineChars));
    from = match.index + match[0].length;
  }
  return parts.join("") + text.slice(from);
}

const maxInline = 10;
const inlineChars = 4_000;
