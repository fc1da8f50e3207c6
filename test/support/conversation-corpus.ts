import type { SearchedRole } from "../../src/contracts/session/session-search.ts";

/** Generated conversations, the same for the same seed, with realistic word frequencies in each language. */
const languages = ["english", "german", "russian", "chinese", "japanese", "arabic", "korean", "thai"] as const;
export type Language = (typeof languages)[number];

export interface MadeMessage {
  readonly role: SearchedRole;
  readonly text: string;
  /** The words as in the text, without separators. */
  readonly words: readonly string[];
}

export interface MadeConversation {
  readonly language: Language;
  readonly title: string;
  readonly messages: readonly MadeMessage[];
}

export interface Corpus {
  conversation(): MadeConversation;
  /** The nth most frequent word of a language. */
  word(language: Language, rank: number): string;
  random(): number;
}

export function createCorpus(seed: number, spoken: readonly Language[] = languages, vocabulary = 20_000): Corpus {
  const random = createRandom(seed);
  const words = new Map(spoken.map((language) => [language, vocabularyOf(language, vocabulary)]));
  const wordAt = (language: Language, rank: number) => words.get(language)?.[rank] ?? "";
  const below = (count: number) => Math.floor(random() * count);
  /** Zipf: the nth word occurs 1/n times as often as the first. */
  const someWord = (language: Language) => wordAt(language, Math.floor((vocabulary + 1) ** random()) - 1);

  function message(role: SearchedRole, language: Language): MadeMessage {
    const length = role === "user" ? 8 + below(30) : role === "assistant" ? 40 + below(120) : 60 + below(160);
    const messages: string[] = [];
    const all: string[] = [];
    const glue = gluedScripts.has(language) ? "" : " ";
    for (let index = 0; index < length; index++) {
      const isCode = random() < (role === "tool" ? 0.25 : 0.04);
      const word = isCode ? identifier() : someWord(language);
      if (!isCode) all.push(word);
      const stop = index % 12 === 11 || index === length - 1 ? (glue === "" ? "。" : ".") : "";
      messages.push(isCode && glue === "" ? ` ${word} ` : word, stop, stop === "." || stop === "" ? glue : "");
    }
    return { role, text: messages.join(""), words: all };
  }

  function identifier(): string {
    const parts = Array.from({ length: 2 + below(2) }, () => codeWords[below(codeWords.length)] ?? "");
    const number = random() < 0.1 ? String(below(10_000)) : "";
    if (random() < 0.4) return parts.map((part, index) => (index === 0 ? part : capital(part))).join("") + number;
    return random() < 0.5 ? parts.join("_") + number : `src/${parts.join("/")}${number}.ts`;
  }

  return {
    random,
    word: wordAt,
    conversation() {
      const language = spoken[below(spoken.length)] ?? "english";
      const turns = 3 + below(8);
      const glue = gluedScripts.has(language) ? "" : " ";
      return {
        language,
        title: Array.from({ length: 4 }, () => someWord(language)).join(glue),
        messages: Array.from({ length: turns }, () => [
          message("user", language),
          message("tool", language),
          message("assistant", language),
        ]).flat(),
      };
    },
  };
}

/** Pseudo-random numbers from 0 to below 1. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const gluedScripts: ReadonlySet<Language> = new Set(["chinese", "japanese", "thai"]);
const codeWords =
  "get set user name index store search file path open close read write parse token session entry cache build run test node list map error retry config load save".split(
    " ",
  );

/** The parts of a language's words. */
const sounds: Readonly<Record<Language, { readonly first: string; readonly second: string; readonly most: number }>> = {
  english: { first: "b c d f g h l m n p r s t w st tr ch sh", second: "a e i o u ea ou er in on al", most: 4 },
  german: { first: "b d f g h k l m n r s t w sch st ü ö ä", second: "e a i o u ei ie äu en er ß", most: 5 },
  russian: { first: "б в г д ж з к л м н п р с т ч", second: "а е и о у ы я ю ой ий ов ёр", most: 4 },
  arabic: { first: "ب ت ج ح د ر س ش ع ف ق ك ل م ن", second: "ا ي و ة أ إ", most: 4 },
  chinese: { first: range(0x4e00, 1_400), second: "", most: 3 },
  japanese: { first: `${range(0x3042, 78)} ${range(0x6000, 700)} ${range(0x30a2, 80)}`, second: "", most: 4 },
  korean: { first: range(0xac00, 1_200, 9), second: "", most: 4 },
  thai: { first: range(0x0e01, 46), second: "า ิ ี ุ ู เ แ โ", most: 4 },
};

function vocabularyOf(language: Language, count: number): readonly string[] {
  const random = createRandom(language.length * 7_919 + language.charCodeAt(1));
  const { first, second, most: max } = sounds[language];
  const [one, two] = [first.split(" "), second.split(" ")];
  // Some letters and syllables are much more frequent than others, as in real languages.
  const pick = (from: readonly string[]) => from[Math.floor((from.length + 1) ** random()) - 1] ?? "";
  const words = new Set<string>();
  while (words.size < count) {
    const rank = words.size;
    const syllables = Math.min(max, 1 + Math.floor(random() * 2) + (rank > 100 ? 1 : 0) + (rank > 5_000 ? 1 : 0));
    words.add(Array.from({ length: syllables }, () => pick(one) + pick(two)).join(""));
  }
  return [...words];
}

function range(from: number, count: number, step = 1): string {
  return Array.from({ length: count }, (_, index) => String.fromCharCode(from + index * step)).join(" ");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
