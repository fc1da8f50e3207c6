import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject, ownValue } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { version } from "../../base/version.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { setKey } from "../../config/write.ts";
import type { Asker, SecretAsker } from "../../contracts/host/ports.ts";
import type { SkillLibrary, SkillScores, SkillWatcher, FoundSkill } from "../../contracts/knowledge/skill.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import { endpointRows } from "../../providers/endpoints/find-row.ts";
import { needsSync, readBundledIndex } from "../../skills/bundled/bundled-index.ts";
import { syncBundled, type SyncReport } from "../../skills/bundled/sync-bundled.ts";
import { findSkill, withDistinctNames } from "../../skills/find-skill.ts";
import { createNamedSkills, type KnownSkills } from "../../skills/named-skills.ts";
import { skillIndex } from "../../skills/prompt-index.ts";
import { collectSkills, type SkillCollection } from "../../skills/skill-collection.ts";
import { createSkillKeeper, type SkillKeeper } from "../../skills/skill-keeper.ts";
import { cardOf, createSkillLibrary, type LibraryDeps } from "../../skills/skill-library.ts";
import type { SkillPlace } from "../../skills/skill-roots.ts";
import { hiddenReason } from "../../skills/visibility.ts";
import { skillCredential } from "../environment/credential-files.ts";
import { createSkillJudge } from "./judge-skill.ts";
import { bundledSkills, ownSkillRoots, projectSkillRoots } from "./skill-folders.ts";
import {
  createSkillGrants,
  dangerNotice,
  isDeferred,
  type SkillContext,
  skillSurroundings,
  type SkillGrants,
} from "./skill-surroundings.ts";

export interface SkillsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly say: (sentence: string) => void;
  /** The tools of a toolset. Undefined: toolsets do not hide skills. */
  readonly toolsIn?: (toolset: string) => ReadonlySet<string> | undefined;
  readonly scores?: SkillScores;
  readonly watcher?: SkillWatcher;
  readonly isPinned?: (name: string) => boolean;
  /** The start folder: skills of its project are used, unless a session names another. */
  readonly cwd?: string;
  /** Returns the current skills of plugins. */
  readonly contributed?: () => readonly SkillPlace[];
  /** Another folder of bundled skills. */
  readonly bundled?: string;
}

/** The skills of a home, for everything that reads or changes them. */
export interface OpenedSkills extends AsyncDisposable {
  /** The folder of skills of the home. */
  readonly folder: string;
  /** Folder of the bundled skills. */
  readonly bundled: string;
  readonly keeper: SkillKeeper;
  readonly named: KnownSkills;
  /** The skills that the user at the terminal sees. */
  readonly own: SkillLibrary;
  /** All skills; copies bundled ones first. */
  shelf(workspace?: string): Promise<SkillCollection>;
  library(of: SkillContext): SkillLibrary;
  /**
   * Gives commands of the session the variables and files of these skills. Ignores skills that are missing or must not
   * be loaded.
   */
  grant(of: SkillContext, names: readonly string[]): Promise<void>;
  /** The section of the system prompt, and notices about skills that are not in it. */
  index(of: SkillContext, signal: AbortSignal): Promise<{ readonly text: string; readonly notices: readonly string[] }>;
  /** Copies bundled skills now. */
  sync(signal: AbortSignal): Promise<SyncReport | { readonly fault: string }>;
}

/** Opens the skills. Files are read or created only at the first use. */
export function openSkills(config: LoadedConfig, deps: SkillsDeps): OpenedSkills {
  const { values, home } = config;
  const { clock, log, bundled = bundledSkills() } = deps;
  const folder = join(home.path, homeFiles.skills);
  const judge = createSkillJudge(config, bundled);
  const roots = ownSkillRoots(config);
  let syncing: Promise<SyncReport | { readonly fault: string }> | undefined;

  async function sync(signal: AbortSignal): Promise<SyncReport | { readonly fault: string }> {
    const external = await collectSkills({ home: folder, roots: roots.slice(1), judge, version });
    const supplied = new Set(external.skills.map(({ name }) => name));
    const synced = await syncBundled({ bundled, home: folder, supplied, clock }, signal);
    if (!synced.ok) {
      log.warn("skills.not_synced", { why: synced.error });
      return { fault: synced.error };
    }
    for (const warning of synced.value.warnings) deps.say(warning);
    return synced.value;
  }
  const synced = () => (syncing ??= sync(new AbortController().signal));

  const startedIn = once(async () =>
    deps.cwd === undefined ? undefined : (await workspaceOf(deps.cwd, userFolder(config.env))).root,
  );

  async function shelf(workspace?: string): Promise<SkillCollection> {
    // If the home is read-only, bundled skills are used from the installation.
    const inPlace = needsSync(readBundledIndex(bundled), folder) && "fault" in (await synced());
    const project = await projectSkillRoots(config, workspace ?? (await startedIn()));
    const all = [...roots, ...project.roots, ...(inPlace ? [{ path: bundled, kind: "external" as const }] : [])];
    return collectSkills({ home: folder, roots: all, judge, version, contributed: deps.contributed?.() ?? [] });
  }

  const keeper = createSkillKeeper({
    home: folder,
    shelf,
    judge,
    clock,
    keepEntries: values.skills.history_keep,
    mustApprove: values.skills.write_approval,
    isPinned: deps.isPinned ?? (() => false),
  });

  function library(of: SkillContext): SkillLibrary {
    const { grants = createSkillGrants() } = of;
    const { variables } = grants;
    const notices = new Set<string>();
    const declined = new Set<string>();
    const variable = (name: string) => variables.get(name) ?? config.secrets.get(name);
    const libraryDeps: LibraryDeps = {
      home: folder,
      author: of.author,
      shelf: () => shelf(of.workspace),
      surroundings: skillSurroundings(config, of, deps.toolsIn),
      readiness: {
        variable,
        home: home.path,
        isCredentialFile: (path) => skillCredential(home.path, path).ok,
        isElsewhere: of.backend !== "local",
        hasMcpServer: (name) => hasMcpServer(values.mcp_servers, name),
        platform: process.platform,
      },
      keeper,
      sessionId: of.sessionId,
      folderOf: (skill) =>
        of.backend === "local" || skill.place.root.kind !== "home"
          ? skill.folder
          : `~/.hermes/${homeFiles.skills}/${skill.place.path}`,
      setting(key) {
        const value = values.skills.config[key];
        return value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);
      },
      ...(values.skills.inline_shell && of.inlineShell && { inlineShell: of.inlineShell }),
      ...(of.asker?.approve && { confirm: confirmBy(of.asker.approve) }),
      ...(of.secretAsker && { askVariable: askBy(of.secretAsker) }),
      ...(deps.watcher && { watcher: deps.watcher }),
      loaded: (skill) => grantSkill(skill, grants, config, (name, setting) => notGiven(name, skill.name, setting)),
      warn: deps.say,
    };
    return createSkillLibrary(libraryDeps);

    function notGiven(name: string, skill: string, setting: string): void {
      if (notices.has(name)) return;
      notices.add(name);
      const why = `The skill ${skill} names ${name}, which commands do not see just because a skill asks for it`;
      deps.say(`${why}; if they should, add it to ${setting}.`);
    }

    function askBy(asker: SecretAsker): NonNullable<LibraryDeps["askVariable"]> {
      return async ({ name, prompt, help }, skill, signal) => {
        if (declined.has(name)) return false;
        const answer = await asker.askSecret(name, `The skill ${skill} needs ${name}: ${help ?? prompt}`, signal);
        if (!answer.ok) {
          declined.add(name);
          return false;
        }
        of.hide?.(answer.value);
        variables.set(name, answer.value);
        const kept = await setKey(home, name, answer.value, { signal, clock, force: false });
        if (!kept.ok) deps.say(`${name} is used in this conversation and could not be stored.`);
        return true;
      };
    }
  }

  const own = library({ author: "user", backend: "local", source: "cli" });
  const named = createNamedSkills({
    bundlesFolder: join(home.path, homeFiles.skillBundles),
    shelf,
    library: own,
    ...(deps.watcher && { watcher: deps.watcher }),
  });

  return {
    folder,
    bundled,
    keeper,
    named,
    own,
    shelf,
    library,
    async grant({ workspace, grants = createSkillGrants() }, names) {
      const { skills } = await shelf(workspace);
      for (const name of names) {
        const result = findSkill(name, skills);
        if (result.ok && result.value.danger === undefined) grantSkill(result.value, grants, config, () => {});
      }
    },
    async index(of, signal) {
      const { index_chars: maxChars } = values.skills;
      const { untrusted } = await projectSkillRoots(config, of.workspace);
      const shelved = await shelf(of.workspace);
      named.know(shelved);
      const surroundings = skillSurroundings(config, of, deps.toolsIn);
      const shown = withDistinctNames(shelved.skills).filter(
        ({ danger, head }) => !danger && !hiddenReason(head, surroundings),
      );
      const scores = (await deps.scores?.scores(signal)) ?? new Map<string, number>();
      const dangers = shelved.skills.flatMap(({ name, danger }) =>
        danger === undefined ? [] : [dangerNotice(name, danger)],
      );
      const project =
        untrusted === undefined
          ? []
          : [`The skills of ${untrusted} are not used: \`hermes trust ${untrusted}\` accepts them.`];
      return {
        text: skillIndex(shown.map(cardOf), { maxChars, scores, isDeferred: isDeferred(of) }),
        notices: [...dangers, ...project],
      };
    },
    sync: (signal) => (syncing = sync(signal)),
    [Symbol.asyncDispose]: async () => void (await syncing),
  };
}

/** The settings are a record by name, or a list of entries with `name`. */
function hasMcpServer(servers: unknown, name: string): boolean {
  const entry: unknown = Array.isArray(servers)
    ? servers.find((each) => isObject(each) && each["name"] === name)
    : isObject(servers) && ownValue(servers, name);
  return isObject(entry) && entry["enabled"] !== false;
}

function confirmBy(approve: NonNullable<Asker["approve"]>): NonNullable<LibraryDeps["confirm"]> {
  return async ({ text, reason, folder, diff }, signal) => {
    const asks = [{ key: text, rule: "skill_change", reason, spans: [] }];
    const question = { tool: "skill_manage", text, cwd: folder, backend: "local", asks, preview: diff };
    const answer = await approve(question, signal);
    if (answer?.scope !== "deny") return { isAllowed: answer !== undefined };
    return { isAllowed: false, ...(answer.reason !== undefined && { reason: answer.reason }) };
  };
}

/**
 * Passes the variables and files that the skill names to later commands, if permitted. `notGiven` receives the others,
 * with the setting that would allow them.
 */
function grantSkill(
  { origin, head }: Pick<FoundSkill, "origin" | "head">,
  { variables, files }: SkillGrants,
  { values: { terminal }, secrets, home }: LoadedConfig,
  notGiven: (name: string, setting: string) => void,
): void {
  // An untrusted skill could name any key or file, so the user must list it.
  const isTrusted = origin === "bundled" || origin === "user";
  for (const { name } of head.variables) {
    const value = secrets.get(name);
    if (value === undefined || variables.has(name) || terminal.env_passthrough.includes(name)) continue;
    if (isTrusted && !isProviderKey(name)) variables.set(name, value);
    else notGiven(name, "terminal.env_passthrough");
  }
  for (const { path } of head.credentialFiles) {
    const file = skillCredential(home.path, path);
    if (!file.ok || terminal.credential_files.includes(path)) continue;
    if (isTrusted) files.set(file.value.name, file.value);
    else notGiven(path, "terminal.credential_files");
  }
}

/** Keys of model providers never reach commands through a skill. */
function isProviderKey(name: string): boolean {
  return endpointRows.some(({ keyVars }) => keyVars.includes(name));
}
