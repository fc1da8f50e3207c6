import { arch, platform, release } from "node:os";
import { join, posix, basename } from "node:path";

import { waitFor } from "../../base/async/bounded-wait.ts";
import { systemClock } from "../../base/clock.ts";
import type { NamedList } from "../../base/named-list.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { FileSystem } from "../../contracts/environment/environment.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";
import type { PromptSectionContribution } from "../../contracts/plugin/plugin.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import type { CatalogView } from "../../contracts/tool/tool-index.ts";
import { findShell } from "../../environments/local/find-shell.ts";
import {
  type ContextFolder,
  contextFiles,
  type ContextFiles,
  type JudgeText,
  contextText,
  suspectNotice,
} from "../../kernel/prompt/context-files.ts";
import { localFolder, remoteFolder } from "../../kernel/prompt/context-folder.ts";
import type { PromptFacts } from "../../kernel/prompt/system-prompt.ts";
import type { PersonalMemory } from "../knowledge/open-memory.ts";
import type { SessionSkills } from "../knowledge/session-skills.ts";

export interface PromptOptions {
  readonly model: ModelFacts;
  readonly catalog: CatalogView;
  readonly redactor: Redactor;
  readonly judge: JudgeText;
  readonly memory?: PersonalMemory;
  readonly skills?: Pick<SessionSkills, "index">;
  /** Sections of plugins. */
  readonly sections?: Pick<NamedList<PromptSectionContribution>, "list">;
  /** Omits context files, SOUL.md and memory. */
  readonly ignoreRules: boolean;
  /** Replaces SOUL.md: the text about a child agent. */
  readonly identity?: string;
  readonly place: Place;
  /** The origin of the session: `cli`, `oneshot`, `library`. */
  readonly source: string;
  readonly now: number;
  /** The files of a remote environment. */
  remoteFiles(): Promise<FileSystem | undefined>;
  readonly signal: AbortSignal;
  say(sentence: string): void;
}

/** Collects the parts of the system prompt of a new session, and notices for the person about files in it. */
export async function promptFacts(
  config: LoadedConfig,
  of: PromptOptions,
): Promise<{ readonly facts: PromptFacts; readonly notices: readonly string[] }> {
  const { model, catalog, redactor, ignoreRules, place, source, now } = of;
  const soul = await soulFor(config, of);
  const rules = ignoreRules ? noFiles : await readRules(config, of);
  const remembered = ignoreRules ? undefined : await of.memory?.blocks(of.signal);
  const skills = ignoreRules ? undefined : await of.skills?.index(place, of.signal);
  const sections = ignoreRules ? undefined : await pluginText(of);
  const hint = platformHints[source];
  const facts: PromptFacts = {
    catalog,
    ...(soul.text !== undefined && { soul: soul.text }),
    place: placeLines(place, config.env),
    ...(hint !== undefined && { platformHint: hint }),
    // The text of `agent.system_prompt` is intended for the user's own sessions.
    callerText: of.identity !== undefined && ignoreRules ? "" : config.values.agent.system_prompt,
    contextFiles: [...soul.files, ...rules.files].map((file) => ({
      ...file,
      text: redactor.redact(file.text, { kind: "file" }),
    })),
    skills: skills?.text ?? "",
    memory: remembered?.blocks ?? [],
    ...(sections && { sections }),
    date: dayOf(now),
    model: `${model.model} (${model.provider})`,
  };
  return {
    facts,
    notices: [...soul.notices, ...rules.notices, ...(remembered?.notices ?? []), ...(skills?.notices ?? [])],
  };
}

/** The sections of plugins for this session. Without any, no code is loaded. */
async function pluginText({ sections, model, place, source, now, signal }: PromptOptions) {
  const list = sections?.list() ?? [];
  if (list.length === 0) return undefined;
  const { renderSections } = await import("../../plugins/adapt/prompt-sections.ts");
  const info = { model: model.model, provider: model.provider, platform: source, cwd: place.cwd, date: dayOf(now) };
  return renderSections(list, info, signal);
}

const noFiles: ContextFiles = { files: [], notices: [] };

/** The identity text. A suspicious text is moved to `files`, where it is fenced as data. */
interface Soul extends ContextFiles {
  readonly text?: string;
}

const noSoul: Soul = { files: [], notices: [] };

async function soulFor({ home }: LoadedConfig, { identity, ignoreRules, judge }: PromptOptions): Promise<Soul> {
  if (identity !== undefined) return { ...noSoul, text: identity };
  return ignoreRules ? noSoul : readSoul(home.path, judge);
}

async function readSoul(home: string, judge: JudgeText): Promise<Soul> {
  const path = join(home, homeFiles.soul);
  const text = (await localFolder.read(path))?.text;
  if (text === undefined || text.trim() === "") return noSoul;
  const soul = contextText(homeFiles.soul, text);
  const why = await judge(soul);
  if (why === undefined) return { text: soul, files: [], notices: [] };
  return {
    files: [{ path: homeFiles.soul, text: soul, isSuspect: true }],
    notices: [suspectNotice(homeFiles.soul, path, why)],
  };
}

async function readRules(
  { values }: LoadedConfig,
  { model, place, judge, remoteFiles, signal, say }: PromptOptions,
): Promise<ContextFiles> {
  const maxChars = values.context_file_max_chars ?? charsFor(model);
  const find = async (folder: ContextFolder): Promise<ContextFiles> => {
    const cwd = await folder.real(place.cwd);
    const root = place.workspace ?? (place.backend === "local" ? cwd : await gitRoot(folder, cwd));
    return contextFiles(folder, { cwd, root, maxChars, judge });
  };
  if (place.backend === "local") return find(localFolder);
  const findRemote = async () => {
    const files = await remoteFiles();
    return files ? find(remoteFolder(files, signal)) : noFiles;
  };
  const limit = `${maxRemoteMs / 1_000} s`;
  using _notice = systemClock.after(quietMs, () => say(`Waiting at most ${limit} for ${place.backend} to answer.`));
  const result = await waitFor(findRemote(), { signal, ms: maxRemoteMs, clock: systemClock });
  if (result.how === "done") return result.value;
  if (signal.aborted) return noFiles;
  return {
    files: [],
    notices: [`${place.backend} did not answer within ${limit}: this session has no project rules.`],
  };
}

const maxRemoteMs = 15_000;
const quietMs = 1_500;

/** Hints about the display of answers, by the source of the session. */
const platformHints: Readonly<Record<string, string>> = {
  cli: "Answers appear in a terminal: short lines, plain Markdown.",
  oneshot: "Nobody can answer questions: finish the work without asking.",
};

/** Max characters of a context file: 6 % of the window, at four characters per token. */
function charsFor({ contextTokens }: ModelFacts): number {
  return Math.min(500_000, Math.max(20_000, Math.floor(contextTokens * 0.06 * 4)));
}

/** The date in the time zone of this machine. */
function dayOf(now: number): string {
  const day = new Date(now);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/**
 * The nearest parent with a `.git`, else the folder itself. Returns the folder itself if the machine cannot be reached
 * and the path is not absolute.
 */
export async function gitRoot(folder: ContextFolder, cwd: string): Promise<string> {
  for (let current = cwd; posix.isAbsolute(current); current = posix.dirname(current)) {
    if ((await folder.list(current)).includes(".git")) return current;
    if (current === "/") break;
  }
  return cwd;
}

/** Lines of the prompt about the environment of commands. */
function placeLines(place: Place, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const where =
    place.backend === "local" ? `this machine (${machine(env)})` : `${place.backend}, away from this machine`;
  const project = place.workspace !== undefined && place.workspace !== place.cwd ? `; project: ${place.workspace}` : "";
  return [
    `Commands run on ${where}. Working folder: ${place.cwd}${project}.`,
    ...(place.isolated
      ? [
          "Commands that nobody approved run in a sandbox: secrets are hidden from them, and they write only in the project and in temporary folders.",
        ]
      : []),
  ];
}

function machine(env: Readonly<Record<string, string | undefined>>): string {
  const shell = findShell(env);
  const system = `${systems[platform()] ?? platform()} ${arch()}${isWsl() ? ", in WSL" : ""}`;
  return shell.ok ? `${system}, ${basename(shell.value.program)}` : system;
}

const systems: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

function isWsl(): boolean {
  return platform() === "linux" && /microsoft/iu.test(release());
}
