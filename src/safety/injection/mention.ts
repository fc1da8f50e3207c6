/**
 * Returns whether a line only mentions such a sentence, as an article, a test or a list of attacks does: the sentence
 * is in quotes or code, and the line calls it an example. Other lines are not considered, because an attacker can write
 * them too.
 */
export function isMention(whole: string, from: number, to: number): boolean {
  const lineStart = Math.max(whole.lastIndexOf("\n", from - 1) + 1, from - maxLine);
  const lineEnd = whole.indexOf("\n", to);
  const text = whole.slice(lineStart, Math.min(lineEnd === -1 ? whole.length : lineEnd, to + maxLine));
  const start = from - lineStart;
  const end = to - lineStart;
  if (isTold(text, start, end)) return true;
  if (!isQuoted(text, start, end)) return false;
  const around = `${text.slice(0, start)} … ${text.slice(end)}`;
  return descriptive.test(around.replaceAll(/https?:\/\/\S+|[\w-]+\.example\b/giu, ""));
}

const maxLine = 300;

/**
 * Returns whether adjacent words mark the sentence as an example without quotes: "attackers put text like …", "… is the
 * classic payload".
 */
function isTold(text: string, start: number, end: number): boolean {
  return describing.test(text.slice(Math.max(0, start - 80), start)) || describing.test(text.slice(end, end + 60));
}

const describing =
  /\b(?:attackers?(?![\w-]*\.\w)|payloads?(?!\.\w)|text like|strings? like|classic|tokens? (?:are|wraps?)|wraps? the|delimits?|some(?:body|one) ran)\b/iu;

function isQuoted(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 60), start);
  const opening = /(?:^|[\s([{=:>,])(["'`“”‘«„‚「『‹])[^"'`“”«»„「」『』\n]{0,40}$/u.exec(before);
  if (opening && !field.test(before) && /["'`”“’»」』›]/u.test(text.slice(start, end + 200))) return true;
  return (text.slice(0, start).match(/`/gu)?.length ?? 0) % 2 === 1 && text.slice(start).includes("`");
}

/** Quotation marks around a JSON field are syntax; they do not mark the text as a quotation. */
const field = /["']\s{0,4}:\s{0,4}\[?\s{0,4}["'][^"']*$/u;

const descriptive =
  /\bgrep\b|\bmeans\b|translation|\bif an? [\w ]{3,30} says|\bif the [\w ]{3,30} says|if they say|gandalf|\brg\b|search(?:es|ing)? for|inject|attack|jailbreak|malicious|adversar|exploit|phish|\bexamples?\b|\be\.g\.|such as|phrases?\b|sentences?\b|\bstrings?\b|payload|detect|scan|filter|refuse|untrusted|\btests?\b|assert|expect|owasp|red.?team|tokens?\b|template|format|wraps?\b|wrote|trick|angriff|beispiel|attaque|exemple|ataque|ejemplo|exemplo|attacco|esempio|inyecc|injeç|iniezion|атак|пример|инъекц|攻[击擊撃]|例|注入|インジェクション|공격|예시|인젝션/iu;
