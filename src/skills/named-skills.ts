import { err, ok, type Result } from "../base/result.ts";
import type { NamedSkills, SkillFault, SkillLibrary, SkillPage, SkillWatcher } from "../contracts/knowledge/skill.ts";
import { withDistinctNames } from "./find-skill.ts";
import { readBundles, type SkillBundle } from "./skill-bundles.ts";
import type { SkillCollection } from "./skill-collection.ts";
import { skillBlock } from "./used-skills.ts";

interface NamedSkillsDeps {
  readonly bundlesFolder: string;
  shelf(): Promise<SkillCollection>;
  /** The user's skill library. */
  readonly library: SkillLibrary;
  readonly watcher?: SkillWatcher;
}

export interface KnownSkills extends NamedSkills {
  /** Reuses skills that were already read. */
  know(shelf: SkillCollection): void;
  /** Reads skills and bundles again. */
  reload(): Promise<void>;
}

export function createNamedSkills({ bundlesFolder, shelf, library, watcher }: NamedSkillsDeps): KnownSkills {
  let knownNames: readonly { readonly name: string; readonly description: string }[] = [];
  let isAsked = false;
  const bundles = () => readBundles(bundlesFolder);

  function know({ skills }: SkillCollection, also: readonly SkillBundle[] = []): void {
    isAsked = true;
    const usable = withDistinctNames(skills).filter(({ danger }) => danger === undefined);
    knownNames = [...usable, ...also].map(({ name, description }) => ({ name, description }));
  }

  async function pagesOf(
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<Result<readonly SkillPage[], SkillFault>> {
    const pages: SkillPage[] = [];
    for (const name of names) {
      const page = await library.view(name, undefined, signal);
      if (!page.ok) return page;
      pages.push(page.value);
      watcher?.happened(page.value.card.name, "used", "user");
    }
    return ok(pages);
  }

  return {
    know,
    async reload() {
      const [skills, also] = await Promise.all([shelf(), bundles()]);
      know(skills, also.bundles);
    },
    usable() {
      // The first call starts loading; later completions include the names.
      if (!isAsked) {
        isAsked = true;
        void Promise.all([shelf(), bundles()]).then(
          ([shelf, also]) => know(shelf, also.bundles),
          () => {},
        );
      }
      return knownNames;
    },
    async use(name, request, signal) {
      const bundle = (await bundles()).bundles.find((each) => each.name === name);
      const pages = await pagesOf(bundle?.skills ?? [name], signal);
      if (!pages.ok && bundle)
        return err({ ...pages.error, kind: "failed", message: `${name}: ${pages.error.message}` });
      return pages.ok ? ok(usedText(pages.value, bundle, request)) : pages;
    },
    async preload(names, signal) {
      const pages = await pagesOf(names, signal);
      return pages.ok
        ? ok(["The user asks you to use these skills.", ...pages.value.map(skillBlock)].join("\n\n"))
        : pages;
    },
  };
}

function usedText(pages: readonly SkillPage[], bundle: SkillBundle | undefined, request: string): string {
  const names = pages.map(({ card }) => card.name).join(", ");
  return [
    `Use the ${pages.length === 1 ? "skill" : "skills"} ${names} for this:`,
    request === "" ? "(no further instructions: start, or ask what is missing)" : request,
    ...(bundle?.instruction === undefined ? [] : [bundle.instruction]),
    ...pages.map(skillBlock),
  ].join("\n\n");
}
