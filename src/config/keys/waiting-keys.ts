/**
 * Keys that are read and kept but have no effect yet, with the feature that will use them. A key includes all keys
 * below it.
 */
export const waitingKeys: Readonly<Record<string, string>> = {
  "auxiliary.session_search": "summaries of found sessions",
  "auxiliary.skills_hub": "reviews of skills by a model",
  "auxiliary.profile_describer": "descriptions of profiles",
  "auxiliary.curator": "maintenance of skills by a model",
  "security.tirith_enabled": "the external scanner tirith",
  "security.tirith_path": "the external scanner tirith",
  "security.tirith_timeout": "the external scanner tirith",
  "security.tirith_fail_open": "the external scanner tirith",
};

/** The key of this list that equals the given key or contains it. */
export function waitingKeyOf(key: string): string | undefined {
  return Object.keys(waitingKeys).find((each) => key === each || key.startsWith(`${each}.`));
}

/** One warning for each waiting key that is set. */
export function waitingWarnings(keys: Iterable<string>): readonly string[] {
  const waiting = new Set([...keys].flatMap((key) => waitingKeyOf(key) ?? []));
  return [...waiting].map((key) => `${key} has no effect yet: this version lacks ${waitingKeys[key]}.`);
}
