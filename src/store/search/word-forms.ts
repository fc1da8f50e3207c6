/**
 * Other forms that a word may have in a text: endings and spellings. Not a grammar; what is no word at all is found
 * nowhere. Folded, without the word itself.
 */
export function wordForms(word: string): readonly string[] {
  const rules = /^[a-z]+$/u.test(word) ? latin : /^[\u0430-\u044f\u0451]+$/u.test(word) ? cyrillic : undefined;
  if (/^[\u0620-\u064a]+$/u.test(word)) return arabicForms(word);
  if (!rules || word.length < shortest) return [];
  const forms = new Set<string>();
  const stems = new Set([word]);
  for (const ending of rules) {
    if (ending !== "" && word.endsWith(ending) && word.length - ending.length >= shortest - 1) {
      stems.add(word.slice(0, -ending.length));
    }
  }
  for (const stem of [...stems].slice(0, mostStems)) for (const ending of rules) forms.add(stem + ending);
  // Words with umlauts, as they are written on keyboards without.
  const umlauts = word.replace(/(?<=.)([aou])e/gu, "$1");
  if (rules === latin && umlauts !== word) forms.add(umlauts);
  forms.delete(word);
  return [...forms];
}

const shortest = 4;
const mostStems = 3;
const latin = ["", "s", "es", "e", "ed", "d", "ing", "er", "ers", "en", "n", "em", "ment", "ments", "ly"];
const cyrillic = "|а|я|о|е|ы|и|у|ю|ой|ей|ом|ем|ам|ах|ов|ев|ии|ая|ое|ые|ого|ому|ым|ых|ть|л|ла|ли|ет|ут".split("|");

/** With and without the article and the usual endings. */
function arabicForms(word: string): readonly string[] {
  const bare = word.startsWith("ال") && word.length > shortest ? word.slice(2) : word;
  const forms = ["", "ات", "ون", "ين", "ها", "ه", "ي"].flatMap((ending) => [bare + ending, `ال${bare}${ending}`]);
  return [...forms, `و${bare}`, `ب${bare}`, `ل${bare}`].filter((form) => form !== word);
}
