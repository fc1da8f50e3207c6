import { endsInCodeBlock } from "../../base/text/text.ts";

/**
 * Whether a text only mentions such a sentence, like an article, a test or a list of attacks does: the sentence is in
 * quotes or code, and the words around it call it an example.
 */
export function isMention(text: string, start: number, end: number): boolean {
  if (isTold(text, start, end)) return true;
  if (!isQuoted(text, start, end)) return false;
  const around = `${text.slice(Math.max(0, start - 300), start)} … ${text.slice(end, end + 200)}`;
  return descriptive.test(around.replaceAll(/https?:\/\/\S+|[\w-]+\.example\b/giu, ""));
}

/**
 * Whether adjacent words mark it as an example without quotes: "attackers put text like …", "… is the classic payload".
 */
function isTold(text: string, start: number, end: number): boolean {
  return describing.test(text.slice(Math.max(0, start - 80), start)) || describing.test(text.slice(end, end + 60));
}

const describing =
  /\b(?:attackers?|payloads?|text like|strings? like|classic|tokens? (?:are|wraps?)|wraps? the|delimits?|some(?:body|one) ran)\b/iu;

function isQuoted(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 60), start);
  const opening = /(?:^|[\s([{=:>,])(["'`“”‘«„‚「『‹])[^"'`“”«»„「」『』\n]{0,40}$/u.exec(before);
  if (opening && !field.test(before) && /["'`”“’»」』›]/u.test(text.slice(start, end + 200))) return true;
  return isInlineCode(text, start, end) || endsInCodeBlock(text.slice(0, start));
}

function isInlineCode(text: string, start: number, end: number): boolean {
  const line = text.slice(Math.max(text.lastIndexOf("\n", start) + 1, start - 500), start);
  return (line.match(/`/gu)?.length ?? 0) % 2 === 1 && text.slice(start, end + 300).includes("`");
}

/** Quotes around a JSON field do not quote anything. */
const field = /["']\s{0,4}:\s{0,4}\[?\s{0,4}["'][^"']*$/u;

const descriptive =
  /\bgrep\b|\bmeans\b|translation|\bif an? [\w ]{3,30} says|\bif the [\w ]{3,30} says|if they say|gandalf|\brg\b|search(?:es|ing)? for|inject|attack|jailbreak|malicious|adversar|exploit|phish|\bexamples?\b|\be\.g\.|such as|phrases?\b|sentences?\b|\bstrings?\b|payload|detect|scan|filter|refuse|untrusted|\btests?\b|assert|expect|owasp|red.?team|tokens?\b|template|format|wraps?\b|wrote|trick|angriff|beispiel|attaque|exemple|ataque|ejemplo|exemplo|attacco|esempio|inyecc|injeç|iniezion|атак|пример|инъекц|攻[击擊撃]|例|注入|インジェクション|공격|예시|인젝션/iu;
