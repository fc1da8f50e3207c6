import { english, type ScreenTexts } from "./english.ts";
import { createTranslator } from "./translate-reply.ts";

/** The texts of the screen, which change in place when the settings name another language. */
export interface ChangingTexts {
  /** The current texts. Parts may keep a reference to this object and its sections, but not to single texts. */
  readonly texts: ScreenTexts;
  /** Translates a reply or another text of the program that is written in English only. */
  translate(text: string): string;
  /** Switches the language. A language without a translation shows English. */
  useLanguage(language: string): Promise<void>;
}

export function createChangingTexts(): ChangingTexts {
  const texts = copied(english);
  let translate = createTranslator(english.replies);
  return {
    texts,
    translate: (text) => translate(text),
    async useLanguage(language) {
      replaced(texts, /^zh(?:$|[-_])/iu.test(language) ? (await import("./chinese.ts")).chinese : english);
      translate = createTranslator(texts.replies);
    },
  };
}

function copied<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  // The cast is safe: both objects have the same keys.
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each)])) as Value;
}

/** Puts the texts of another language into the same objects. */
function replaced<Value>(own: Value, other: Value): Value {
  if (typeof own !== "object" || own === null || typeof other !== "object" || other === null) return other;
  const sections = own as Record<string, unknown>;
  // The lists of commands and keys are empty in English.
  for (const key of Object.keys(sections)) if (!(key in other)) delete sections[key];
  for (const [key, value] of Object.entries(other)) sections[key] = replaced(sections[key], value);
  return own;
}
