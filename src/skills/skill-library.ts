import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type {
  SkillAuthor,
  SkillCard,
  SkillChange,
  SkillFault,
  SkillLibrary,
  SkillPage,
  SkillVariable,
  SkillWatcher,
} from "../contracts/knowledge/skill.ts";
import { statesNow } from "./file-states.ts";
import { findSkill, withDistinctNames } from "./find-skill.ts";
import { skillFile } from "./frontmatter.ts";
import { readinessOf, type ReadinessDeps } from "./readiness.ts";
import type { Shelf, ShelvedSkill } from "./shelf.ts";
import type { ChangeBy, SkillKeeper } from "./skill-keeper.ts";
import { readPending } from "./skill-overlay.ts";
import { type PageDeps, pageText } from "./skill-page.ts";
import { type SkillSurroundings, whyHidden } from "./visibility.ts";

export interface LibraryDeps extends PageDeps {
  /** The folder of skills of the home. */
  readonly home: string;
  readonly author: SkillAuthor;
  shelf(): Promise<Shelf>;
  readonly surroundings: SkillSurroundings;
  readonly readiness: ReadinessDeps;
  readonly keeper: SkillKeeper;
  readonly confirm?: ChangeBy["confirm"];
  /** Asks the person for a value and stores it for commands. False: no value was given. */
  readonly askVariable?: (variable: SkillVariable, skill: string, signal: AbortSignal) => Promise<boolean>;
  readonly watcher?: SkillWatcher;
  /** Called when the model loads the skill. */
  loaded(skill: ShelvedSkill): void;
  /** Tells the person that a skill was not loaded. */
  warn(sentence: string): void;
}

export function createSkillLibrary(deps: LibraryDeps): SkillLibrary {
  const { author, watcher, surroundings } = deps;

  async function loadable(name: string): Promise<Result<ShelvedSkill, SkillFault>> {
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
        const why = each.danger ?? whyHidden(each.head, surroundings);
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
        const state = pending ?? (skill.files.includes(file) ? statesNow(skill.folder, [file])[file] : undefined);
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
      // A background job builds on the pending change, not on the file.
      const asked =
        author === "background" && (change.action === "edit" || change.action === "write_file")
          ? withoutBasis(change)
          : change;
      const changed = await deps.keeper.change(asked, by, signal);
      if (changed.ok) watcher?.happened(change.name, change.action, author, deps.sessionId);
      return changed;
    },
  };

  /** Asks while a person is present; the page lists missing values. */
  async function collectVariables({ head, name }: ShelvedSkill, signal: AbortSignal): Promise<void> {
    if (!deps.askVariable) return;
    for (const variable of readinessOf(head, deps.readiness).variables)
      if (!(await deps.askVariable(variable, name, signal))) return;
  }

  function pageOf(skill: ShelvedSkill, file: string | undefined, content: string): SkillPage {
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
