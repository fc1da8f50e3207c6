import type { SpelledText } from "./folded-text.ts";
import { type Lexicon, type Meanings, noBlanks, numberOf } from "./meanings.ts";

/**
 * The words of a text in order, each with its offset in the normalised text, its sentence and its possible meanings.
 */
export interface Tokens {
  readonly words: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly sentences: readonly number[];
  readonly meanings: readonly Meanings[];
  /** True for a part of a hyphenated word. */
  readonly isInner: readonly boolean[];
}

export function tokensOf({ text }: SpelledText, lexicon: Lexicon): Tokens {
  const words: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const sentences: number[] = [];
  const meanings: Meanings[] = [];
  const isInner: boolean[] = [];
  let sentence = 0;
  const push = (word: string, start: number, end: number, means: Meanings): void => {
    words.push(word);
    starts.push(start);
    ends.push(end);
    sentences.push(sentence);
    meanings.push(means);
    isInner.push(false);
  };
  const cache = new Map<string, Meanings>();
  const knownAs = (word: string): Meanings => {
    const before = cache.get(word);
    if (before) return before;
    const result = wordMeanings(word, lexicon) ?? lexicon.scrambled(word);
    cache.set(word, result ?? none);
    return result ?? none;
  };
  const pushWord = (word: string, start: number): void => push(word, start, start + word.length, knownAs(word));
  const pushRun = (run: string, start: number): void => {
    for (let position = 0; position < run.length;) {
      const entry = lexicon.entryAt(run, position);
      const latin =
        run.charCodeAt(position) < 0x80 ? /^[a-z\d][\w.-]*/u.exec(run.slice(position, position + 40))?.[0] : undefined;
      const length = entry?.length ?? latin?.length ?? 1;
      if (entry || !latin)
        push(
          run.slice(position, position + length),
          start + position,
          start + position + length,
          entry?.meanings ?? none,
        );
      else pushWord(latin, start + position);
      position += length;
    }
  };
  for (const { 0: chunk, index } of text.matchAll(chunks)) {
    if (plainWord.test(chunk) && !persona.test(chunk)) {
      pushWord(chunk.toLowerCase(), index);
      continue;
    }
    if (sentenceEnd.test(chunk)) {
      sentence++;
      continue;
    }
    if (chunk === ":" || chunk === "：") {
      push(":", index, index + 1, none);
      continue;
    }
    const trimmed = chunk.replace(/(?<![.:'’/\\-])[.:'’/\\-]+$/u, "");
    const word = trimmed.toLowerCase().replaceAll("’", "'");
    const special = specialMeaning(trimmed);
    if (special.length > 0) {
      push(word, index, index + trimmed.length, [...special.map(numberOf), ...(lexicon.meaningsOf(word) ?? none)]);
    } else if (noBlanks.test(word)) pushRun(word, index);
    else if (lexicon.meaningsOf(word)) pushWord(word, index);
    else {
      for (const { 0: piece, index: position } of word.matchAll(pieceShape(word))) {
        pushWord(piece, index + position);
        if (position > 0 && /[-.]/u.test(word.charAt(position - 1)) && /^[a-z]/u.test(trimmed))
          isInner[isInner.length - 1] = true;
      }
    }
    const tail = chunk.slice(trimmed.length);
    if (tail.includes(":")) push(":", index + trimmed.length, index + trimmed.length + 1, none);
    if (tail.includes(".")) sentence++;
  }
  for (let index = 0; index < words.length; index++) {
    for (const { rest, meaning } of lexicon.phrasesOf(words[index] ?? "")) {
      if (!follows(words, sentences, index, rest)) continue;
      if (meaning === neutral) meanings.splice(index, rest.length + 1, none, ...rest.map(() => none));
      else if (!meanings[index]?.includes(meaning)) meanings[index] = [...(meanings[index] ?? none), meaning];
    }
  }
  return { words, starts, ends, sentences, meanings, isInner };
}

/** The meaning of a phrase that only resembles another phrase. */
const neutral = numberOf("NEUTRAL");

const plainWord = /^[A-Za-z]+$/u;

const none: Meanings = [];

function wordMeanings(word: string, lexicon: Lexicon) {
  const direct = lexicon.meaningsOf(word) ?? (word.startsWith("و") ? lexicon.meaningsOf(word.slice(1)) : undefined);
  if (direct || !word.includes("'")) return direct;
  return lexicon.meaningsOf(word.replace(/'s?$/u, "")) ?? lexicon.meaningsOf(word.replace(/^[a-z]{1,2}'/u, ""));
}

function follows(
  words: readonly string[],
  sentences: readonly number[],
  from: number,
  rest: readonly string[],
): boolean {
  return rest.every((piece, offset) => {
    const word = words[from + offset + 1];
    if (word === undefined || sentences[from + offset + 1] !== sentences[from]) return false;
    return piece.endsWith("*") ? word.startsWith(piece.slice(0, -1)) : word === piece;
  });
}

const chunks =
  /(?:https?|hxxps?|wss?|ftps?):\/\/[^\s"'`<>)\]]{1,500}|[$~./@\\]{0,4}[\p{L}\p{N}_][\p{L}\p{M}\p{N}_./@'’:~\\-]*|[!?;。！？؟।]|[:：]|\.(?=\s|$)|[{}=<>|]|(?<=["'],)\n|\n(?![ \t]*(?:(?:[*#>]|\/\/)[ \t]+)?[\p{Ll}\p{Lo}])/gu;

const sentenceEnd = /^(?:[!?;。！？؟।\n{}=<>|]|\.$)/u;

/** Splits words joined by punctuation, but not function names. */
function pieceShape(word: string): RegExp {
  return (word.match(/_/gu)?.length ?? 0) >= 4 ? /[\p{L}\p{M}\p{N}']+/gu : /[\p{L}\p{M}\p{N}_']+/gu;
}

/** Recognises URLs, files and variable names by their form. */
function specialMeaning(chunk: string): readonly string[] {
  if (/^(?:https?|hxxps?|wss?|ftps?):/iu.test(chunk)) return localAddress.test(chunk) ? ["URL"] : ["URL", "OUT"];
  if (persona.test(chunk)) return ["DAN"];
  if (/^(?:process\.env|os\.environ)$/u.test(chunk)) return ["ENVIRONMENT", "SECRET"];
  if (/^\$\d/u.test(chunk)) return ["MONEY"];
  if (wallet.test(chunk)) return ["WALLET", "OUT"];
  if (!/[./@_~\\]/u.test(chunk)) return [];
  if (/^[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+$/u.test(chunk)) return ["OUT"];
  if (/authorized_keys/iu.test(chunk)) return ["AUTHKEYS", "STARTFILE"];
  if (secretFile.test(chunk)) return publicFile.test(chunk) ? [] : ["SECRETFILE", "SECRET"];
  if (agentFile.test(chunk)) return ["AGENTFILE"];
  if (startFile.test(chunk)) return ["STARTFILE"];
  if (outsideHost.test(chunk)) return ["OUT"];
  if (/^\$?[A-Z][A-Z\d]*_[A-Z\d_]*$/u.test(chunk)) return secretName.test(chunk) ? ["SECRET"] : ["NAME"];
  return /^(?:get_secrets?|http_post|(?:delete|transfer|send|drop|wipe|grant|remove|pay|exec)_[a-z_]+)$/u.test(chunk)
    ? ["TOOLNAME"]
    : [];
}

const persona = /^(?:DAN|STAN|DUDE|OMEGA|KEVIN|AIM)$/u;
const wallet = /^(?:bc1[a-z\d]{20,}|0x[\da-f]{40}|[A-Z]{2}\d{2}[A-Z\d]{10,30})$/iu;
const localAddress = /:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1)/iu;
const secretFile =
  /(?:^|[/\\])\.(?:env|netrc|pgpass|npmrc|pypirc|git-credentials|bash_history|zsh_history)$|\.env\.(?:local|production|prod|development)$|(?:^|[/\\])\.(?:ssh|aws|gnupg|kube|azure|docker|hermes\/\.env|config\/gcloud|cursor\/mcp)(?:$|[/\\.])|id_(?:rsa|ed25519|ecdsa|dsa)$|^\/etc\/(?:passwd|shadow|sudoers)$|(?:^|[/\\])(?:credentials|secrets?|wallet|logins|cookies|passwords?|private)\.(?:json|ya?ml|txt|dat|db|env|key|pem|toml)$|\.(?:pem|p12|pfx|kdbx)$|\/\.aws\/credentials|\/proc\/(?:self|\d+)\/environ|^mcp\.json$|\/secrets?\//iu;
const publicFile = /\.pub$|known_hosts|\.ssh\/config|\.example$|authorized_keys/iu;
const agentFile =
  /(?:^|[/\\])(?:agents?|claude|soul|gemini|memory|user|hermes|copilot-instructions|skill|identity|tools)\.md$|\.cursorrules$|\.cursor\/rules|\.windsurfrules$|\.hermes\b|\.claude\/|settings\.local\.json$|\.clinerules|mcp\.json$|\.hermes\.md$/iu;
const startFile =
  /\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv)$|crontab|\/etc\/cron|\.git\/hooks|systemd|launchagents|\/etc\/rc\.local|\/etc\/ld\.so|autostart|\/etc\/hosts$|\/etc\/sudoers/iu;
const outsideHost =
  /^(?:[a-z\d-]{1,63}\.){1,6}(?:example|com|net|org|io|site|xyz|ru|cn|top|info|test|invalid|me|co|cc|tk|biz|online|cloud|link|click|live|onion|pw|ga|ws|su|kp|ir|tech|store|space|to|gg|evil)(?:[/:?].*)?$|^\d{1,3}(?:\.\d{1,3}){3}(?:[:/].*)?$|\.ngrok|webhook\.site|oast\.|burpcollaborator|requestbin|pipedream|interact\.sh/iu;
const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|APIKEY/u;
