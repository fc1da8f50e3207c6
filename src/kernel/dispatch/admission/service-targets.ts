import type { Place } from "../../../contracts/tool/effect.ts";
import type { Services } from "../../../contracts/tool/services.ts";

/** Returns the servers of a feature whose service the settings choose. */
export function serviceTargets({
  pages,
  generator,
  speech,
}: Pick<Services, "pages" | "generator" | "speech">): NonNullable<Place["serviceTargets"]> {
  return async (feature, provider) => {
    if (feature === "search") return pages.searchTargets();
    if (feature === "speech") return speech.targets(provider);
    const facts = await generator.facts(feature, new AbortController().signal);
    return facts.ok ? facts.value.targets : [];
  };
}
