/**
 * Does a text only talk about such a sentence: an article, a test, a list of attacks? It stands in quotes or code, and
 * the words around it say what it is an example of.
 */
export function isMention(text: string, start: number, end: number): boolean {
  if (!isQuoted(text, start, end)) return false;
  const around = `${text.slice(Math.max(0, start - 300), start)} … ${text.slice(end, end + 200)}`;
  return descriptive.test(around.replaceAll(/https?:\/\/\S+|[\w-]+\.example\b/giu, ""));
}

/** Does the text before a verb, in small letters, give it a subject or a negation, so that it is no order to the reader? */
export function isDescribed(before: string): boolean {
  return described.test(before) && !ordered.test(before);
}

function isQuoted(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 60), start);
  const opening = /(?:^|[\s([{=:>,])(["'`“”‘«„‚「『‹])[^"'`“”«»„「」『』\n]{0,40}$/u.exec(before);
  if (opening && !field.test(before) && /["'`”“’»」』›]/u.test(text.slice(start, end + 200))) return true;
  return isFenced(text, start);
}

/** The quotes of a field in JSON quote nothing. */
const field = /["']\s{0,4}:\s{0,4}\[?\s{0,4}["'][^"']*$/u;

function isFenced(text: string, start: number): boolean {
  const fences = text.slice(0, start).match(/^[ \t]*(?:```|~~~)/gmu)?.length ?? 0;
  return fences % 2 === 1;
}

const descriptive =
  /inject|attack|jailbreak|malicious|adversar|exploit|phish|\bexamples?\b|\be\.g\.|such as|phrases?\b|sentences?\b|\bstrings?\b|payload|detect|scan|filter|refuse|untrusted|\btests?\b|assert|expect|owasp|red.?team|tokens?\b|template|format|wraps?\b|wrote|trick|angriff|beispiel|attaque|exemple|ataque|ejemplo|exemplo|attacco|esempio|inyecc|injeç|iniezion|атак|пример|инъекц|攻[击擊撃]|例|注入|インジェクション|공격|예시|인젝션/iu;

const described =
  /(?:\b(?:not|never|n't|cannot|nicht|nie|niemals|nunca|jamais|non|mai|не|никогда|models?|attackers?|users?|students?|parsers?|he|she|it|they|we|i|which|that|who|may|might|could|would|can|sometimes|often|usually|says?|said|like|texts?|llms?|people|compilers?|tools?|scripts?|to)|\b(?:tell|tells|told|telling|ask|asks|asked|asking|instruct|instructs|instructing|trick|tricks|convince|make|makes|made)(?: an?| the| your| any)?(?: ai| language)?(?: models?| assistants?| agents?| llms?| bots?| us| them| him| her| jury)?)\s$|(?:模型|会|可能|有时|容易|不要|别|不能|要求)$/u;

const ordered =
  /\b(?:you|need|have|ought|required|ordered|asked you|told you|instructed|you are|wants?|assistant|ai|must|allowed|order you|tell you|ask you|going|free|sure)(?: is| are| you)? to\s$|\b(?:want|need|order|command|instruct|ask|tell|require)s? you to\s$|\bplease\s$/u;
