import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import { version } from "../../base/version.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { NamedSkills, SkillCard, SkillHead } from "../../contracts/knowledge/skill.ts";
import { needsSync, readBundledIndex } from "../../skills/bundled/bundled-index.ts";
import { type CachedCard, cachedSkills } from "../../skills/card-cache.ts";
import { skillIndex } from "../../skills/prompt-index.ts";
import { folderText } from "../../skills/skill-roots.ts";
import { hiddenReason } from "../../skills/visibility.ts";
import type { OpenedSkills, SkillsDeps } from "./open-skills.ts";
import { bundledSkills, ownSkillRoots, projectSkillRoots } from "./skill-folders.ts";
import { dangerNotice, isDeferred, type SkillContext, skillSurroundings } from "./skill-surroundings.ts";

/** The skills of a runtime. A session that uses no skill reads only one small file. */
export interface OfferedSkills extends AsyncDisposable {
  /** The other functions of skills. The first call loads their code. */
  opened(): Promise<OpenedSkills>;
  readonly named: NamedSkills;
  /** Copies bundled skills and checks the cache afterwards, if a prompt was built from the cache alone. */
  refresh(): Promise<void>;
  /** The section of the system prompt, and notices about skills that are not in it. */
  index(of: SkillContext, signal: AbortSignal): Promise<{ readonly text: string; readonly notices: readonly string[] }>;
}

export function offerSkills(config: LoadedConfig, deps: SkillsDeps): OfferedSkills {
  const { values, home } = config;
  const { bundled = bundledSkills() } = deps;
  const folder = join(home.path, homeFiles.skills);
  const roots = ownSkillRoots(config);
  let isOpened = false;
  const opened = once(async () => {
    isOpened = true;
    const { openSkills } = await import("./open-skills.ts");
    return openSkills(config, { ...deps, bundled });
  });

  /**
   * Reads the skill summaries from the cache file. Undefined if skills were added or removed, or if two have the same
   * name.
   */
  function cachedCards(): readonly OfferedCard[] | undefined {
    const index = readBundledIndex(bundled);
    const cards = cachedSkills(folder, roots, version);
    if (!needsSync(index, folder)) return cards?.map(cardOf);
    // At the first start, uses the bundled skills that will be copied.
    const isFirst = cards === undefined && roots.length === 1 && folderText(folder) === "";
    return isFirst ? index?.skills.map(({ path, head }) => bundledCard(path, head)) : undefined;
  }

  let isFromFile = false;

  return {
    opened,
    async refresh() {
      if (isFromFile) await (await opened()).shelf();
    },
    named: lazyNames(opened, () => (cachedCards() ?? []).filter(({ danger }) => danger === undefined)),
    async index(of, signal) {
      const { index_chars: maxChars } = values.skills;
      if (maxChars === 0 || of.catalog?.has("skill_view") === false) return { text: "", notices: [] };
      const project = await projectSkillRoots(config, of.workspace);
      const hasMore = project.roots.length > 0 || project.untrusted !== undefined || deps.contributed?.().length;
      const cards = hasMore ? undefined : cachedCards();
      if (!cards || new Set(cards.map(({ name }) => name)).size < cards.length) {
        return (await opened()).index(of, signal);
      }
      isFromFile = true;
      const surroundings = skillSurroundings(config, of, deps.toolsIn);
      const shown = cards.filter(({ danger, head }) => danger === undefined && !hiddenReason(head, surroundings));
      const scores = (await deps.scores?.scores(signal)) ?? new Map<string, number>();
      return {
        text: skillIndex(shown, { maxChars, scores, isDeferred: isDeferred(of) }),
        notices: cards.flatMap(({ name, danger }) => (danger === undefined ? [] : [dangerNotice(name, danger)])),
      };
    },
    [Symbol.asyncDispose]: once(async () => {
      if (isOpened) await (await opened())[Symbol.asyncDispose]();
    }),
  };
}

interface OfferedCard extends SkillCard {
  readonly head: SkillHead;
  readonly danger?: string;
}

function cardOf({ head, origin, category, danger = "", isTrusted }: CachedCard): OfferedCard {
  const { name, description, tags } = head;
  return {
    name,
    description,
    origin,
    tags,
    head,
    ...(category !== undefined && { category }),
    ...(danger !== "" && !isTrusted && { danger }),
  };
}

function bundledCard(path: string, head: SkillHead): OfferedCard {
  const category = path.split("/").slice(0, -1).join("/");
  const { name, description, tags } = head;
  return { name, description, origin: "bundled", tags, head, ...(category !== "" && { category }) };
}

/** `knownNames`: the names of usable skills from the cache, until all skills are loaded. */
function lazyNames(opened: () => Promise<OpenedSkills>, knownNames: () => readonly SkillCard[]): NamedSkills {
  let isAsked = false;
  let named: NamedSkills | undefined;
  const load = async () => (named ??= (await opened()).named);
  return {
    usable() {
      // The first call starts loading; later calls also see the skills of projects and bundles.
      if (!isAsked) void load().then((names) => names.usable());
      isAsked = true;
      const usable = named?.usable() ?? [];
      return usable.length > 0 ? usable : knownNames().map(({ name, description }) => ({ name, description }));
    },
    use: async (...given) => (await load()).use(...given),
    preload: async (...given) => (await load()).preload(...given),
  };
}
