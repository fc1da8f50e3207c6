import {
  isPassphrase,
  isQuotedPhrase,
  namesSecret,
  namesValue,
  ownWords,
  harmlessWords,
  variableWords,
} from "./password-words.ts";
import type { NameStrength } from "./secret-name.ts";
import type { SecretSpan } from "./span.ts";
import {
  hasAllKinds,
  hasGeneratedPart,
  isPlaceholder,
  isPublicShape,
  isWordy,
  isGenerated,
  isUnpronounceable,
  mixesFourKinds,
  mixesThreeKinds,
  looksGenerated,
  looksLikeRandomCode,
  looksLikeRandomLetters,
  looksLikeShortKey,
  looksLikeStrongPassword,
  looksRandom,
  looksScrambled,
} from "./value-shape.ts";

/**
 * Which values are masked. `all`: any value next to such a name. `generated`: only values that look generated, for code
 * and its output.
 */
export type Strictness = "all" | "generated";

export interface NamedValue extends SecretSpan {
  readonly quote: string;
  /** The separator between name and value: `=`, `:`, `>`, `,`, `|`, or `blank`. */
  readonly sign: string;
}

/**
 * Returns whether the value next to a name of this strength is a secret, and not a placeholder, lookup, type or
 * ordinary word.
 */
export function isNamedSecret(
  text: string,
  name: SecretSpan,
  value: NamedValue,
  strength: NameStrength,
  strictness: Strictness,
  looks: ValueChecks,
): boolean {
  const shown = text.slice(value.start, Math.min(value.end, value.start + maxJudgedChars));
  if (
    shown.length < 4 ||
    (looks.standsIn(shown) && !hasOtherPart(shown, looks)) ||
    (isPublicShape(shown) && !isSecretAllTheSame(shown))
  )
    return false;
  if (value.quote !== "" && /^\s*[,;)\]}+]/u.test(shown)) return false;
  const isSure = strength === "password" || strength === "secret";
  if (strictness === "all" && isFormField(text, name, value)) {
    if (isSure) return !isSwitch.test(shown);
    if (/(?:^|[-_])(?:sig|signature|authorization)$/iu.test(text.slice(name.start, name.end))) return isOpaque(shown);
  }
  const isCode = value.quote === "" && isExpression(shown, text.charAt(value.end));
  if (isCode && !(strictness === "all" && isSure && isSetting(text, value, shown))) return false;
  if (strength === "guess")
    return (
      value.sign !== "blank" &&
      (strictness === "all" || isTokenShape(shown, value)) &&
      (isDrawn(shown, strength) || (strictness === "all" && isVendorValue(shown, value)))
    );
  if (value.sign === "list" || /^[=!]==?$/u.test(value.sign)) {
    const isChosen = strictness === "all" && strength === "password" && !looks.namesSecret(shown) && !isWordy(shown);
    return isDrawn(shown, strength) || (isChosen && shown.length >= 6 && /\d/u.test(shown) && !/\s/u.test(shown));
  }
  if (value.sign === "," || value.sign === "|") return strength !== "hint" && isDrawn(shown, strength);
  if (value.sign === "blank") {
    if (strength === "hint") return false;
    if (strength === "password" && appPassword.test(shown)) return true;
    if (value.quote !== "" && isGenerated(shown)) return true;
    if (value.quote === "`" && strength === "password" && strictness === "all") return /\d/u.test(shown);
    if (
      value.quote !== "" &&
      strength === "password" &&
      strictness === "all" &&
      shown.length >= 8 &&
      hasAllKinds(shown)
    )
      return true;
    const isNote = /^p\/?wd?$/iu.test(text.slice(name.start, name.end)) && /\d/u.test(shown) && /[A-Z]/u.test(shown);
    const isChosen = strength === "password" && (mixesThreeKinds(shown) || isNote);
    if (isRow(text, name, value)) return isDrawn(shown, strength) || isChosen;
    return strictness === "all" && (isDrawn(shown, strength) || isChosen);
  }
  if (strength === "hint" && isLogin(shown)) return true;
  if (strictness === "generated" && !isFoundInSettings(text, name)) {
    if (/\s/u.test(shown))
      return strength !== "hint" && isVariableLine(text, name) && shown.split(/\s+/u).some(isMixed);
    if (strength === "password" && (value.quote !== "" || isVariableLine(text, name)) && mixesFourKinds(shown))
      return true;
    return isDrawn(shown, strength) && (strength !== "hint" || isAssigned(text, name));
  }
  if (seedPhrase.test(shown)) return true;
  if (strength === "password" && appPassword.test(shown)) return true;
  if (isAttachedWords(text, name, value, shown, strength)) return true;
  if (strength === "password" && testPassword.test(shown) && !isInMessage(text, name)) return false;
  if (/^[x*!]:/u.test(shown) || harmlessWords.has(shown.toLowerCase())) return false;
  if (looks.isRandom(shown) && !isSessionName(text, name, shown) && !looks.namesSecret(shown)) return true;
  if (strength === "hint")
    return (
      looksRandom(/^[\w.@-]{1,40}:(\S+)$/u.exec(shown)?.[1] ?? "", 10) ||
      (isAssigned(text, name) && isVendorValue(shown, value))
    );
  if (looks.namesSecret(shown)) return strength === "password" && isOwnSecret(text, name, value, shown);
  if (/^\d+$/u.test(shown))
    return shown.length >= (strength === "password" ? 6 : 16) && (strength === "password" || value.quote !== "");
  if (/\s/u.test(shown)) {
    if (strength !== "password") return false;
    if (value.quote !== "" && (text.startsWith("--", name.start) || (value.sign === "=" && isQuotedPhrase(shown))))
      return true;
    return value.sign === ":" || value.quote !== "" ? isPassphrase(shown) : isVariableLine(text, name);
  }
  if (strength === "password" && isWordsAsPassword(text, name, value, shown)) return true;
  if (strength === "secret" && value.sign !== "blank" && (/^[\da-f]{8,}$/u.test(shown) || hasEndlessWord(shown)))
    return true;
  if (/^[\p{L}_]+$/u.test(shown)) return isChosenWord(text, name, value, shown, strength);
  if (/\d/u.test(shown)) return strength === "password" || shown.length >= 6;
  if (value.quote !== "" && (looksScrambled(shown) || holdsSigns.test(shown))) return true;
  return strength === "password" && shown.length >= 6 && !isWordy(shown);
}

/** Whether only a part of the value stands for another: `changeme;w0mbat-lane`. */
function hasOtherPart(shown: string, looks: ValueChecks): boolean {
  const parts = /^[\w;]+$/u.test(shown) ? shown.split(";") : [];
  return parts.length > 1 && parts.some((part) => part.length >= 6 && /\d/u.test(part) && !looks.standsIn(part));
}

/** Whether words with dots are a value and not code: `ssl.keystore.password=Marsh.Mallow6`, `user=bob,pass=…`. */
function isSetting(text: string, { start, sign }: NamedValue, shown: string): boolean {
  if (/^[a-z\d]+(?:\.[a-z\d]+)+$/u.test(shown)) return shown.split(".").every((part) => /[a-z]\d+[a-z]/u.test(part));
  return sign === "=" && text.charAt(start - 1) === "=" && /^(?:[A-Z][a-z]+\.)+[A-Z][a-z]+\d+$/u.test(shown);
}

/** Whether the value is more than a word: it has digits or several parts. */
function isOpaque(shown: string): boolean {
  return shown.length >= 6 && (/\d/u.test(shown) || /\w-\w+-\w/u.test(shown));
}

const isSwitch = /^(?:true|false|null|none|undefined)$/iu;

/** Letters on both sides of a sign that names and patterns do not have: `abc;def`. */
const holdsSigns = /^[A-Za-z\d]{2,}[;"'!#^&~][A-Za-z\d]{2,}$/u;

/** Whether name and value are a field of a form or of an address: `?token=…`, `password=…&user=bob`. */
function isFormField(text: string, name: SecretSpan, value: NamedValue): boolean {
  if (value.sign !== "=" || text.charAt(value.start - 1 - value.quote.length) !== "=") return false;
  return (
    /[?&]/u.test(text.charAt(name.start - 1)) || /^["']?&[\w%.-]{1,40}=/u.test(text.slice(value.end, value.end + 44))
  );
}

/** Whether the value is long enough for code, and has letters that digests lack: both cases, or a long row of one case. */
function isTokenShape(shown: string, { quote, sign }: NamedValue): boolean {
  if (sign !== "=" && sign !== ":") return false;
  if (quote === "") return shown.length >= 32 && hasAllKinds(shown);
  return hasAllKinds(shown) || (shown.length >= 32 && /[g-z]/u.test(shown));
}

/** Whether the value is a generated key of an unlisted vendor, shorter than keys elsewhere: `acme_key = "k9Xw2LqP7vRt4ZsB"`. */
function isVendorValue(shown: string, { quote, sign }: NamedValue): boolean {
  return (quote !== "" || sign === "=") && looksLikeShortKey(shown, 16);
}

/**
 * Whether the value is words with hyphens directly after `=`, which no code writes there: `password=blue-door-lamp`. The
 * secret of an object in a cluster has only a name.
 */
function isAttachedWords(
  text: string,
  name: SecretSpan,
  { start, sign, quote }: NamedValue,
  shown: string,
  strength: NameStrength,
): boolean {
  if (sign !== "=" || strength === "hint" || text.charAt(start - 1 - quote.length) !== "=") return false;
  if (strength === "secret" && /^\W?secrets?$/iu.test(text.slice(Math.max(0, name.start - 1), name.end))) return false;
  return (
    /^[a-z0-9]{3,}(?:-[a-z0-9]+){1,5}$/u.test(shown) && !/-(?:password|passwd|pwd|token|key|name|ref|id)$/u.test(shown)
  );
}

/**
 * Whether the value is words with signs between them, where nothing but a password stands: `password: grapes-of-math` on
 * a line of its own, `"passwd":"Orchid.Frost"`.
 */
function isWordsAsPassword(text: string, name: SecretSpan, value: NamedValue, shown: string): boolean {
  const parts = shown.split(/[-._]/u);
  if (parts.length < 2 || parts.length > 6 || parts.some((part) => ownWords.has(part.toLowerCase()))) return false;
  if (value.quote !== "") {
    const isLower = value.sign === "=" && parts.every((part) => /^[a-z]{4,}$/u.test(part) && !variableWords.has(part));
    return isLower || parts.every((part) => /^\p{Lu}\p{Ll}{2,}$/u.test(part));
  }
  return (
    isSettingsLine(text, name, value) &&
    /^[\w.-]{0,40}?passw(?:or)?d$/iu.test(text.slice(name.start, name.end)) &&
    /^[a-z]{3,}(?:-[a-z]{2,}){1,5}$/u.test(shown) &&
    !/-(?:ref|secret|key|name|id|file|create|demand|only|required|expired)$/u.test(shown)
  );
}

/** Whether the value names itself but is not a variable of code: `password=super_secret` alone, or in a form. */
function isOwnSecret(text: string, name: SecretSpan, { start, end, sign, quote }: NamedValue, shown: string): boolean {
  const [first = ""] = /^[a-z]+(?=[-_](?:secret|password|pass|passwd)$)/u.exec(shown) ?? [];
  if (sign !== "=" || quote !== "" || first === "" || ownWords.has(first) || variableWords.has(first)) return false;
  return (
    text.charAt(start - 1) === "=" &&
    /^(?:[\s&]|$)/u.test(text.charAt(end)) &&
    /^(?:[\s&?]|$)/u.test(text.charAt(name.start - 1))
  );
}

/** Whether the last part of the value is longer than any word, or a stretch of the alphabet after other words. */
function hasEndlessWord(shown: string): boolean {
  if (/(?:^|[_-])(?:[a-z]{22,}|(?!.*(?:FAKE|EXAMPLE))[A-Z]{22,})$/u.test(shown)) return true;
  const last = /[_-]([a-z]{11,})$/u.exec(shown)?.[1] ?? "";
  return last !== "" && "abcdefghijklmnopqrstuvwxyz".includes(last);
}

export type ValueChecks = Readonly<Record<"standsIn" | "isRandom" | "namesSecret", (shown: string) => boolean>>;

export function createValueChecks(): ValueChecks {
  return {
    standsIn: memoize(isPlaceholder),
    isRandom: memoize((shown) => looksRandom(shown, 12) || looksLikeRandomLetters(shown)),
    namesSecret: memoize(namesSecret),
  };
}

/** Caches results, because the same names and values occur often. */
export function memoize<T>(compute: (name: string) => T): (name: string) => T {
  const cache = new Map<string, { readonly answer: T }>();
  return (name) => {
    const answer = cache.get(name) ?? { answer: compute(name) };
    cache.set(name, answer);
    return answer.answer;
  };
}

/** The maximum number of characters of a value that are checked. */
export const maxJudgedChars = 64;

/** Matches `NAME=` at the start of a line, as in the output of `env`: the rest of the line is the value. */
export function isVariableLine(text: string, name: SecretSpan): boolean {
  const before = text.slice(Math.max(0, name.start - 12), name.start);
  return (
    (/(?:^|\n|\\n)(?:[ \t]{0,8}|#[ \t]?)$/u.test(before) || before === "") &&
    /^[A-Z][A-Z0-9_]*$/u.test(text.slice(name.start, name.end))
  );
}

/** `NAME=` at the start of a line, or after `export`. */
function isAssigned(text: string, name: SecretSpan): boolean {
  return (
    isVariableLine(text, name) ||
    (/(?:^|[\s;])(?:export|set)[ \t]{1,4}$/u.test(text.slice(Math.max(0, name.start - 12), name.start)) &&
      /^[A-Z][A-Z0-9_]*$/u.test(text.slice(name.start, name.end)))
  );
}

/** Returns whether the value is a password of digits, or a base64 key that starts like a path. */
function isSecretAllTheSame(shown: string): boolean {
  return /^\d{6,}$/u.test(shown) || (shown.startsWith("/") && looksGenerated(shown));
}

/** Returns whether the value is a user name and password in base64, as in `"auth": "…"`. */
function isLogin(shown: string): boolean {
  if (!/^[A-Za-z0-9+/]{12,}={0,2}$/u.test(shown)) return false;
  return /^[\w.$@+-]{2,}:[\x21-\x7e]{6,}$/u.test(Buffer.from(shown, "base64").toString("latin1"));
}

/** Whether name and value end their line, as in a table or after a slash: `password    …`, `login: bob / password …`. */
function isRow(text: string, name: SecretSpan, value: NamedValue): boolean {
  return (
    /(?:^|\n|[/|,])[ \t]*$/u.test(text.slice(Math.max(0, name.start - 12), name.start)) &&
    /^(?:\r?\n|$)/u.test(text.slice(value.end, value.end + 2))
  );
}

/** Values that only identify a session. */
function isSessionName(text: string, { start, end }: SecretSpan, shown: string): boolean {
  return /sess/iu.test(text.slice(start, end)) && (shown.length < 16 || uuid.test(shown));
}

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu;

/** Passwords of examples and tests, which protect nothing. */
const testPassword = /^(?:test|password|passw0rd|foo|bar)[-_]?1234?$/iu;

/** Whether words stand before the name on its line, as in a message of a program: `login failed with password=…`. */
function isInMessage(text: string, { start }: SecretSpan): boolean {
  const before = text.slice(Math.max(0, start - 120), start);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return /[A-Za-z]{2,}[:,]? [\w.@=-]{3,}[:,]? $/u.test(line) && !/[({#*`]|\/\//u.test(line);
}

/** A password that a service generates for one program: four groups of four letters. */
const appPassword = /^[a-z]{4}(?:-[a-z]{4}){3}$/u;

/** The seed phrase of a wallet. Only the part that is checked is used. */
const seedPhrase = /^(?:[a-z]{3,8} ){7,}[a-z]{0,8}$/u;

/** A word of a passphrase that nobody would read as a word: `SdY7xZbK`. */
function isMixed(word: string): boolean {
  return looksRandom(word, 8) && /[a-z]/u.test(word) && /[A-Z]/u.test(word) && /\d/u.test(word);
}

/** Returns whether the value is certainly generated, in any context. */
function isDrawn(shown: string, strength: NameStrength): boolean {
  if (isGenerated(shown) || licence.test(shown) || hasGeneratedPart(shown)) return true;
  if (strength !== "hint" && strength !== "guess" && (looksLikeRandomCode(shown, 14) || looksLikeShortKey(shown)))
    return true;
  return strength === "password" && looksLikeStrongPassword(shown);
}

const licence = /^(?=[A-Z0-9-]*\d)(?:[A-Z0-9]{4,8}-){3,7}[A-Z0-9]{4,8}$/u;

/** Matches a search result from a settings file: `.env:3:DB_PASSWORD=…`. */
function isFoundInSettings(text: string, { start }: SecretSpan): boolean {
  const before = text.slice(Math.max(0, start - 120), start);
  return (
    /(?:^|[\s/])\.env[\w.-]*[:-](?:\d+[:-])?(?:export )?$/u.test(before) && !/example|sample|template/u.test(before)
  );
}

/** Matches code that gets the value from elsewhere: a call, an index, a member, a lookup. */
function isExpression(shown: string, next: string): boolean {
  return (
    /^[\w.$?!&*@\\]*[([]|^(?:await|new|lambda|function|async)\b|^[&*@!]?[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+$|^\$?\w+(?:::\w+)+(?:->|\(|$)/u.test(
      shown,
    ) ||
    (next === "(" && /^\w+$/u.test(shown)) ||
    (next === ">" && /^\$[\w:]+-$/u.test(shown)) ||
    /^(?:process|os|import|req|request|self|this|config|settings|env|ctx|args|opts|options|params|props|state|secrets|vars|var|local|data|module|steps|inputs|github)\??[.[]/u.test(
      shown,
    )
  );
}

/**
 * Returns whether the value is a word that a person chose as a password, and not a word of a sentence, a type or a
 * variable.
 */
function isChosenWord(
  text: string,
  name: SecretSpan,
  value: NamedValue,
  shown: string,
  strength: NameStrength,
): boolean {
  if (shown.length < 6) return false;
  if (text.slice(name.start, name.end).toLowerCase().includes(shown.toLowerCase())) return false;
  const next = text.slice(value.end, value.end + 2);
  const isLong = shown.length >= 8 && /^\p{L}+$/u.test(shown);
  // Matches `CorrectHorse`, but not `Passwort` and `userInput`.
  const isPhrase = isLong && /^\p{Lu}\p{Ll}+\p{Lu}/u.test(shown);
  if (value.quote !== "") return strength === "password" && (isPhrase || !/^\p{Lu}/u.test(shown));
  const isFlag = text.startsWith("-", name.start) && next.startsWith(" ");
  const endsThere =
    next === "" ||
    isFlag ||
    value.sign === ">" ||
    /^(?:[\r\n&;"'<}]|[ \t]{1,8}#|[,| ][a-z_]{2,20}=)/u.test(text.slice(value.end, value.end + 24));
  if (isVariableLine(text, name)) return endsThere && (strength === "password" || shown.length >= 8);
  if (strength !== "password" || !endsThere) return false;
  const isAttached = text.charAt(value.start - 1) === "=";
  if (isAttached && isUnpronounceable(shown)) return true;
  if (isSettingsLine(text, name, value) && /^\p{L}\p{Ll}+\p{Lu}\p{Ll}+$/u.test(shown)) return !namesValue(shown);
  if ((isAttached || value.sign === ">") && /^\p{Ll}+(?:\p{Lu}\p{Ll}+){1,3}$/u.test(shown))
    return value.sign === ">" || !namesValue(shown);
  if (isAttached && (isPhrase || (isLong && /^\p{Lu}+$/u.test(shown)))) return true;
  return !/^\p{Lu}[\p{Ll}]+$|^\p{Lu}+(?:_\p{Lu}+)*$/u.test(shown) && !/[a-z][A-Z]/u.test(shown);
}

/** `password: …` alone on its line, as in YAML. */
function isSettingsLine(text: string, name: SecretSpan, value: NamedValue): boolean {
  const before = text.slice(Math.max(0, name.start - 40), name.start);
  return (
    value.sign === ":" &&
    /(?:^|\n)[ \t]*(?:- )?["']?$/u.test(before) &&
    /^(?:\r?\n|$)/u.test(text.slice(value.end, value.end + 2))
  );
}
