import { wordsOf } from "./words.ts";

/** By word, as `wordsOf` spells it: the others that people use for the same thing, so that either finds a tool. */
export function createSynonyms(): ReadonlyMap<string, readonly string[]> {
  const synonyms = new Map<string, readonly string[]>();
  for (const line of sameMeaning) {
    const words = [...new Set(wordsOf(line))];
    for (const word of words) synonyms.set(word, [...(synonyms.get(word) ?? []), ...words.filter((w) => w !== word)]);
  }
  return synonyms;
}

const sameMeaning: readonly string[] = [
  "image picture photo drawing",
  "draw generate",
  "create make new",
  "web internet google online",
  "website page site",
  "email mail",
  "event appointment meeting calendar",
  "speech speak spoken voice aloud",
  "track song music",
  "post tweet",
  "message chat text",
  "conversation chat session",
  "look describe analyze see",
  "delete remove",
  "change edit update modify",
  "terminal shell bash command",
  "folder directory",
  "schedule reminder cron timer",
  "remember memory note",
  "fetch download get",
  "ask question",
  "task todo ticket issue",
];
