import type { Clock } from "../../base/clock.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { makeScratchFolder } from "../../config/scratch-folder.ts";
import { judgePublishedSkill } from "../../safety/skills.ts";
import { cloneRepository } from "../../skills/hub/clone-repository.ts";
import { createBrowseSh, createOfficial, createSkillsSh } from "../../skills/hub/directory-sources.ts";
import { createGitSource, createLocalSource } from "../../skills/hub/folder-sources.ts";
import { createGitHub } from "../../skills/hub/github-source.ts";
import { createHubHttp } from "../../skills/hub/hub-http.ts";
import { createHubState, type HubState } from "../../skills/hub/hub-lock.ts";
import { createClaudeMarketplaces, createClawHub, createLobeHub } from "../../skills/hub/market-sources.ts";
import { createSkillHub, type InspectedSkill, type SkillHub } from "../../skills/hub/skill-hub.ts";
import { tapKind, type TapKind } from "../../skills/hub/tap-kind.ts";
import { createUrlSource, createWellKnown } from "../../skills/hub/web-sources.ts";
import { openWeb } from "../policy/open-web.ts";
import type { OpenedSkills } from "./open-skills.ts";

export type { InspectedSkill } from "../../skills/hub/skill-hub.ts";

export interface OpenedHub {
  readonly hub: SkillHub;
  /** Skills inspected last, by id and requested name, so that an install does not download them again. */
  readonly inspected: Map<string, InspectedSkill>;
  readonly state: HubState;
}

/** Skills from others, from all sources of the settings and the taps. */
export function openHub(
  config: LoadedConfig,
  skills: OpenedSkills,
  surroundings: { readonly cwd: string; readonly clock: Clock },
): OpenedHub {
  const { skills_hub: settings } = config.values;
  const state = createHubState(skills.folder);
  const http = createHubHttp(openWeb(config, surroundings));
  const taps = (kind: TapKind) => async () => state.taps().filter((tap) => tapKind(tap) === kind);
  const github = createGitHub({
    http,
    api: trimmed(settings.github_api),
    raw: trimmed(settings.github_raw),
    token: config.secrets.get("GITHUB_TOKEN"),
    taps: async () => [...new Set([...settings.taps, ...(await taps("github")())])],
  });
  const sources = [
    createLocalSource(taps("folder")),
    createGitSource(
      (url, signal) =>
        cloneRepository(url, {
          env: config.env,
          signal,
          makeFolder: (kind) => makeScratchFolder(config.home.path, kind),
        }),
      async () => (await taps("git")()).map((tap) => tap.replace(/^git:/u, "")),
    ),
    createWellKnown(http, taps("site")),
    createOfficial(github, settings.official),
    createSkillsSh(http, github, trimmed(settings.skills_sh)),
    createBrowseSh(http, trimmed(settings.browse_sh)),
    createClawHub(http, trimmed(settings.clawhub)),
    createClaudeMarketplaces(github, async () => settings.marketplaces),
    createLobeHub(http, trimmed(settings.lobehub)),
    createUrlSource(http),
    github,
  ];
  const hub = createSkillHub({
    skills: skills.folder,
    sources,
    state,
    keeper: skills.keeper,
    shelf: () => skills.shelf(),
    judge: (entries, publisher) =>
      judgePublishedSkill(entries, publisher, { home: userFolder(config.env), user: config.user }),
    clock: surroundings.clock,
  });
  return { hub, state, inspected: new Map() };
}

function trimmed(url: string): string {
  return url.replace(/\/$/u, "");
}
